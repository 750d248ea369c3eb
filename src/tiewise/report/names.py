"""Names of the tables and figures that a study has, without the libraries that make them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiewise.study.config import Study


TABLES = (
    *("main", "retrieval", "spread", "unique", "groups", "origins", "spearman"),
    *("alternatives", "toolkits", "cost", "pairs", "verdicts", "claims"),
)
TABLE_SUFFIXES = (".csv", ".md", ".tex")
FIGURE_SUFFIXES = (".pdf", ".svg", ".png")


SHARED_FIGURES = ("example", "bits", "scores")


def figures(study: Study) -> dict[str, str]:
    """Name the figures of a study, a page of cut-offs for each data set, each with its caption."""
    shared = {name: name for name in (*SHARED_FIGURES, "cutoffs")}
    return shared | {f"cutoffs-{name}": "cutoffs-page" for name in study.datasets}


def labels(study: Study) -> dict[str, dict[str, str]]:
    """Give data sets and models the names that readers know them by.

    Returns
    -------
    dict of dict of str to str
        Under ``dataset`` the titles, under ``model`` the labels, by name in the config.
    """
    return {
        "dataset": {name: spec.title for name, spec in study.datasets.items()},
        "model": {name: spec.label or name for name, spec in study.models.items()},
    }
