"""Samples that never depend on chance: rows are taken in the order of a hash.

A smaller sample is then part of a larger one, and rows that are added or removed elsewhere do not
change who else is in it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

import polars as pl

from tiewise.data.normal import Dataset, count
from tiewise.errors import InputError


def sample(
    dataset: Dataset, name: str, n_queries: int | None = None, n_documents: int | None = None
) -> Dataset:
    """Take a smaller data set: the first queries and documents by hash.

    Parameters
    ----------
    dataset : Dataset
        In the normal form.
    name : str
        The data set's name; begins every problem.
    n_queries : int, optional
        Queries to keep; all when None.
    n_documents : int, optional
        Documents to keep: all judged ones, then the first by SHA-256 of the id; all when None.

    Returns
    -------
    Dataset
        Rows in the same order as before; a smaller number gives a subset of a larger one.

    Raises
    ------
    InputError
        More queries or documents than there are, or fewer documents than are judged.
    """
    if n_queries is None and n_documents is None:
        return dataset
    taken = dataset
    if n_queries is not None:
        order = dataset.sampling or by_hash(dataset.queries["query_id"])
        _require(n_queries <= len(order), name, "n_queries", n_queries, f"has {len(order)} queries")
        asked = pl.col("query_id").is_in(order[:n_queries])
        taken = replace(taken, queries=taken.queries.filter(asked), qrels=taken.qrels.filter(asked))
    if n_documents is not None:
        taken = replace(taken, corpus=_documents(taken, name, n_documents))
    return replace(taken, facts={**taken.facts, "counts": count(taken)})


def _documents(dataset: Dataset, name: str, n: int) -> pl.DataFrame:
    ids = dataset.corpus["doc_id"]
    _require(n <= len(ids), name, "n_documents", n, f"has {len(ids)} documents")
    is_judged = ids.is_in(dataset.qrels["doc_id"].unique().to_list())
    judged = ids.filter(is_judged).to_list()
    _require(len(judged) <= n, name, "n_documents", n, f"has {len(judged)} judged documents")
    kept = judged + list(by_hash(ids.filter(~is_judged))[: n - len(judged)])
    return dataset.corpus.filter(pl.col("doc_id").is_in(kept))


def _require(holds: bool, name: str, key: str, value: int, but: str) -> None:
    if not holds:
        raise InputError(f"{name}: {key}: found {value}, but the data set {but}")


def by_hash(ids: Iterable[str]) -> Sequence[str]:
    """Order ids by their SHA-256.

    Examples
    --------
    >>> by_hash(["a", "b", "c"])
    ['c', 'b', 'a']
    """
    return sorted(ids, key=lambda i: hashlib.sha256(i.encode()).digest())


def plain_words(text: str) -> str:
    """Reduce a text to its lower-case ASCII words.

    Examples
    --------
    >>> plain_words("Korsakov's psychosis, NOS")
    'korsakov s psychosis nos'
    """
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


def text_hash(namespace: str, text: str) -> str:
    """Hash the words of a query's text; the smaller, the earlier a sample takes it.

    Parameters
    ----------
    namespace : str
        The rule of the sample, so that another rule gives another order.
    text : str
        The query.
    """
    return hashlib.sha256(f"{namespace}|{plain_words(text)}".encode()).hexdigest()


def query_id(namespace: str, text: str) -> str:
    """Name a query by its hash: in the order of the ids, queries are in the order of a sample.

    Examples
    --------
    >>> query_id("icd10cm-inclusion/v1", "Septic myocarditis")
    'q0016d7e19b'
    """
    return f"q{text_hash(namespace, text)[:10]}"
