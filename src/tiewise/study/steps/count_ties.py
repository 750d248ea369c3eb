"""Tie statistics: how many scores are left, and which ties FP32 does not have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from tiewise.runs.ties import tie_statistics
from tiewise.store.artifacts import Kind, read_provenance, write_artifact
from tiewise.study.reading import read_reference, read_run

if TYPE_CHECKING:
    from tiewise.study.config import Study

KIND = Kind(
    "ties",
    {
        "query_id": pl.String,
        "n_candidates": pl.Int64,
        "n_distinct_scores": pl.Int64,
        "n_tie_groups": pl.Int64,
        "largest_tie_group": pl.Int64,
        "share_tied": pl.Float64,
        "n_tied_at_cut": pl.Int64,
    },
)


def count_ties(
    study: Study, *, dataset: str, model: str, scores: list[Path], ties: list[Path]
) -> None:
    """Count the ties of a model's scores in every regime, and those that FP32 does not have."""
    reference = read_reference(study, scores)
    for path, target in zip(scores, ties, strict=True):
        frame = tie_statistics(read_run(study, path), reference)
        write_artifact(frame, target, provenance=read_provenance(path), kind=KIND)
