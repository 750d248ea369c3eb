"""The normal form of a data set: corpus, queries and qrels with string ids, checked."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import polars as pl

from tiewise.errors import InputError, Problems, some
from tiewise.store.artifacts import Kind

KINDS = {
    "corpus": Kind("corpus", {"doc_id": pl.String, "title": pl.String, "text": pl.String}),
    "queries": Kind("queries", {"query_id": pl.String, "text": pl.String}),
    "qrels": Kind("qrels", {"query_id": pl.String, "doc_id": pl.String, "grade": pl.Float64}),
}
"""Tables of a data set."""
IDS = {
    "corpus": ["doc_id"],
    "queries": ["query_id"],
    "qrels": ["query_id", "doc_id"],
}
"""Columns that name a row of each table."""


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


def normalise(
    dataset: Dataset,
    name: str,
    *,
    queries: Literal["judged", "relevant"] = "judged",
    relevant_grades: Collection[float] | None = None,
) -> Dataset:
    """Check a data set as read and bring it into the normal form.

    Parameters
    ----------
    dataset : Dataset
        As its source gave it.
    name : str
        The data set's name; begins every problem.
    queries : {"judged", "relevant"}
        Queries to keep: those with a judgement, or those with a relevant document.
    relevant_grades : collection of float, optional
        Grades that count as relevant: they stay, every other becomes 0. All above 0 when None.

    Returns
    -------
    Dataset
        Ids unique and strings, texts not null; `facts["left_out"]` and `facts["counts"]` say what
        was dropped or changed and what remains.

    Raises
    ------
    InputError
        Rows that make the data set ambiguous, all kinds at once with examples of ids: ids that are
        missing, repeated or of another type, a pair judged twice with different grades, no rows.

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
    problems = Problems()
    frames = {table: _typed(dataset, table, name, problems) for table in IDS}
    problems.stop()
    judged, left_out = _judged(frames["queries"], frames["qrels"], relevant_grades)
    of = judged.filter(pl.col("grade") > 0) if queries == "relevant" else judged
    asked = frames["queries"].join(of, on="query_id", how="semi", maintain_order="left")
    what = "judgements" if queries == "judged" else "relevant_documents"
    left_out[f"queries_without_{what}"] = len(frames["queries"]) - len(asked)
    if asked.is_empty():
        raise InputError(f"{name}: no query of the queries table has {what.replace('_', ' ')}")
    done = replace(
        dataset,
        corpus=frames["corpus"],
        queries=asked,
        qrels=judged.join(asked, on="query_id", how="semi", maintain_order="left"),
        facts={**dataset.facts, "left_out": left_out},
    )
    return replace(done, facts={**done.facts, "counts": count(done)})


def _typed(dataset: Dataset, table: str, name: str, problems: list[str]) -> pl.DataFrame:
    """Give a table the columns and types of its schema, or say why it cannot have them."""
    frame: pl.DataFrame = getattr(dataset, table)
    where = f"{name}: {table}"
    if frame.is_empty():
        problems.append(f"{where}: no rows")
        return frame
    found = [
        *_wrong_ids(frame, IDS[table], where),
        *_wrong_texts(frame, where),
        *_wrong_grades(frame, where),
    ]
    if not found:
        # Integers lose nothing as strings; a file that has leading zeros has them in strings.
        frame = frame.with_columns(pl.col(IDS[table]).cast(pl.String))
        once = frame.unique(maintain_order=True) if table == "qrels" else frame
        found = [*_repeated(once, IDS[table], where)]
    if found:
        problems.extend(found)
        return frame
    columns = KINDS[table].columns
    if "title" in columns and "title" not in frame.columns:
        frame = frame.with_columns(title=pl.lit(""))
    texts = pl.col("^(title|text)$").cast(pl.String).fill_null("")
    grades = pl.col("^grade$").cast(pl.Float64)
    return frame.with_columns(texts, grades).select(*columns)


