"""The normal form of a data set: corpus, queries and qrels with string ids, checked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import polars as pl

from tiewise.errors import InputError, some
from tiewise.io.artifacts import SCHEMAS

TextJoin = Literal["strip", "plain", "newline"]


@dataclass(frozen=True)
class Dataset:
    """Tables of a data set.

    Attributes
    ----------
    corpus : polars.DataFrame
        Columns doc_id, title, text; a row's place is the document's input order in the corpus.
    queries : polars.DataFrame
        Columns query_id, text.
    qrels : polars.DataFrame
        Columns query_id, doc_id, grade (float64; above 0 is relevant).
    facts : dict
        JSON-ready: where the rows come from and a count of everything left out.
    sampling : tuple of str, optional
        Query ids in the order in which a smaller sample takes them; by hash of the id when None.
    """

    corpus: pl.DataFrame
    queries: pl.DataFrame
    qrels: pl.DataFrame
    facts: dict[str, Any] = field(default_factory=dict)
    sampling: tuple[str, ...] | None = None


def normalise(dataset: Dataset, name: str) -> Dataset:
    """Check a data set as read and bring it into the normal form.

    Parameters
    ----------
    dataset : Dataset
        As its source gave it.
    name : str
        The data set's name; begins every problem.

    Returns
    -------
    Dataset
        Ids unique and strings; queries are those with judgements; `facts["left_out"]` and
        `facts["counts"]` say what was dropped and what remains.

    Raises
    ------
    InputError
        Rows that make the data set ambiguous, all kinds at once with examples of ids: missing
        columns, repeated ids, a pair judged twice with different grades.

    Examples
    --------
    >>> corpus = pl.DataFrame({"doc_id": ["d1", "d1"], "title": ["", ""], "text": ["a", "b"]})
    >>> queries = pl.DataFrame({"query_id": ["q1"], "text": ["a"]})
    >>> qrels = pl.DataFrame({"query_id": ["q1"], "doc_id": ["d1"], "grade": [1.0]})
    >>> normalise(Dataset(corpus, queries, qrels), "mine")
    Traceback (most recent call last):
        ...
    tiewise.errors.InputError: mine: corpus: doc_id repeated, 1: 'd1'
    """
    problems = [
        *_repeated(dataset.corpus, ["doc_id"], f"{name}: corpus"),
        *_repeated(dataset.queries, ["query_id"], f"{name}: queries"),
        *_repeated(dataset.qrels.unique(), ["query_id", "doc_id"], f"{name}: qrels"),
    ]
    if problems:
        raise InputError(problems)
    qrels = dataset.qrels.unique(maintain_order=True)
    judged = qrels.join(dataset.queries, on="query_id", how="semi", maintain_order="left")
    asked = dataset.queries.join(judged, on="query_id", how="semi", maintain_order="left")
    left_out = {
        "queries_without_judgements": len(dataset.queries) - len(asked),
        "judgements_repeated": len(dataset.qrels) - len(qrels),
        "judgements_of_unknown_queries": len(qrels) - len(judged),
    }
    facts = {**dataset.facts, "left_out": left_out}
    done = replace(dataset, queries=asked, qrels=judged, facts=facts)
    return replace(done, facts={**facts, "counts": count(done)})


def _repeated(frame: pl.DataFrame, key: list[str], where: str) -> Iterable[str]:
    twice = frame.filter(pl.struct(key).is_duplicated()).select(key).unique(maintain_order=True)
    if len(twice):
        ids = (row[0] if len(row) == 1 else row for row in twice.iter_rows())
        yield f"{where}: {' and '.join(key)} repeated, {some(ids, len(twice))}"


def count(dataset: Dataset) -> dict[str, Any]:
    """Count the rows of a data set and what is odd about them, JSON-ready."""
    corpus, qrels = dataset.corpus, dataset.qrels
    empty = (pl.col("title") + pl.col("text")).str.strip_chars() == ""
    relevant = qrels.filter(pl.col("grade") > 0)
    grades = qrels["grade"].value_counts().sort("grade").iter_rows()
    return {
        "documents": len(corpus),
        "queries": len(dataset.queries),
        "qrels": len(qrels),
        "qrels_by_grade": {f"{grade:g}": rows for grade, rows in grades},
        "queries_without_relevant": len(dataset.queries) - relevant["query_id"].n_unique(),
        "empty_documents": corpus.filter(empty).height,
        "empty_queries": dataset.queries.filter(pl.col("text").str.strip_chars() == "").height,
        "judgements_of_unknown_documents": qrels.join(corpus, on="doc_id", how="anti").height,
    }


def sample(
    dataset: Dataset, name: str, n_queries: int | None = None, n_documents: int | None = None
) -> Dataset:
    """Take a smaller data set that never depends on chance: the first by hash.

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
    taken = dataset
    if n_queries is not None:
        order = dataset.sampling or by_hash(dataset.queries["query_id"])
        _require(n_queries <= len(order), name, "n_queries", n_queries, f"has {len(order)} queries")
        ids = order[:n_queries]
        taken = replace(
            taken,
            queries=taken.queries.filter(pl.col("query_id").is_in(ids)),
            qrels=taken.qrels.filter(pl.col("query_id").is_in(ids)),
        )
    if n_documents is not None:
        total = len(dataset.corpus)
        _require(n_documents <= total, name, "n_documents", n_documents, f"has {total} documents")
        judged = pl.col("doc_id").is_in(taken.qrels["doc_id"].unique().to_list())
        keep = taken.corpus.filter(judged)["doc_id"].to_list()
        enough = len(keep) <= n_documents
        _require(enough, name, "n_documents", n_documents, f"has {len(keep)} judged documents")
        rest = by_hash(taken.corpus.filter(~judged)["doc_id"])
        keep += rest[: n_documents - len(keep)]
        taken = replace(taken, corpus=taken.corpus.filter(pl.col("doc_id").is_in(keep)))
    return replace(taken, facts={**taken.facts, "counts": count(taken)})


