"""What no run and no qrels may have, whatever format they came in."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, get_args

import polars as pl

from tiewise.errors import SHOWN, InputError, Problems, did_you_mean, some
from tiewise.io.problems import LIMIT, warn

Where = Callable[[Sequence[int]], list[str]]
"""Takes row numbers, counting from 0, to the places where they were read."""

Nonfinite = Literal["error", "last"]

_PAIR = ("query_id", "doc_id")


def check_nonfinite(nonfinite: str) -> None:
    """Refuse an unknown way to treat NaN scores.

    Raises
    ------
    InputError
        With the legal ones.
    """
    legal = get_args(Nonfinite)
    if nonfinite not in legal:
        raise InputError(f"nonfinite={nonfinite!r} is unknown: {did_you_mean(nonfinite, legal)}")


def check_run(
    run: pl.DataFrame, name: str, where: Where, *, nonfinite: Nonfinite = "error"
) -> pl.DataFrame:
    """Refuse a run with NaN scores, documents listed twice or no row; warn of odd ranks.

    Parameters
    ----------
    run : polars.DataFrame
        ``query_id, doc_id, score`` and perhaps ``rank``.
    name : str
        The file, for messages.
    where : callable
        Says where rows were read.
    nonfinite : {'error', 'last'}
        NaN scores are refused, or become -inf with a warning.

    Raises
    ------
    InputError
        All problems at once.
    """
    if run.is_empty():
        raise InputError(f"{name}: empty: there is no result in it")
    problems = Problems(limit=LIMIT)
    if nonfinite == "last":
        run = nan_last(run, name)
    for place, row in _places(run, run["score"].is_nan(), where):
        problems.append(
            f"{place}: the score of document {row['doc_id']!r}, query {row['query_id']!r} is NaN; "
            "legal: a number, inf or -inf (nonfinite='last' ranks NaN last)"
        )
    _add_repeated(problems, run, where)
    problems.stop()
    warn_of_ranks(run, name)
    return run.select("query_id", "doc_id", "score", *(c for c in ("rank",) if c in run.columns))


def check_qrels(qrels: pl.DataFrame, name: str, where: Where) -> pl.DataFrame:
    """Merge judgements that are repeated; refuse those that contradict, and an empty table.

    Raises
    ------
    InputError
        All problems at once.
    """
    if qrels.is_empty():
        raise InputError(f"{name}: empty: there is no judgement in it")
    problems = Problems(limit=LIMIT)
    _add_repeated(problems, qrels, where)
    problems.stop()
    return merge_repeated(qrels, name, where).with_columns(pl.col("grade").cast(pl.Float64))


def _add_repeated(problems: Problems, frame: pl.DataFrame, where: Where) -> None:
    """Name rows that list a document of a query again; the same judgement again is no problem."""
    if not _has_repeated(frame):
        return
    first: dict[tuple[str, str], tuple[str, float | None]] = {}
    for place, row in _places(frame, frame.select(_PAIR).is_duplicated(), where):
        key, grade = (row["query_id"], row["doc_id"]), row.get("grade")
        earlier, earlier_grade = first.setdefault(key, (place, grade))
        if earlier != place and (grade is None or grade != earlier_grade):
            problems.append(
                f"{place}: document {key[1]!r} of query {key[0]!r} is a duplicate: "
                f"it is already at {earlier}"
            )


def merge_repeated(qrels: pl.DataFrame, name: str, where: Where) -> pl.DataFrame:
    """Merge rows that only repeat a judgement, with a warning that counts them."""
    if not _has_repeated(qrels):
        return qrels
    first = qrels.select(pl.struct("query_id", "doc_id", "grade").is_first_distinct()).to_series()
    again = (~first).arg_true().to_list()
    if again:
        examples = ", ".join(where(again[:SHOWN])) + (", ..." if len(again) > SHOWN else "")
        warn(
            f"{name}: rows that repeat an earlier judgement, merged with it: {len(again)} "
            f"({examples})"
        )
    return qrels.filter(first)


def nan_last(run: pl.DataFrame, name: str) -> pl.DataFrame:
    """Give NaN scores the last place, -inf, with a warning that counts them."""
    if not run["score"].dtype.is_float():
        return run
    nan = run.filter(pl.col("score").is_nan()).select(_PAIR).rows()
    warn_of_nan(nan, name)
    return run.with_columns(pl.col("score").fill_nan(-math.inf))


def warn_of_nan(pairs: Sequence[tuple[str, str]], name: str) -> None:
    """Warn of documents whose NaN score was put last."""
    if pairs:
        shown = [f"query {query} document {document}" for query, document in pairs]
        warn(f"{name}: NaN scores rank last, {some(shown)}")


def warn_of_ranks(run: pl.DataFrame, name: str) -> None:
    """Warn when a better rank has a worse score: the score counts, the rank does not."""
    if "rank" not in run.columns or (not _rises(run).any() and _is_grouped(run)):
        return
    ordered = run.sort("query_id", "rank", "score", descending=[False, False, True])
    wrong = ordered.filter(_rises(ordered))["query_id"].unique(maintain_order=True)
    if len(wrong):
        warn(
            f"{name}: the rank column contradicts the scores, and the scores count; "
            f"queries, {some(wrong.to_list())}"
        )


def _rises(run: pl.DataFrame) -> pl.Series:
    """Rows that follow one of the same query with a higher score, or with a lower rank."""
    same = pl.col("query_id").rle_id().diff() == 0
    score, rank = pl.col("score"), pl.col("rank")
    odd = same & ((score > score.shift()) | (rank < rank.shift()))
    return run.select(odd.fill_null(False)).to_series()


def _is_grouped(run: pl.DataFrame) -> bool:
    stretches = run["query_id"].rle().struct.field("value")
    return stretches.n_unique() == len(stretches)


def _has_repeated(frame: pl.DataFrame) -> bool:
    # Equal hashes of unequal pairs only cost a second look: every user of this compares the ids.
    return frame.select(_PAIR).hash_rows().n_unique() < frame.height


def _places(
    frame: pl.DataFrame, chosen: pl.Series, where: Where
) -> Iterator[tuple[str, dict[str, Any]]]:
    rows = chosen.arg_true().to_list()
    if rows:
        yield from zip(where(rows), frame[rows].iter_rows(named=True), strict=True)
