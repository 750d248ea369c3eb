"""What each toolkit would print, and how far that is from the expected value."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from tiewise.audit import audit
from tiewise.store.artifacts import Kind, read_artifact, write_artifact
from tiewise.study.provenance import derived
from tiewise.study.reading import as_run, label, options, read_qrels

if TYPE_CHECKING:
    from tiewise.study.config import Study


KIND = Kind(
    "toolkits",
    {
        "regime": pl.String,
        "toolkit": pl.String,
        "ties": pl.String,
        "measure": pl.String,
        "value": pl.Float64,
        "expected": pl.Float64,
        "bias": pl.Float64,
        "note": pl.String,
    },
)


def ask_toolkits(
    study: Study,
    *,
    dataset: str,
    model: str,
    qrels: Path,
    candidates: Path,
    scores: list[Path],
    toolkits: Path,
) -> None:
    """Compute what each toolkit would print for a model's scores in every regime."""
    judgements, frames = read_qrels(study, dataset, qrels, candidates), []
    for regime, path in zip(study.regimes, scores, strict=True):
        run = as_run(read_artifact(path))
        found = audit(judgements, run, study.config.table_measures, **options(study))
        values = found.toolkits.join(
            found.table.select("measure", "expected"), on="measure", maintain_order="left"
        )
        frames.append(
            label(values.with_columns(bias=pl.col("value") - pl.col("expected")), regime=regime)
        )
    note = derived(study, scores)
    write_artifact(pl.concat(frames), toolkits, provenance=note, kind=KIND)
