"""Runs and judgements as polars frames, checked: every problem of a call in one `InputError`."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, repeat
from typing import Any

import numpy as np
import polars as pl

from tiewise.errors import SHOWN, Problems, some

Run = pl.DataFrame | pl.LazyFrame | Mapping[str, Mapping[str, float]] | Any
"""A run: a frame with columns query_id, doc_id, score (and rank), or {query: {document: score}}."""
Qrels = pl.DataFrame | pl.LazyFrame | Mapping[str, Mapping[str, float]] | Any
"""Judgements: a frame with columns query_id, doc_id, grade, or {query: {document: grade}}."""

_PAIR = ["query_id", "doc_id"]
_EXACT = 1 << 53
"""Whole numbers up to here are exact in float64."""


def as_run(run: Run) -> pl.DataFrame:
    """Bring a run into one form.

    Parameters
    ----------
    run : polars or pandas frame, or mapping
        Columns query_id, doc_id (strings), score (a number) and perhaps rank (an integer); or
        ``{query_id: {doc_id: score}}``. The order of rows is the input order.

    Returns
    -------
    polars.DataFrame
        query_id String, doc_id String, score Float64, rank Int64 if there was one.

    Raises
    ------
    InputError
        Naming columns that are missing or of a wrong type, missing values, NaN scores and
        documents that appear twice, all at once.

    Examples
    --------
    >>> as_run({"q1": {"007": 0.5, "7": 0.25}}).rows()
    [('q1', '007', 0.5), ('q1', '7', 0.25)]
    """
    return checked([("run", run)])[0]


def as_qrels(qrels: Qrels) -> pl.DataFrame:
    """Bring judgements into one form: query_id String, doc_id String, grade Float64.

    The counterpart of `as_run`, with the same checks.

    Examples
    --------
    >>> as_qrels({"q1": {"a": 1, "b": 0}}).rows()
    [('q1', 'a', 1.0), ('q1', 'b', 0.0)]
    """
    return checked([("qrels", qrels)])[0]


def checked(tables: list[tuple[str, Any]]) -> list[pl.DataFrame]:
    """Check several tables, and raise once with the problems of all.

    Parameters
    ----------
    tables : list of (name, table)
        The name ``qrels`` holds judgements, any other a run.

    Returns
    -------
    list of polars.DataFrame
        In the forms of `as_run` and `as_qrels`.
    """
    problems = Problems()
    result = [_checked(name, table, problems) for name, table in tables]
    problems.stop()
    return result


def _checked(name: str, table: Any, problems: list[str]) -> pl.DataFrame:
    value = "grade" if name == "qrels" else "score"
    found: list[str] = []
    frame = _frame(name, table, value, found)
    if not found:
        frame = _typed(name, frame, value, found)
    if not found:
        _check_rows(name, frame, value, found)
    problems.extend(found)
    return frame


def _frame(name: str, table: Any, value: str, problems: list[str]) -> pl.DataFrame:
    if isinstance(table, pl.DataFrame):
        return table
    if isinstance(table, pl.LazyFrame):
        return table.collect()
    if isinstance(table, Mapping):
        return _frame_of_mapping(name, table, value, problems)
    if hasattr(table, "__arrow_c_stream__"):  # pandas, pyarrow, duckdb, ...
        try:
            return pl.DataFrame(table)
        except Exception as error:  # each of these has exceptions of its own
            problems.append(f"{name}: the {type(table).__name__} is no table for Arrow: {error}")
            return pl.DataFrame()
    problems.append(
        f"{name}: a {type(table).__name__} is neither a frame with columns query_id, doc_id, "
        f"{value} nor a mapping {{query_id: {{doc_id: {value}}}}}"
    )
    return pl.DataFrame()


def _frame_of_mapping(
    name: str, table: Mapping[Any, Any], value: str, problems: list[str]
) -> pl.DataFrame:
    if wrong := [q for q, inner in table.items() if not isinstance(inner, Mapping)]:
        problems.append(f"{name}: queries without a mapping of documents, {some(wrong)}")
        return pl.DataFrame()
    ids = chain(table, chain.from_iterable(table.values()))
    if wrong := [i for i in ids if not isinstance(i, str)]:
        problems.append(f"{name}: ids that are no strings, {some(wrong)}")
        return pl.DataFrame()
    values = list(chain.from_iterable(inner.values() for inner in table.values()))
    try:
        numbers = np.array([float(v) for v in values if not isinstance(v, str)], np.float64)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    if len(numbers) != len(values):
        wrong = [v for v in values if not _is_number(v)]
        problems.append(f"{name}: {value}s that are no numbers, {some(wrong)}")
        return pl.DataFrame()
    queries = chain.from_iterable(repeat(q, len(inner)) for q, inner in table.items())
    docs = chain.from_iterable(table.values())
    return pl.DataFrame(
        {
            "query_id": pl.Series(list(queries), dtype=pl.String),
            "doc_id": pl.Series(list(docs), dtype=pl.String),
            value: pl.Series(numbers, dtype=pl.Float64),
        }
    )


def _is_number(value: Any) -> bool:
    try:
        return not isinstance(value, str) and float(value) is not None
    except (TypeError, ValueError):
        return False


def _typed(name: str, frame: pl.DataFrame, value: str, problems: list[str]) -> pl.DataFrame:
    needed = [*_PAIR, value]
    if missing := [c for c in needed if c not in frame.columns]:
        problems.append(
            f"{name}: no column {', '.join(missing)}; needed: {', '.join(needed)}; "
            f"found: {', '.join(frame.columns) or 'none'}"
        )
        return frame
    for column in _PAIR:
        kind = frame.schema[column]
        if not isinstance(kind, (pl.String, pl.Categorical, pl.Enum)) and len(frame):
            problems.append(
                f"{name}: column {column} is {kind}, but ids are strings ('007' is not '7'): "
                "read it as text"
            )
    numbers = [value, *(["rank"] if value == "score" and "rank" in frame.columns else [])]
    for column in numbers:
        kind = frame.schema[column]
        if len(frame) and not (kind.is_integer() if column == "rank" else kind.is_numeric()):
            what = "a whole number" if column == "rank" else "a number"
            problems.append(f"{name}: column {column} is {kind}, not {what}")
        elif kind.is_integer() and len(frame.filter(pl.col(column).abs() > _EXACT)):
            problems.append(f"{name}: {column} beyond 2^53 is not exact in float64")
    if problems:
        return frame
    kinds = {"score": pl.Float64, "grade": pl.Float64, "rank": pl.Int64}
    return frame.select(
        *(pl.col(c).cast(pl.String) for c in _PAIR), *(pl.col(c).cast(kinds[c]) for c in numbers)
    )


def _check_rows(name: str, frame: pl.DataFrame, value: str, problems: list[str]) -> None:
    if frame.is_empty():
        what = "judgements" if value == "grade" else "results"
        problems.append(f"{name}: empty, there are no {what}")
        return
    for column in frame.columns:
        if frame[column].null_count():
            lacking = frame.with_row_index("row").filter(pl.col(column).is_null())["row"].to_list()
            problems.append(f"{name}: {column} is missing in rows, {some(lacking)}")
    number = pl.col(value)
    bad = number.is_nan() if value == "score" else ~number.is_finite()
    rows = frame.filter(bad)
    if len(rows):
        problems.append(
            f"{name}: {value} is {'NaN' if value == 'score' else 'NaN or infinite'} for "
            f"{_pairs(rows)}"
        )
    repeated = duplicates(frame)
    if len(repeated):
        problems.append(f"{name}: documents listed more than once for a query, {_pairs(repeated)}")


def duplicates(frame: pl.DataFrame) -> pl.DataFrame:
    """Pairs of query and document that occur more than once, each once.

    Examples
    --------
    >>> duplicates(pl.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "a"]})).rows()
    [('1', 'a')]
    """
    # Equal pairs have equal hashes: a frame without equal hashes needs no look at its strings.
    spread = pl.lit(0x9E37_79B9_7F4A_7C15, pl.UInt64)
    hashed = (pl.col("query_id").hash(1) * spread) ^ pl.col("doc_id").hash(2)
    hashes = np.sort(frame.select(hashed).to_series().to_numpy())
    if (hashes[1:] != hashes[:-1]).all():
        return frame.select(_PAIR).clear()
    pairs = frame.group_by(_PAIR, maintain_order=True).len()
    return pairs.filter(pl.col("len") > 1).select(_PAIR)


def _pairs(rows: pl.DataFrame) -> str:
    shown = rows.head(SHOWN).select(_PAIR).rows()
    return some([f"query {q!r} document {d!r}" for q, d in shown], len(rows)).replace('"', "")
