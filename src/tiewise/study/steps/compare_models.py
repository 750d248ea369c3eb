"""Every pair of models on a data set: which orders ties leave open, and which the queries do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from tiewise.judging.compare import compare
from tiewise.store.artifacts import Kind, write_artifact
from tiewise.study.provenance import derived
from tiewise.study.reading import label, options, read_qrels, read_run

if TYPE_CHECKING:
    from tiewise.study.config import Study


KIND = Kind(
    "pairs",
    {
        "dataset": pl.String,
        "regime": pl.String,
        "measure": pl.String,
        "model_a": pl.String,
        "model_b": pl.String,
        "delta": pl.Float64,
        "delta_min": pl.Float64,
        "delta_max": pl.Float64,
        "delta_sd": pl.Float64,
        "delta_oblivious": pl.Float64,
        "certain": pl.Boolean,
        "p_greater": pl.Float64,
        "p_value": pl.Float64,
        "p_holm": pl.Float64,
        "ci_low": pl.Float64,
        "ci_high": pl.Float64,
        "policy": pl.String,
        "n_queries": pl.Int64,
    },
)


def compare_models(
    study: Study, *, dataset: str, qrels: Path, candidates: Path, scores: list[Path], pairs: Path
) -> None:
    """Compare every pair of models on a data set, in each regime; a study needs two of them."""
    judgements, frames = read_qrels(study, dataset, qrels, candidates), []
    cells = [(regime, model) for regime in study.regimes for model in study.models]
    paths = dict(zip(cells, scores, strict=True))
    for regime in study.regimes:
        runs = {model: read_run(study, paths[regime, model]) for model in study.models}
        compared = compare(judgements, runs, study.config.table_measures, **options(study))
        compared = compared.rename({"run_a": "model_a", "run_b": "model_b"})
        frames.append(label(compared, dataset=dataset, regime=regime))
    note = derived(study, scores)
    write_artifact(pl.concat(frames), pairs, provenance=note, kind=KIND)
