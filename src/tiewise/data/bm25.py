"""BM25 in shards: the scores of bm25s, but of every document, and in bounded memory.

bm25s tokenises. Its index is not used, because a shard must be weighted by the statistics of the
whole corpus, and because its top k is in no defined order among equal scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from tiewise.data.texts import TextJoin

SHARD = 50_000
"""Documents a shard; results do not depend on it."""

EPSILON = 0.25
"""Okapi's idf of words in more than half of the documents, as a share of the mean idf."""

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.integer[Any]]


class Bm25Candidates(BaseModel):
    """BM25 over the whole corpus."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["bm25"] = Field(description="Which first stage this is.")
    k: int = Field(default=100, ge=1, description="Candidates a query.")
    method: Literal["lucene", "okapi"] = Field(
        default="lucene",
        description="Weights and precision: Lucene's as in bm25s (float32), or BM25Okapi of"
        " rank-bm25 (float64).",
    )
    k1: float = Field(default=1.2, ge=0, description="Saturation of term frequency.")
    b: float = Field(default=0.75, ge=0, le=1, description="Normalisation by document length.")
    tokens: Literal["words", "whitespace"] = Field(
        default="words",
        description="Lower-cased words of two or more characters, or what lies between blanks.",
    )
    stopwords: Literal["en", "none"] = Field(
        default="en", description="Words left out: bm25s's 33 English ones, or none."
    )
    stemmer: Literal["english", "none"] = Field(
        default="english", description="Snowball stemmer, or none."
    )
    text: TextJoin = Field(
        default="strip", description="How title and text are joined before tokenising."
    )


@dataclass(frozen=True)
class Found:
    """The best documents for one query.

    Attributes
    ----------
    places : int array of shape (k,)
        Places in the corpus, best first; equal scores by place.
    scores : float array of shape (k,)
        Their scores.
    n_cut : int
        Documents left out although they have the score of the last one taken.
    """

    places: Ints
    scores: Floats
    n_cut: int


class Bm25:
    """A corpus indexed in shards.

    Parameters
    ----------
    how : Bm25Candidates
        Weights and tokens.
    texts : iterable of str
        Documents, in the corpus's order; read once.
    shard : int, optional
        Documents a shard.

    Notes
    -----
    Memory: 8 bytes for each different word of a document (Okapi: 12), and one shard's tokens while
    it is read.
    """

    def __init__(self, how: Bm25Candidates, texts: Iterable[str], shard: int = SHARD) -> None:
        self._tokenizer = _tokenizer(how)
        tokens = _chunks(self._tokens(texts), shard)
        self._shards: list[_Postings] = [_Postings.count(ids) for ids in tokens]
        self.n_documents = sum(postings.n_documents for postings in self._shards)
        n_tokens = sum(int(postings.values.sum()) for postings in self._shards)
        frequencies = np.zeros(len(self._tokenizer.get_vocab_dict()), dtype=np.int64)
        for postings in self._shards:
            frequencies[: len(postings.starts) - 1] += np.diff(postings.starts)
        idf = _IDF[how.method](frequencies, self.n_documents)
        mean_length = max(n_tokens, 1) / self.n_documents
        for i, postings in enumerate(self._shards):  # one at a time: counts make room for weights
            self._shards[i] = postings.weighted(how, idf, mean_length)

    def search(self, queries: Sequence[str], k: int) -> list[Found]:
        """Find the k best documents of every query.

        Parameters
        ----------
        queries : sequence of str
            Texts.
        k : int
            Documents a query; fewer where the corpus is smaller.

        Returns
        -------
        list of Found
            One a query.
        """
        asked = self._tokens(queries, learn=False)
        return [first_k(self._scores(words), k) for words in asked]

    def _scores(self, words: list[int]) -> Floats:
        return np.concatenate([postings.scores(words) for postings in self._shards])

    def _tokens(self, texts: Iterable[str], learn: bool = True) -> Iterator[list[int]]:
        return self._tokenizer.streaming_tokenize(  # type: ignore[no-any-return]
            texts, update_vocab=learn, allow_empty=False
        )


@dataclass(frozen=True)
class _Postings:
    """Which documents of a shard have a word, and how often or with which weight, word by word."""

    n_documents: int
    starts: Ints  # (n_words + 1,): where a word's postings begin
    documents: Ints  # (n_postings,): places in the shard, ascending within a word
    values: npt.NDArray[Any]  # (n_postings,): how often, later what it adds to a score

    @classmethod
    def count(cls, tokens: list[npt.NDArray[np.int32]]) -> _Postings:
        lengths = [len(ids) for ids in tokens]
        words = np.concatenate(tokens).astype(np.int64)
        pairs = words * len(tokens) + np.repeat(np.arange(len(tokens)), lengths)
        pairs, frequencies = np.unique(pairs, return_counts=True)
        words, documents = np.divmod(pairs, len(tokens))
        starts = np.zeros(words[-1] + 2 if len(words) else 1, dtype=np.int64)
        np.cumsum(np.bincount(words), out=starts[1:])
        return cls(len(tokens), starts, documents.astype(np.int32), frequencies.astype(np.int32))

    def weighted(self, how: Bm25Candidates, idf: Floats, mean_length: float) -> _Postings:
        tf = self.values.astype(np.float64)
        lengths = np.bincount(self.documents, weights=tf, minlength=self.n_documents)
        norm = how.k1 * ((1 - how.b) + how.b * lengths / mean_length)
        words = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        weights = idf[words] * (tf / (norm[self.documents] + tf))
        if how.method == "okapi":
            weights *= how.k1 + 1
        return replace(self, values=weights.astype(idf.dtype))

    def scores(self, words: list[int]) -> Floats:
        """Score all documents of the shard; a word that a query repeats counts again."""
        scores = np.zeros(self.n_documents, dtype=self.values.dtype)
        for word in words:
            if word < len(self.starts) - 1:
                of_word = slice(self.starts[word], self.starts[word + 1])
                scores[self.documents[of_word]] += self.values[of_word]
        return scores


def first_k(scores: Floats, k: int) -> Found:
    """Take the k best places, equal scores by place, and count equals of the last left out.

    Parameters
    ----------
    scores : float array of shape (n_documents,)
        Scores of one query, in the corpus's order.
    k : int
        Places to take; all when there are fewer.

    Returns
    -------
    Found
        O(n_documents + k log k).

    Examples
    --------
    >>> best = first_k(np.array([1.0, 3.0, 1.0, 2.0, 1.0]), 3)
    >>> best.places.tolist(), best.n_cut
    ([1, 3, 0], 2)
    """
    k = min(k, len(scores))
    last = np.partition(scores, len(scores) - k)[len(scores) - k]
    above = np.flatnonzero(scores > last)
    equal = np.flatnonzero(scores == last)
    kept = np.concatenate([above, equal[: k - len(above)]])
    kept = kept[np.argsort(-scores[kept], kind="stable")]
    return Found(kept, scores[kept], len(above) + len(equal) - k)


def _chunks(tokens: Iterator[list[int]], size: int) -> Iterator[list[npt.NDArray[np.int32]]]:
    arrays = (np.array(ids, dtype=np.int32) for ids in tokens)
    while chunk := list(islice(arrays, size)):
        yield chunk


def _tokenizer(how: Bm25Candidates) -> Any:
    from bm25s.tokenization import Tokenizer
    from Stemmer import Stemmer

    words = how.tokens == "words"
    return Tokenizer(
        lower=words,
        splitter=r"(?u)\b\w\w+\b" if words else str.split,
        stopwords="en" if how.stopwords == "en" else [],
        stemmer=None if how.stemmer == "none" else Stemmer(how.stemmer),
    )


def _idf_lucene(frequencies: Ints, n: int) -> Floats:
    idf: Floats = np.log(1 + (n - frequencies + 0.5) / (frequencies + 0.5))
    return idf.astype(np.float32)


def _idf_okapi(frequencies: Ints, n: int) -> Floats:
    """Okapi's idf; where it is negative, a share of the mean over all words, as rank-bm25 does."""
    idf: Floats = np.log(n - frequencies + 0.5) - np.log(frequencies + 0.5)
    idf[idf < 0] = EPSILON * idf.mean() if len(idf) else 0.0
    return idf


_IDF: dict[str, Callable[[Ints, int], Floats]] = {"lucene": _idf_lucene, "okapi": _idf_okapi}
