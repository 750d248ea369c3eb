"""The page of a study: artifacts in, `results/report.html` out."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tiewise.report.check import check
from tiewise.report.names import FIGURE_SUFFIXES, TABLE_SUFFIXES, labels
from tiewise.report.page import render
from tiewise.report.study_page import facts
from tiewise.report.study_page.curves import HEIGHT, LEFT, WIDTH, curves
from tiewise.report.study_page.grid import grid
from tiewise.report.tables.study import study_tables
from tiewise.report.tables.table import Table
from tiewise.store.artifacts import read_artifact, read_provenance, writing
from tiewise.study.layout import RESULTS, Layout

if TYPE_CHECKING:
    from tiewise.study.config import Study

FIGURES = {
    "example": "One query: three documents tie in BF16, and R@3 depends on their order.",
    "bits": "Number formats: how they spend their bits, and how far apart their numbers are.",
    "scores": "Where scores fall in each regime, and how many candidates share theirs.",
}
DETAILS = (
    *("retrieval", "spread", "unique", "groups", "origins", "spearman"),
    *("alternatives", "toolkits", "cost", "pairs"),
)
"""Tables that stay closed until a reader opens them."""
LETTERS = 400
"""Of a document's text."""


def write_page(study: Study, layout: Layout = RESULTS) -> None:
    """Write the report of a study."""
    with writing(layout.page()) as part:
        part.write_text(study_page(study, layout), encoding="utf-8")


def study_page(study: Study, layout: Layout) -> str:
    """Render the report of a study.

    Parameters
    ----------
    study : Study
        The study.
    layout : Layout
        Where its artifacts lie.

    Returns
    -------
    str
        HTML that loads nothing from elsewhere; its links are relative to the results folder.
    """
    policy = study.config.policies[0]
    summary = read_artifact(layout.summary()).filter(pl.col("policy") == policy)
    tables, checked = study_tables(study, layout), check(Path(layout.results))
    return render(
        "study.html",
        title=f"Study {study.name}",
        policy=policy,
        asked=facts.asked(study),
        datasets=facts.datasets(study, layout),
        headline=_headline(study, summary),
        check=checked,
        main=_laid(tables["main"]),
        claims=checked.claims.rows(named=True),
        verdicts=_laid(tables["verdicts"]),
        details={name: _laid(tables[name]) for name in DETAILS},
        plots=[_plots(study, name, summary) for name in study.datasets],
        models=list(labels(study)["model"].values()),
        size=(LEFT, WIDTH, HEIGHT),
        worst=_worst(study, read_artifact(layout.worst())),
        figures={name: _inline(layout.figure(name)) for name in FIGURES},
        captions=FIGURES,
        provenance=facts.provenance(study, read_provenance(layout.summary())),
        links=_links(study, layout, tables),
    )


def _laid(table: Table) -> dict[str, Any]:
    return {"title": table.title, "notes": table.notes, "grid": grid(table)}


def _headline(study: Study, summary: pl.DataFrame) -> list[str]:
    """Say how far ties move the numbers at most, and what HPS leaves of it."""
    spoken = labels(study)
    measured = summary.filter(pl.col("measure").is_in(study.config.table_measures))
    low = measured.filter(~pl.col("regime").str.contains("fp32|hps|raw"))
    if low.is_empty():
        return ["The study has no low precision, in which ties would be spurious."]
    widest = low.row(low["range"].arg_max() or 0, named=True)
    where = f"{spoken['model'][widest['model']]} on {spoken['dataset'][widest['dataset']]}"
    sentences = [
        f"In {widest['regime']}, the order of ties alone moves {widest['measure']} of {where} by "
        f"{_points(widest['range'])}: from {100 * widest['min']:.2f} to {100 * widest['max']:.2f}, "
        f"expected {100 * widest['expected']:.2f}."
    ]
    same = pl.all_horizontal(pl.col(n) == widest[n] for n in ("dataset", "model", "measure"))
    upcast = measured.filter(same, pl.col("regime") == f"{widest['regime']}-hps")
    if not upcast.is_empty():
        row = upcast.row(0, named=True)
        sentences.append(
            f"High-precision scoring of the same model output leaves {_points(row['range'])}, "
            f"expected {100 * row['expected']:.2f}."
        )
    return sentences


def _points(value: float) -> str:
    return f"{100 * value:.2f} percentage points"


def _plots(study: Study, name: str, summary: pl.DataFrame) -> dict[str, Any]:
    rows, spoken = summary.filter(pl.col("dataset") == name), labels(study)["model"]
    measures = [
        {"measure": measure, **_bands(rows.filter(pl.col("measure") == measure), spoken)}
        for measure in study.config.table_measures
    ]
    title = study.datasets[name].title
    return {
        "title": title,
        "measures": measures,
        "curves": curves(rows, list(study.regimes), spoken),
    }


def _bands(rows: pl.DataFrame, spoken: Mapping[str, str]) -> dict[str, Any]:
    """Lay out a band each model and regime, on an axis around them all."""
    names = ("min", "max", "expected", "oblivious")
    bands: Sequence[dict[str, Any]] = [
        {"label": _named(row, spoken), "sampling": None} | {name: 100 * row[name] for name in names}
        for row in rows.iter_rows(named=True)
    ]
    low = min((band["min"] for band in bands), default=0.0)
    high = max((band["max"] for band in bands), default=1.0)
    margin = max(0.005, 0.04 * (high - low))
    return {"bands": bands, "low": low - margin, "high": high + margin}


def _named(row: Mapping[str, Any], spoken: Mapping[str, str]) -> str:
    """Name a band; the regime comes first, as a narrow screen cuts the end."""
    regime = str(row["regime"])
    return regime if len(spoken) == 1 else f"{regime}, {spoken[row['model']]}"


def _worst(study: Study, worst: pl.DataFrame) -> list[dict[str, Any]]:
    spoken = labels(study)
    queries = []
    for _, rows in worst.group_by("dataset", "number", maintain_order=True):
        head = rows.row(0, named=True)
        places = rows.group_by("first", "last", "score", "n_relevant", maintain_order=True)
        groups = [
            dict(zip(("first", "last", "score", "n_relevant"), key, strict=True))
            | {"documents": [_cut(row) for row in documents.iter_rows(named=True)]}
            for key, documents in places
        ]
        where = f"{spoken['dataset'][head['dataset']]}, {spoken['model'][head['model']]}"
        queries.append(head | {"where": f"{where} in {head['regime']}", "groups": groups})
    return queries


def _cut(row: dict[str, Any]) -> dict[str, Any]:
    text = row["text"]
    return row | {"text": text if len(text) <= LETTERS else f"{text[:LETTERS]} …"}


def _inline(stem: Path) -> str | None:
    """Take a figure into the page, where it has been drawn."""
    path = Path(f"{stem}.svg")
    if not path.is_file():
        return None
    return f"data:image/svg+xml;base64,{base64.b64encode(path.read_bytes()).decode()}"


def _links(study: Study, layout: Layout, tables: Mapping[str, Table]) -> dict[str, list[str]]:
    """List files beside the page, relative to it."""
    figures = [*FIGURES, "cutoffs", *(f"cutoffs-{name}" for name in study.datasets)]
    artifacts = (layout.summary(), layout.averages(), layout.tie_summary(), layout.verdicts())
    return {
        "tables": [f"tables/{name}{suffix}" for name in tables for suffix in TABLE_SUFFIXES],
        "figures": [f"figures/{name}{suffix}" for name in figures for suffix in FIGURE_SUFFIXES],
        "artifacts": [path.name for path in artifacts],
    }