def _require(holds: bool, name: str, key: str, value: int, but: str) -> None:
    if not holds:
        raise InputError(f"{name}: {key}: found {value}, but the data set {but}")


def by_hash(ids: Iterable[str]) -> Sequence[str]:
    """Order ids by their SHA-256, which no change of the other ids can alter.

    Examples
    --------
    >>> by_hash(["a", "b", "c"])
    ['c', 'b', 'a']
    """
    return sorted(ids, key=lambda i: hashlib.sha256(i.encode()).digest())


def document_texts(corpus: pl.DataFrame, join: TextJoin = "strip") -> pl.Series:
    """Join title and text into what a model reads.

    Parameters
    ----------
    corpus : polars.DataFrame
        Columns title, text.
    join : {"strip", "plain", "newline"}
        ``strip``: title, blank, text without blanks around, or the text alone where there is no
        title (MTEB 2). ``plain``: title, blank, text as they are (MTEB 1). ``newline``: title, line
        break, text as they are (MTEB's BM25).

    Returns
    -------
    polars.Series
        String, one a document, in the corpus's order.

    Examples
    --------
    >>> corpus = pl.DataFrame({"title": ["", "Lung"], "text": ["Cough ", "Air"]})
    >>> document_texts(corpus).to_list()
    ['Cough', 'Lung Air']
    """
    between = "\n" if join == "newline" else " "
    joined = pl.concat_str("title", "text", separator=between)
    if join == "strip":
        whole = pl.when(pl.col("title") == "").then("text").otherwise(joined)
        joined = whole.str.strip_chars()
    return corpus.select(joined.alias("text")).to_series()


def tables(
    corpus: Iterable[tuple[str, str, str]],
    queries: Iterable[tuple[str, str]],
    qrels: Iterable[tuple[str, str, float]],
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Make the three frames of a data set from rows."""

    def frame(kind: str, rows: Iterable[tuple[Any, ...]]) -> pl.DataFrame:
        return pl.DataFrame(list(rows), schema=dict(SCHEMAS[kind]), orient="row")

    return frame("corpus", corpus), frame("queries", queries), frame("qrels", qrels)
