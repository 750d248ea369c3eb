"""How steps read artifacts that several of them need in the same form."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tiewise.data.judgements import effective_qrels
from tiewise.data.normal import Dataset
from tiewise.data.texts import document_texts
from tiewise.store.artifacts import read_artifact

if TYPE_CHECKING:
    from tiewise.models.spec import ModelSpec
    from tiewise.study.config import Study

PAIR = ["query_id", "doc_id"]


def read_dataset(corpus: Path, queries: Path, qrels: Path) -> Dataset:
    """Read a data set's tables."""
    return Dataset(read_artifact(corpus), read_artifact(queries), read_artifact(qrels))


def read_run(study: Study, path: Path) -> pl.DataFrame:
    """Read scores as a run, in the type in which the study compares them."""
    run = as_run(read_artifact(path))
    if study.config.score_type == "float32":
        return run.with_columns(pl.col("score").cast(pl.Float32).cast(pl.Float64))
    return run


def read_reference(study: Study, scores: list[Path]) -> pl.DataFrame | None:
    """Read the scores in FP32 among those of all regimes; None where the study has no FP32."""
    paths = dict(zip(study.regimes, scores, strict=True))
    return read_run(study, paths["fp32"]) if "fp32" in paths else None


def as_run(scores: pl.DataFrame) -> pl.DataFrame:
    """Take scores as a run: what has no score, as its logits were not finite, ranks last.

    Examples
    --------
    >>> as_run(pl.DataFrame({"score": [0.5, float("nan")]}))["score"].to_list()
    [0.5, -inf]
    """
    return scores.with_columns(pl.col("score").fill_nan(-math.inf))


def with_ranks(run: pl.DataFrame, candidates: pl.DataFrame) -> pl.DataFrame:
    """Add the first stage's ranks to a run."""
    ranks = candidates.select(*PAIR, "rank")
    return run.join(ranks, on=PAIR, how="left", maintain_order="left", validate="1:1")


def read_qrels(study: Study, dataset: str, qrels: Path, candidates: Path) -> pl.DataFrame:
    """Read the judgements that the data set's protocol evaluates with."""
    spec = study.datasets[dataset]
    return effective_qrels(spec, read_artifact(qrels), read_artifact(candidates))


def options(study: Study) -> dict[str, Any]:
    """Say how the config judges a run: arguments of `tiewise.evaluate`, but for the measures."""
    config = study.config
    return {
        "policy": config.policies[0],
        "score_type": config.score_type,
        "empty": config.empty,
        "missing": config.missing,
    }


def read_texts(study: Study, dataset: str, corpus: Path) -> pl.DataFrame:
    """Read documents as models read them: doc_id, and title and text joined."""
    documents = read_artifact(corpus)
    text = document_texts(documents, study.datasets[dataset].text)
    return documents.select("doc_id", text=text)


def trained_at(spec: ModelSpec, weights: list[Path]) -> ModelSpec:
    """Say where a model that the study trains lies; others, without weights, know it themselves."""
    for path in weights:
        # Not checked again: the block names a recipe, and now also the folder that it made.
        source = spec.source.model_copy(update={"path": str(path.parent)})
        return spec.model_copy(update={"source": source})
    return spec


def label(frame: pl.DataFrame, **cell: str) -> pl.DataFrame:
    """Put the names of a cell before the columns of its rows.

    Examples
    --------
    >>> label(pl.DataFrame({"n": [1, 2]}), dataset="d", model="m").rows()
    [('d', 'm', 1), ('d', 'm', 2)]
    """
    return frame.select(*(pl.lit(value).alias(key) for key, value in cell.items()), pl.all())
