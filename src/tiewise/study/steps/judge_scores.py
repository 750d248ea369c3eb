"""Tie-aware measures of every regime, per query."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from tiewise.judging.evaluate import evaluate
from tiewise.store.artifacts import Kind, read_provenance, write_artifact
from tiewise.study.columns import JUDGED
from tiewise.study.reading import options, read_qrels, read_run

if TYPE_CHECKING:
    from tiewise.study.config import Study

KIND = Kind("metrics", {"query_id": pl.String, **JUDGED})


def judge_scores(
    study: Study,
    *,
    dataset: str,
    model: str,
    qrels: Path,
    candidates: Path,
    scores: list[Path],
    metrics: list[Path],
) -> None:
    """Judge a model's scores in every regime, per query, under every tie policy."""
    config, judgements = study.config, read_qrels(study, dataset, qrels, candidates)
    for path, target in zip(scores, metrics, strict=True):
        run = read_run(study, path)
        frames = [
            evaluate(
                judgements,
                run,
                config.measures,
                per_query=True,
                **options(study) | {"policy": policy},
            )
            for policy in config.policies
        ]
        note = read_provenance(path) | {"policies": config.policies}
        write_artifact(pl.concat(frames), target, provenance=note, kind=KIND)