def _wrong_ids(frame: pl.DataFrame, ids: list[str], where: str) -> Iterable[str]:
    for column in ids:
        dtype, rows = frame.schema[column], frame[column].is_null().arg_true()
        if dtype != pl.String and not dtype.is_integer():
            examples = some(frame[column].head(3).to_list(), len(frame))
            yield f"{where}: {column} must be strings, found {dtype}, {examples}"
        elif len(rows):
            yield f"{where}: {column} missing in rows, {some(rows.head(10), len(rows))}"


def _wrong_texts(frame: pl.DataFrame, where: str) -> Iterable[str]:
    for column in ("title", "text"):
        dtype = frame.schema.get(column, pl.String)
        if dtype not in (pl.String, pl.Null):
            yield f"{where}: {column} must be text, found {dtype}"


def _wrong_grades(frame: pl.DataFrame, where: str) -> Iterable[str]:
    if "grade" in frame.columns:
        grades = frame["grade"]
        if not grades.dtype.is_numeric():
            yield f"{where}: grade must be a number, found {grades.dtype}, {some(grades.head(3))}"
            return
        rows = (~grades.cast(pl.Float64).is_finite().fill_null(value=False)).arg_true()
        if len(rows):
            yield f"{where}: grade missing or not finite in rows, {some(rows.head(10), len(rows))}"


def _repeated(frame: pl.DataFrame, key: list[str], where: str) -> Iterable[str]:
    twice = frame.filter(pl.struct(key).is_duplicated()).select(key).unique(maintain_order=True)
    if len(twice):
        ids = (row[0] if len(row) == 1 else row for row in twice.iter_rows())
        yield f"{where}: {' and '.join(key)} repeated, {some(ids, len(twice))}"


def _judged(
    queries: pl.DataFrame, qrels: pl.DataFrame, relevant_grades: Collection[float] | None
) -> tuple[pl.DataFrame, dict[str, int]]:
    once = qrels.unique(maintain_order=True)
    judged = once.join(queries, on="query_id", how="semi", maintain_order="left")
    left_out = {
        "judgements_repeated": len(qrels) - len(once),
        "judgements_of_unknown_queries": len(once) - len(judged),
    }
    if relevant_grades is not None:
        other = (pl.col("grade") > 0) & ~pl.col("grade").is_in(list(relevant_grades))
        left_out["grades_taken_as_0"] = judged.filter(other).height
        judged = judged.with_columns(pl.when(other).then(0.0).otherwise("grade").alias("grade"))
    return judged, left_out


def count(dataset: Dataset) -> dict[str, Any]:
    """Count the rows of a data set and what is odd about them, JSON-ready."""
    qrels = dataset.qrels
    relevant = qrels.filter(pl.col("grade") > 0)
    grades = qrels["grade"].value_counts().sort("grade").iter_rows()
    return {
        "documents": len(dataset.corpus),
        "queries": len(dataset.queries),
        "qrels": len(qrels),
        "relevant": len(relevant),
        "qrels_by_grade": {f"{grade:g}": rows for grade, rows in grades},
        "queries_without_relevant": len(dataset.queries) - relevant["query_id"].n_unique(),
        "empty_documents": dataset.corpus.filter(_blank("title") & _blank("text")).height,
        "empty_queries": dataset.queries.filter(_blank("text")).height,
        "judgements_of_unknown_documents": qrels.join(
            dataset.corpus, on="doc_id", how="anti"
        ).height,
    }


def _blank(column: str) -> pl.Expr:
    return ~pl.col(column).str.contains(r"\S")


def tables(
    corpus: Iterable[tuple[str, str, str]],
    queries: Iterable[tuple[str, str]],
    qrels: Iterable[tuple[str, str, float]],
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Make the three frames of a data set from rows."""
    return (
        KINDS["corpus"].frame(corpus, orient="row"),
        KINDS["queries"].frame(queries, orient="row"),
        KINDS["qrels"].frame(qrels, orient="row"),
    )
