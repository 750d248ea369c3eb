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
from tiewise.study.layout import Layout

if TYPE_CHECKING:
    from tiewise.study.config import Study

PAIR = ["query_id", "doc_id"]
DATA_TABLES = ("corpus", "queries", "qrels")


def read_dataset(name: str, layout: Layout) -> Dataset:
    """Read a data set's tables."""
    corpus, queries, qrels = (read_artifact(layout.data(name, table)) for table in DATA_TABLES)
    return Dataset(corpus, queries, qrels)


def read_run(study: Study, path: Path) -> pl.DataFrame:
    """Read scores as a run, in the type in which the study compares them."""
    run = as_run(read_artifact(path))
    if study.config.score_type == "float32":
        return run.with_columns(pl.col("score").cast(pl.Float32).cast(pl.Float64))
    return run


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


def read_qrels(study: Study, dataset: str, layout: Layout) -> pl.DataFrame:
    """Read the judgements that the data set's protocol evaluates with."""
    qrels, candidates = (read_artifact(layout.data(dataset, t)) for t in ("qrels", "candidates"))
    return effective_qrels(study.datasets[dataset], qrels, candidates)


def options(study: Study) -> dict[str, Any]:
    """Say how the config judges a run: arguments of `tiewise.evaluate`, but for the measures."""
    config = study.config
    return {
        "policy": config.policies[0],
        "score_type": config.score_type,
        "empty": config.empty,
        "missing": config.missing,
    }


def read_texts(study: Study, dataset: str, layout: Layout) -> pl.DataFrame:
    """Read documents as models read them: doc_id, and title and text joined."""
    corpus = read_artifact(layout.data(dataset, "corpus"))
    return corpus.select("doc_id", text=document_texts(corpus, study.datasets[dataset].text))


def label(frame: pl.DataFrame, **cell: str) -> pl.DataFrame:
    """Put the names of a cell before the columns of its rows.

    Examples
    --------
    >>> label(pl.DataFrame({"n": [1, 2]}), dataset="d", model="m").rows()
    [('d', 'm', 1), ('d', 'm', 2)]
    """
    return frame.select(*(pl.lit(value).alias(key) for key, value in cell.items()), pl.all())
