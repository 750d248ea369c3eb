"""The first stage: which documents of the corpus are ranked for a query."""

from __future__ import annotations

import logging
from importlib.metadata import version
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
from pydantic import BaseModel, ConfigDict, Field

from tiewise.data.normal import Dataset, TextJoin, document_texts

if TYPE_CHECKING:
    import numpy.typing as npt

    from tiewise.data.spec import DatasetSpec

log = logging.getLogger(__name__)


class Bm25Candidates(BaseModel):
    """BM25 over the whole corpus, by bm25s."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["bm25"] = Field(default="bm25", description="Which first stage this is.")
    k: int = Field(default=100, ge=1, description="Candidates a query.")
    method: Literal["lucene", "robertson", "atire"] = Field(
        default="lucene", description="Which BM25, by bm25s's name."
    )
    k1: float = Field(default=1.2, ge=0, description="Saturation of term frequency.")
    b: float = Field(default=0.75, ge=0, le=1, description="Normalisation by document length.")
    stopwords: Literal["en", "none"] = Field(
        default="en", description="Words left out: bm25s's 33 English ones, or none."
    )
    stemmer: Literal["english", "none"] = Field(
        default="english", description="Snowball stemmer, or none."
    )
    text: TextJoin = Field(
        default="strip", description="How title and text are joined before tokenising."
    )


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

    Notes
    -----
    Time grows with the postings of the query terms, plus the corpus once a query; memory holds one
    float32 a posting and one a document.
    """
    how = spec.candidates
    began = perf_counter()
    index = _Index(how, document_texts(dataset.corpus, how.text).to_list())
    indexed = perf_counter()
    k = min(how.k, len(dataset.corpus))
    found = [first_k(scores, k) for scores in index.score(dataset.queries["text"].to_list())]
    searched = perf_counter()
    places = np.array([places for places, _, _ in found], dtype=np.int64).reshape(-1)
    candidates = pl.DataFrame(
        {
            "query_id": dataset.queries["query_id"].gather(np.repeat(np.arange(len(found)), k)),
            "doc_id": dataset.corpus["doc_id"].gather(places),
            "rank": np.tile(np.arange(1, k + 1), len(found)),
            "bm25_score": np.array([s for _, s, _ in found], dtype=np.float64).reshape(-1),
        }
    )
    facts = {
        **how.model_dump(),
        "bm25s": version("bm25s"),
        "PyStemmer": version("PyStemmer"),
        **_count(candidates, dataset.qrels),
        "queries_with_a_tie_cut": sum(bool(cut and s[-1] > 0) for _, s, cut in found),
        "documents_cut_from_a_tie": sum(cut for _, s, cut in found if s[-1] > 0),
        "seconds": {"index": round(indexed - began, 3), "search": round(searched - indexed, 3)},
    }
    log.info("%s: %s", spec.name, facts)
    return candidates, facts


class _Index:
    """Scores of all documents for a query, from bm25s."""

    def __init__(self, how: Bm25Candidates, texts: list[str]) -> None:
        import bm25s

        self.how = how
        # backend="auto" would let any other installed library change the arithmetic.
        self.index = bm25s.BM25(method=how.method, k1=how.k1, b=how.b, backend="numpy")
        self.index.index(self._tokens(texts), show_progress=False)

    def score(self, queries: list[str]) -> list[npt.NDArray[np.float32]]:
        words = self._tokens(queries)
        names = {number: word for word, number in words.vocab.items()}
        ids = (self.index.get_tokens_ids([names[i] for i in query]) for query in words.ids)
        return [self.index.get_scores_from_ids(query) for query in ids]

    def _tokens(self, texts: list[str]) -> Any:
        import bm25s
        from Stemmer import Stemmer

        return bm25s.tokenize(
            texts,
            stopwords="en" if self.how.stopwords == "en" else [],
            stemmer=None if self.how.stemmer == "none" else Stemmer(self.how.stemmer),
            show_progress=False,
        )


def first_k(
    scores: npt.NDArray[np.float32], k: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float32], int]:
    """Take the k best places, equal scores by place, and count equals of the last left out.

    Parameters
    ----------
    scores : float array of shape (n_documents,)
        Scores of one query, in the corpus's order.
    k : int
        Places to take, at most n_documents.

    Returns
    -------
    places : int array of shape (k,)
        Best first.
    scores : float array of shape (k,)
        Their scores.
    n_cut : int
        Documents left out although they have the score of the last one taken.

    Examples
    --------
    >>> first_k(np.array([1, 3, 1, 2, 1], dtype=np.float32), 3)
    (array([1, 3, 0]), array([3., 2., 1.], dtype=float32), 2)
    """
    # bm25s's own top k is in no defined order among equal scores; only all scores tell who is tied.
    last = np.partition(scores, len(scores) - k)[len(scores) - k]
    above = np.flatnonzero(scores > last)
    equal = np.flatnonzero(scores == last)
    kept = np.concatenate([above, equal[: k - len(above)]])
    kept = kept[np.argsort(-scores[kept], kind="stable")]
    return kept, scores[kept], len(above) + len(equal) - k


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
