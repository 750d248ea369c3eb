"""All figures of a study: artifacts in, PDF, SVG and PNG out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tiewise.report.figures.bits import bits_figure
from tiewise.report.figures.cutoffs import cutoffs_figure
from tiewise.report.figures.example import example_figure
from tiewise.report.figures.pages import cutoffs_page
from tiewise.report.figures.scores import scores_figure
from tiewise.report.figures.style import save
from tiewise.report.footer import study_footer
from tiewise.report.names import labels
from tiewise.store.artifacts import read_artifact
from tiewise.study.layout import RESULTS, Layout
from tiewise.study.steps.average_datasets import dataset_groups

if TYPE_CHECKING:
    from tiewise.study.config import Study

MOST_ROWS = 3
"""Data sets that the overview shows one by one; of more it shows the averages."""


def draw_figures(study: Study, layout: Layout = RESULTS) -> None:
    """Draw every figure in PDF, SVG and PNG."""
    summary, note = read_artifact(layout.summary()), study_footer(study, layout)
    distributions = {model: read_artifact(layout.distribution(model)) for model in study.models}
    config = study.config
    overview = _overview(study, summary, read_artifact(layout.averages()))
    save(example_figure(), layout.figure("example"))
    save(bits_figure(), layout.figure("bits"))
    save(scores_figure(study, distributions, note), layout.figure("scores"))
    save(
        cutoffs_figure(overview, config.table_measures, config.policies[0], note),
        layout.figure("cutoffs"),
    )
    for name in study.datasets:
        save(cutoffs_page(study, name, summary, note), layout.figure(f"cutoffs-{name}"))


def _overview(study: Study, summary: pl.DataFrame, averages: pl.DataFrame) -> pl.DataFrame:
    """Choose the rows of the overview, and name data sets and models as readers know them."""
    spoken = labels(study)
    titles = spoken["dataset"]
    if len(titles) > MOST_ROWS:
        sizes = {group: len(names) for group, names in dataset_groups(study).items()}
        titles = {group: f"{group}, average of {n}" for group, n in sizes.items()}
        summary = averages.rename({"group": "dataset"})
    return summary.with_columns(
        pl.col("dataset").replace_strict(titles), pl.col("model").replace_strict(spoken["model"])
    )
