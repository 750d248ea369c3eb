"""Scores of every precision regime: cheap functions of the logits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from tiewise.store.artifacts import Kind, read_artifact, read_provenance, write_artifact

if TYPE_CHECKING:
    from tiewise.study.config import Study

KIND = Kind("scores", {"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64})


def compute_scores(
    study: Study,
    *,
    dataset: str,
    model: str,
    candidates: Path,
    logits: list[Path],
    scores: list[Path],
) -> None:
    """Apply a model's scoring function in the score dtype of each regime."""
    from tiewise.models.scores import score_candidates

    chosen = read_artifact(candidates)
    target = dict(zip(study.regimes, scores, strict=True))
    for dtype, path in zip(study.dtypes, logits, strict=True):
        output, note = read_artifact(path), read_provenance(path)
        for regime in study.regimes_of(dtype):
            frame = score_candidates(
                study.models[model],
                output,
                chosen,
                regime,
                on_nonfinite=study.config.on_nonfinite,
            )
            made = note | {"regime": regime.name, "score_dtype": regime.score_dtype}
            write_artifact(frame, target[regime.name], provenance=made, kind=KIND)
