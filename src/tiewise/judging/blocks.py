"""Blocks of queries for the kernel, cut from checked arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiewise.errors import SHOWN, Problems, some
from tiewise.kernel.documents import Judgements
from tiewise.kernel.ranking import Floats, Ints
from tiewise.measures import Measure, parse_all
from tiewise.runs.score_types import as_score_type, check_score_type

BATCH = 1 << 20
"""Scores in a block: bounds the memory, and is long enough to be fast."""

_EXACT = 1 << 53
"""Whole numbers up to here are exact in float64."""


@dataclass(frozen=True)
class Block:
    """Input of the kernel: rows of the result, and the arrays that belong to them.

    Attributes
    ----------
    rows : int64 (n,) or slice
        Where the n queries stand in the result.
    scores : float64 (n, D)
        Columns behind a query's last candidate hold -inf.
    grades : float64 (n, D)
        NaN for a candidate that is not judged, and behind the last one.
    n_candidates : int64 (n,)
        Candidates of each query.
    judgements : Judgements
        Relevant documents of the n queries, retrieved or not.
    """

    rows: Ints | slice
    scores: Floats
    grades: Floats
    n_candidates: Ints
    judgements: Judgements


def checked_blocks(
    scores: ArrayLike,
    gains: ArrayLike,
    measures: str | Measure | Iterable[str | Measure],
    n_relevant: ArrayLike | None,
    ideal_gains: ArrayLike | None,
    n_candidates: ArrayLike | None,
    score_type: str,
) -> tuple[list[Measure], Iterator[Block], int]:
    """Check the arguments of `tiewise.evaluate_arrays` and cut them into blocks.

    Returns
    -------
    measures : list of Measure
        Each once.
    blocks : iterator of Block
        Views of the input where it is float64, else copies of a block's size.
    n_queries : int
        Rows of the input.

    Raises
    ------
    InputError
        Naming every problem.
    """
    problems = Problems()
    wanted = problems.attempt(parse_all, measures)
    problems.attempt(check_score_type, score_type)
    table = _matrix("scores", scores, problems)
    grades = _matrix("gains", gains, problems)
    ideal = grades if ideal_gains is None else _matrix("ideal_gains", ideal_gains, problems)
    problems.stop()
    if grades.shape != table.shape:
        problems.append(f"gains: shape {grades.shape}, but scores {table.shape}")
    if len(ideal) != len(table):
        problems.append(f"ideal_gains: {len(ideal)} rows, but scores {len(table)}")
    _check_elements("scores", table, np.isnan, "NaN", problems)
    _check_elements("gains", grades, np.isinf, "infinite", problems)
    if ideal is not grades:
        _check_elements("ideal_gains", ideal, np.isinf, "infinite", problems)
    problems.stop()
    counts = _n_candidates(table, grades, n_candidates, problems)
    beyond = _n_beyond(ideal, n_relevant, problems)
    if ideal is not grades:
        _check_ideal(grades, ideal, problems)
    problems.stop()
    return wanted, _blocks(table, grades, ideal, counts, beyond, score_type), len(table)


def _matrix(name: str, values: Any, problems: list[str]) -> NDArray[Any]:
    if hasattr(values, "detach"):  # a torch tensor; numpy does not know its bfloat16
        values = values.detach().cpu()
        values = values.double().numpy() if values.is_floating_point() else values.numpy()
    try:
        array = np.asarray(values)
    except ValueError:
        problems.append(f"{name}: rows differ in length; pad scores with -inf, gains with NaN")
        return np.empty((0, 0))
    if array.dtype.isbuiltin == 2:  # a narrow type of another package, such as bfloat16
        array = array.astype(np.float32)
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        problems.append(f"{name}: {array.dtype} is no number that float64 can hold")
    elif array.ndim != 2:
        problems.append(f"{name}: shape {array.shape} is not (queries, candidates)")
    elif array.dtype.kind in "iu" and array.size and _largest(array) > _EXACT:
        problems.append(f"{name}: whole numbers beyond 2^53 are not exact in float64")
    return array


def _largest(array: NDArray[Any]) -> int:
    return max(int(array.max()), -int(array.min()))


def _check_elements(
    name: str, array: NDArray[Any], test: Any, word: str, problems: list[str]
) -> None:
    if array.dtype.kind == "f" and (bad := test(array)).any():
        where = np.argwhere(bad)
        shown = ", ".join(f"row {r} column {c}" for r, c in where[:SHOWN])
        more = ", ..." if len(where) > SHOWN else ""
        problems.append(f"{name}: {word} in {len(where)} places, {shown}{more}")


def _counts(name: str, values: ArrayLike, n_queries: int, problems: list[str]) -> Ints | None:
    counts = np.asarray(values)
    if counts.shape == (n_queries,) and counts.dtype.kind in "iu" and (counts >= 0).all():
        return counts.astype(np.int64)
    problems.append(
        f"{name}: {counts.dtype} of shape {counts.shape}, not {n_queries} whole numbers from 0"
    )
    return None


def _n_candidates(
    scores: NDArray[Any], grades: NDArray[Any], given: ArrayLike | None, problems: list[str]
) -> Ints:
    n_queries, width = scores.shape
    counts: Ints = np.full(n_queries, width, np.int64)
    if given is not None:
        checked = _counts("n_candidates", given, n_queries, problems)
        if checked is None:
            return counts
        counts = checked
        if (counts > width).any():
            problems.append(f"n_candidates: {counts.max()}, but scores has {width} columns")
    elif width:
        short = np.flatnonzero(scores[:, -1] == -np.inf)
        reversed_ = scores[short, ::-1] > -np.inf
        counts[short] = np.where(reversed_.any(axis=1), width - reversed_.argmax(axis=1), 0)
    short = np.flatnonzero(counts < width)
    behind = np.arange(width) >= counts[short, None]
    if (wrong := short[((grades[short] > 0) & behind).any(axis=1)]).size:
        problems.append(
            f"gains: positive behind the last candidate in rows, {some(wrong.tolist())}; "
            "a candidate that scores -inf needs n_candidates"
        )
    return counts


def _n_beyond(ideal: NDArray[Any], given: ArrayLike | None, problems: list[str]) -> Ints | None:
    """Relevant documents that are counted, but have no grade."""
    counts = None if given is None else _counts("n_relevant", given, len(ideal), problems)
    if counts is None:
        return None
    beyond: Ints = counts - (ideal >= 1).sum(axis=1)
    if (wrong := np.flatnonzero(beyond < 0)).size:
        problems.append(f"n_relevant: less than the gains show in rows, {some(wrong.tolist())}")
    if (beyond > 0).any() and not np.isin(ideal[~np.isnan(ideal)], (0, 1)).all():
        problems.append(
            "n_relevant: counts relevant documents without a grade, but other grades differ from "
            "0 and 1; give ideal_gains"
        )
    return beyond


def _check_ideal(grades: NDArray[Any], ideal: NDArray[Any], problems: list[str]) -> None:
    best = [np.sort(np.fmax(a, 0), axis=1)[:, ::-1] for a in (grades, ideal)]
    width = max(a.shape[1] for a in best)
    retrieved, judged = (np.pad(a, ((0, 0), (0, width - a.shape[1]))) for a in best)
    if (wrong := np.flatnonzero((retrieved > judged).any(axis=1))).size:
        problems.append(f"ideal_gains: less than the gains in rows, {some(wrong.tolist())}")


def _blocks(
    scores: NDArray[Any],
    grades: NDArray[Any],
    ideal: NDArray[Any],
    n_candidates: Ints,
    beyond: Ints | None,
    score_type: str,
) -> Iterator[Block]:
    n_queries, width = scores.shape
    step = max(1, BATCH // max(width, 1))
    for first in range(0, n_queries, step):
        rows = slice(first, first + step)
        judgements = _judgements(_float64(ideal[rows]), None if beyond is None else beyond[rows])
        score, grade, count = _float64(scores[rows]), _float64(grades[rows]), n_candidates[rows]
        if (count < width).any():
            inside = np.arange(width) < count[:, None]
            score, grade = np.where(inside, score, -np.inf), np.where(inside, grade, np.nan)
        yield Block(rows, as_score_type(score, score_type), grade, count, judgements)


def _float64(array: NDArray[Any]) -> Floats:
    return array.astype(np.float64, copy=False)


def _judgements(grades: Floats, beyond: Ints | None) -> Judgements:
    """Relevant documents of grades (n, J), and those beyond them with grade 1."""
    at = np.flatnonzero(grades > 0)
    query, grade = at // max(grades.shape[1], 1), grades.ravel()[at]
    if beyond is not None:
        query = np.concatenate([query, np.repeat(np.arange(len(beyond)), beyond)])
        grade = np.concatenate([grade, np.ones(beyond.sum())])
    order = np.lexsort((-grade, query))
    return Judgements(query[order], grade[order])
