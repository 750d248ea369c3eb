"""Averages over queries: the one table that all tables and figures are views of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tiewise.judging.evaluate import average
from tiewise.store.artifacts import read_artifact, read_provenance, write_artifact
from tiewise.study.layout import RESULTS, Layout
from tiewise.study.provenance import provenance
from tiewise.study.reading import label

if TYPE_CHECKING:
    from tiewise.study.config import Study


def summary(study: Study, layout: Layout = RESULTS) -> None:
    """Average the measures over queries: one row per cell, measure and tie policy."""
    rows, notes = [], {}
    for model in study.models:
        for name, regime in layout.cells(study):
            path = layout.metrics(name, model, regime)
            note = notes[f"{name}/{model}/{regime}"] = read_provenance(path)
            cell = {
                "dataset": name,
                "model": model,
                "regime": regime,
                "arithmetic": note["arithmetic"],
            }
            averages = average(read_artifact(path))
            rows.append(label(averages, **cell))
    write_artifact(
        pl.concat(rows), layout.summary(), provenance=provenance(study, cells=notes), kind="summary"
    )
