"""Tables that others wrote: their columns under our names, checked as every run is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from tiewise.errors import InputError, Problems
from tiewise.io import checks
from tiewise.io.checks import Nonfinite
from tiewise.runs import frames

SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "query_id": ("query_id", "qid", "q_id", "query-id", "topic_id"),
    "doc_id": ("doc_id", "docid", "docno", "doc-id", "corpus-id", "document_id"),
    "score": ("score", "sim"),
    "rank": ("rank",),
    "grade": ("grade", "relevance", "rel", "label", "score"),
}
"""What each column is called in the frames of ranx, ir_measures, PyTerrier and BEIR."""


def run_from_table(
    table: pl.DataFrame | Mapping[str, Any], name: str, *, nonfinite: Nonfinite = "error"
) -> pl.DataFrame:
    """Bring a frame or nested dictionary that a file held into the shape of a run.

    Parameters
    ----------
    table : polars.DataFrame or mapping
        Columns under one of their usual names, or query to document to score.
    name : str
        The file, for messages.
    nonfinite : {'error', 'last'}
        What to do with NaN scores.

    Returns
    -------
    polars.DataFrame
        ``query_id`` and ``doc_id`` String, ``score`` Float64, ``rank`` Int64 if there was one.

    Raises
    ------
    InputError
        As `tiewise.runs.frames.as_run`, with the file's name.

    Examples
    --------
    >>> run_from_table(pl.DataFrame({"qid": [7], "docno": ["d"], "score": [1]}), "x.parquet").row(0)
    ('7', 'd', 1.0)
    """
    if isinstance(table, pl.DataFrame):
        table = _named(table, name, ("query_id", "doc_id", "score"), optional=("rank",))
    if nonfinite == "last":
        table = _nan_last(table, name)
    run = _checked(frames.as_run, "run", table, name)
    checks.warn_of_ranks(run, name)
    return run


def qrels_from_table(table: pl.DataFrame | Mapping[str, Any], name: str) -> pl.DataFrame:
    """Bring a frame or nested dictionary that a file held into the shape of qrels.

    Parameters
    ----------
    table : polars.DataFrame or mapping
        Columns under one of their usual names, or query to document to grade.
    name : str
        The file, for messages.

    Returns
    -------
    polars.DataFrame
        ``query_id`` and ``doc_id`` String, ``grade`` Float64.

    Raises
    ------
    InputError
        As `tiewise.runs.frames.as_qrels`, with the file's name.

    Examples
    --------
    >>> frame = pl.DataFrame({"query-id": ["q"], "corpus-id": ["d"], "score": [2]})
    >>> qrels_from_table(frame, "test.parquet").row(0)
    ('q', 'd', 2.0)
    """
    if isinstance(table, pl.DataFrame):
        table = _named(table, name, ("query_id", "doc_id", "grade"))
        table = checks.merge_repeated(table, name, lambda rows: [f"row {row}" for row in rows])
    return _checked(frames.as_qrels, "qrels", table, name)


def is_column_name(text: str) -> bool:
    """Tell whether a text is a usual name of a column, as a header line has them.

    Examples
    --------
    >>> is_column_name("corpus-id"), is_column_name("q1")
    (True, False)
    """
    return any(text.lower() in spellings for spellings in SPELLINGS.values())


def _named(
    frame: pl.DataFrame, name: str, wanted: Sequence[str], optional: Sequence[str] = ()
) -> pl.DataFrame:
    problems = Problems()
    found: dict[str, pl.Series] = {}
    for column in (*wanted, *optional):
        spelling = next((s for s in SPELLINGS[column] if s in frame.columns), None)
        if spelling is not None:
            values = frame[spelling]
            # A file that keeps ids as integers has no leading zeros left to lose.
            is_id = column.endswith("_id") and values.dtype.is_integer()
            found[column] = values.cast(pl.String) if is_id else values
        elif column in wanted:
            legal = " or ".join(SPELLINGS[column])
            present = ", ".join(frame.columns) or "none"
            problems.append(f"{name}: no column {column}; legal names: {legal}; found: {present}")
    problems.stop()
    return pl.DataFrame(found)


def _nan_last(table: pl.DataFrame | Mapping[str, Any], name: str) -> Any:
    if isinstance(table, pl.DataFrame):
        return checks.nan_last(table, name)
    nan = [
        (query, document)
        for query, inner in table.items()
        if isinstance(inner, Mapping)
        for document, score in inner.items()
        if isinstance(score, float) and math.isnan(score)
    ]
    checks.warn_of_nan(nan, name)
    copy = {q: dict(inner) if isinstance(inner, Mapping) else inner for q, inner in table.items()}
    for query, document in nan:
        copy[query][document] = -math.inf
    return copy


def _checked(
    check: Callable[[Any], pl.DataFrame], kind: str, table: Any, name: str
) -> pl.DataFrame:
    try:
        return check(table)
    except InputError as error:
        # The check speaks of "run" or "qrels"; whoever gave a file wants its name.
        raise InputError(
            [f"{name}{problem.removeprefix(kind)}" for problem in error.problems]
        ) from None
