"""BM25 scores: bm25s's and rank-bm25's, independent of shards and of what else is asked."""

from __future__ import annotations

import math

import bm25s
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from Stemmer import Stemmer

from tiewise.data.bm25 import Bm25, Bm25Candidates, first_k

LUCENE = Bm25Candidates(kind="bm25", k1=1.5)
OKAPI = Bm25Candidates(
    kind="bm25", method="okapi", tokens="whitespace", stopwords="none", stemmer="none"
)
TEXTS = [
    "Lung cancer of the left lung.",
    "",
    "Cancer cells and cells",
    "the the the",
    "cells of the Heart; cells of the lung",
    "Lung cancer of the left lung.",
    "heart failure, failing hearts",
]
QUERIES = ["lung cancer", "failing cells cells", "the", "unheard of", "", "Heart of the lung."]

texts = st.lists(
    st.lists(
        st.sampled_from(["lung", "heart", "cells", "the", "of", "failing", "x"]), max_size=9
    ).map(" ".join),
    min_size=1,
    max_size=30,
)


def all_scores(index: Bm25, query: str) -> npt.NDArray[np.floating]:
    (found,) = index.search([query], index.n_documents)
    scores = np.empty(index.n_documents, dtype=found.scores.dtype)
    scores[found.places] = found.scores
    return scores


@pytest.mark.parametrize("query", QUERIES)
def test_lucene_scores_equal_those_of_bm25s_bit_for_bit(query: str) -> None:
    def tokens(texts: list[str]) -> list[list[str]]:
        return bm25s.tokenize(
            texts,
            stopwords="en",
            stemmer=Stemmer("english"),
            return_ids=False,
            show_progress=False,
        )

    reference = bm25s.BM25(method="lucene", k1=1.5, b=0.75, backend="numpy")
    reference.index(tokens(TEXTS), show_progress=False)
    known = reference.get_tokens_ids(tokens([query])[0])
    wanted = reference.get_scores_from_ids(known)
    scores = all_scores(Bm25(LUCENE, TEXTS, shard=2), query)
    assert scores.dtype == np.float32
    assert scores.tolist() == wanted.tolist()


def okapi_reference(corpus: list[list[str]], query: list[str], k1: float, b: float) -> list[float]:
    """BM25Okapi of rank-bm25, word by word as its definition reads."""
    n, mean = len(corpus), sum(map(len, corpus)) / len(corpus)
    df = {word: sum(word in text for text in corpus) for text in corpus for word in text}
    idf = {word: math.log(n - d + 0.5) - math.log(d + 0.5) for word, d in df.items()}
    floor = 0.25 * sum(idf.values()) / len(idf)
    return [
        sum(
            (idf[w] if idf[w] >= 0 else floor)
            * (text.count(w) * (k1 + 1) / (text.count(w) + k1 * (1 - b + b * len(text) / mean)))
            for w in query
            if w in idf
        )
        for text in corpus
    ]


@pytest.mark.parametrize("query", QUERIES)
def test_okapi_scores_follow_the_definition(query: str) -> None:
    wanted = okapi_reference([t.split() for t in TEXTS], query.split(), k1=OKAPI.k1, b=OKAPI.b)
    scores = all_scores(Bm25(OKAPI, TEXTS), query)
    assert scores.dtype == np.float64
    assert scores.tolist() == pytest.approx(wanted, rel=1e-12, abs=1e-12)


@given(texts=texts, shard=st.integers(1, 31), k=st.integers(1, 31))
def test_results_do_not_depend_on_the_shard_size(texts: list[str], shard: int, k: int) -> None:
    for how in (LUCENE, OKAPI):
        whole = Bm25(how, texts).search(QUERIES, k)
        parts = Bm25(how, texts, shard=shard).search(QUERIES, k)
        for a, b in zip(whole, parts, strict=True):
            assert a.places.tolist() == b.places.tolist()
            assert a.scores.tolist() == b.scores.tolist()
            assert a.n_cut == b.n_cut


@given(texts=texts)
def test_results_do_not_depend_on_other_queries(texts: list[str]) -> None:
    index = Bm25(LUCENE, texts)
    together = index.search(QUERIES, 5)
    alone = [index.search([query], 5)[0] for query in reversed(QUERIES)][::-1]
    for a, b in zip(together, alone, strict=True):
        assert a.places.tolist() == b.places.tolist()


@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=40).flatmap(
        lambda scores: st.tuples(st.just(scores), st.integers(1, len(scores)))
    )
)
def test_first_k_is_a_stable_sort_cut_at_k(case: tuple[list[int], int]) -> None:
    scores, k = np.array(case[0], dtype=np.float32), case[1]
    best = first_k(scores, k)
    wanted = np.argsort(-scores, kind="stable")
    assert best.places.tolist() == wanted[:k].tolist()
    assert best.scores.tolist() == scores[wanted[:k]].tolist()
    assert best.n_cut == (scores[wanted[k:]] == best.scores[-1]).sum()


def test_documents_without_words_have_score_0() -> None:
    for how in (LUCENE, OKAPI):
        assert all_scores(Bm25(how, ["", "  "]), "lung").tolist() == [0.0, 0.0]
