"""The first stage: which documents of the corpus are ranked for a query."""

from __future__ import annotations

import logging
from importlib.metadata import version
from time import perf_counter
from typing import Any

import numpy as np
import polars as pl

from tiewise.data.bm25 import Bm25, Bm25Candidates, Found
from tiewise.data.given import GivenCandidates, given_candidates
from tiewise.data.normal import Dataset
from tiewise.data.spec import DatasetSpec
from tiewise.data.texts import document_texts

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
        Columns query_id, doc_id, rank (from 1), and bm25_score where BM25 found them. Queries in
        their own order; within one, the first stage's order. BM25: score descending and equal
        scores by the documents' order in the corpus, whatever the machine; documents with score 0
        fill short lists.
    facts : dict
        JSON-ready: parameters, counts, recall (mean over queries of the share of relevant documents
        that are candidates), and for BM25 the share of candidates in a tie, documents left out
        although they share the last candidate's score (unless that is 0), seconds.

    Raises
    ------
    InputError
        The source lists no candidates although the block says so, or lists one twice.
    """
    how = spec.candidates
    if isinstance(how, GivenCandidates):
        listed = spec.source.read_candidates()
        candidates, facts = given_candidates(how, listed, dataset, spec.name)
    else:
        candidates, facts = _bm25_candidates(how, dataset)
    if spec.ignore_identical_ids:
        # MTEB leaves a query's own document out after the search, so a list may be one shorter.
        others = candidates.filter(pl.col("query_id") != pl.col("doc_id"))
        facts["identical_ids_ignored"] = len(candidates) - len(others)
        renumbered = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("query_id")
        candidates = others.with_columns(renumbered.alias("rank"))
    facts |= {"candidates": len(candidates), "recall": _recall(candidates, dataset.qrels)}
    log.info("%s: %s", spec.name, facts)
    return candidates, facts


def _bm25_candidates(how: Bm25Candidates, dataset: Dataset) -> tuple[pl.DataFrame, dict[str, Any]]:
    began = perf_counter()
    texts = (t for rows in dataset.corpus.iter_slices() for t in document_texts(rows, how.text))
    index = Bm25(how, texts)
    indexed = perf_counter()
    found = index.search(dataset.queries["text"].to_list(), how.k)
    searched = perf_counter()
    candidates = _frame(dataset, found)
    tied = candidates.select(pl.struct("query_id", "bm25_score").is_duplicated()).to_series()
    cut = [f.n_cut for f in found if f.scores[-1] > 0]
    return candidates, {
        **how.model_dump(),
        "bm25s": version("bm25s"),
        "PyStemmer": version("PyStemmer"),
        "share_tied": tied.mean(),
        "candidates_with_score_0": candidates.filter(pl.col("bm25_score") == 0).height,
        "queries_with_a_tie_cut": sum(n > 0 for n in cut),
        "documents_cut_from_a_tie": sum(cut),
        "seconds": {"index": round(indexed - began, 3), "search": round(searched - indexed, 3)},
    }


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


def _recall(candidates: pl.DataFrame, qrels: pl.DataFrame) -> float | None:
    relevant = qrels.filter(pl.col("grade") > 0)
    found = relevant.join(candidates, on=["query_id", "doc_id"], how="semi")
    shares = (
        relevant.group_by("query_id")
        .len("relevant")
        .join(found.group_by("query_id").len("found"), on="query_id", how="left")
        .select(pl.col("found").fill_null(0) / pl.col("relevant"))
        .to_series()
        .sort()  # a mean must not depend on the order of groups
    )
    return float(shares.mean()) if len(shares) else None  # type: ignore[arg-type]
