"""The first stage: which documents of the corpus are ranked for a query."""

from __future__ import annotations

import logging
from importlib.metadata import version
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tiewise.data.bm25 import Bm25, Found
from tiewise.data.normal import Dataset, document_texts

if TYPE_CHECKING:
    from tiewise.data.spec import DatasetSpec

log = logging.getLogger(__name__)


def build_candidates(spec: DatasetSpec, dataset: Dataset) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Find the candidates of every query.

    Parameters
    ----------
    spec : DatasetSpec
        The block; its `candidates` say how.
    dataset : Dataset
        In the normal form.

    Returns
    -------
    candidates : polars.DataFrame
        Columns query_id, doc_id, rank (from 1), bm25_score. Queries in their own order; within
        one, score descending and equal scores by the documents' order in the corpus, whatever
        the machine. Documents with score 0 fill short lists.
    facts : dict
        JSON-ready: parameters, counts, recall (mean over queries of the share of relevant documents
        that are candidates), share of candidates in a tie, documents left out although they share
        the last candidate's score (unless that is 0), seconds.

    """
    how = spec.candidates
    began = perf_counter()
    index = Bm25(how, document_texts(dataset.corpus, how.text))
    indexed = perf_counter()
    found = index.search(dataset.queries["text"].to_list(), how.k)
    searched = perf_counter()
    candidates = _frame(dataset, found)
    facts = {
        **how.model_dump(),
        "bm25s": version("bm25s"),
        "PyStemmer": version("PyStemmer"),
        **_count(candidates, dataset.qrels),
        "queries_with_a_tie_cut": sum(bool(f.n_cut and f.scores[-1] > 0) for f in found),
        "documents_cut_from_a_tie": sum(f.n_cut for f in found if f.scores[-1] > 0),
        "seconds": {"index": round(indexed - began, 3), "search": round(searched - indexed, 3)},
    }
    log.info("%s: %s", spec.name, facts)
    return candidates, facts


def _frame(dataset: Dataset, found: list[Found]) -> pl.DataFrame:
    sizes = [len(f.places) for f in found]
    return pl.DataFrame(
        {
            "query_id": dataset.queries["query_id"].gather(np.repeat(np.arange(len(found)), sizes)),
            "doc_id": dataset.corpus["doc_id"].gather(np.concatenate([f.places for f in found])),
            "rank": np.concatenate([np.arange(1, size + 1) for size in sizes]),
            "bm25_score": np.concatenate([f.scores for f in found]).astype(np.float64),
        }
    )


def _count(candidates: pl.DataFrame, qrels: pl.DataFrame) -> dict[str, Any]:
    relevant = qrels.filter(pl.col("grade") > 0)
    found = relevant.join(candidates, on=["query_id", "doc_id"], how="semi")
    recall = (
        relevant.group_by("query_id")
        .len("relevant")
        .join(found.group_by("query_id").len("found"), on="query_id", how="left")
        .select(pl.col("found").fill_null(0) / pl.col("relevant"))
        .to_series()
        .sort()  # a mean must not depend on the order of groups
    )
    tied = candidates.select(pl.struct("query_id", "bm25_score").is_duplicated()).to_series()
    return {
        "candidates": len(candidates),
        "recall": recall.mean(),
        "share_tied": tied.mean(),
        "candidates_with_score_0": candidates.filter(pl.col("bm25_score") == 0).height,
    }
