"""Tie-aware measures of every regime, per query."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tiewise.judging.evaluate import evaluate
from tiewise.store.artifacts import read_provenance, write_artifact
from tiewise.study.layout import RESULTS, Layout
from tiewise.study.reading import read_qrels, read_run

if TYPE_CHECKING:
    from tiewise.study.config import Study


def metrics(study: Study, model: str, layout: Layout = RESULTS) -> None:
    """Judge a model's scores in every regime, per query, under every tie policy."""
    config = study.config
    for name, regime in layout.cells(study):
        qrels = read_qrels(study, name, layout)
        path = layout.scores(name, model, regime)
        run = read_run(study, path)
        frames = [
            evaluate(
                qrels,
                run,
                config.measures,
                policy=policy,
                score_type=config.score_type,
                per_query=True,
                empty=config.empty,
                missing=config.missing,
            )
            for policy in config.policies
        ]
        note = read_provenance(path) | {"policies": config.policies}
        write_artifact(
            pl.concat(frames), layout.metrics(name, model, regime), provenance=note, kind="metrics"
        )
