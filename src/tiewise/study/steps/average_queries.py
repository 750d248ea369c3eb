"""Averages over queries: the one table that all tables and figures are views of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from tiewise.judging.evaluate import average
from tiewise.store.artifacts import Kind, read_artifact, read_provenance, write_artifact
from tiewise.study.columns import CELL, JUDGED
from tiewise.study.provenance import provenance
from tiewise.study.reading import label

if TYPE_CHECKING:
    from tiewise.study.config import Study


KIND = Kind("summary", {**CELL, **JUDGED, "n_queries": pl.Int64})


def average_queries(study: Study, *, metrics: list[Path], summary: Path) -> None:
    """Average the measures over queries: one row per cell, measure and tie policy."""
    rows, notes = [], {}
    for (name, model, regime), path in zip(study.cells, metrics, strict=True):
        note = notes[f"{name}/{model}/{regime}"] = read_provenance(path)
        cell = {"dataset": name, "model": model, "regime": regime}
        averages = average(read_artifact(path))
        rows.append(label(averages, **cell, arithmetic=note["arithmetic"]))
    write_artifact(pl.concat(rows), summary, provenance=provenance(study, cells=notes), kind=KIND)
