"""Every pair of models on a data set: which orders ties leave open, and which the queries do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from tiewise.judging.compare import compare
from tiewise.store.artifacts import write_artifact
from tiewise.study.layout import RESULTS, Layout
from tiewise.study.provenance import derived
from tiewise.study.reading import label, options, read_qrels, read_run

if TYPE_CHECKING:
    from tiewise.study.config import Study


def pairs(study: Study, name: str, layout: Layout = RESULTS) -> None:
    """Compare every pair of models on a data set, in each regime; a study needs two of them."""
    qrels, frames = read_qrels(study, name, layout), []
    inputs: list[Path] = []
    for regime in study.regimes:
        paths = {model: layout.scores(name, model, regime) for model in study.models}
        inputs += paths.values()
        runs = {model: read_run(study, path) for model, path in paths.items()}
        compared = compare(qrels, runs, study.config.table_measures, **options(study))
        compared = compared.rename({"run_a": "model_a", "run_b": "model_b"})
        frames.append(label(compared, dataset=name, regime=regime))
    write_artifact(
        pl.concat(frames),
        layout.pairs(name),
        provenance=derived(study, inputs),
        kind="pairs",
    )
