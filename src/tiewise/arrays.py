"""The kernel on arrays: scores and gains of many queries in, tie-aware values out; no frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiewise.errors import SHOWN, InputError, some
from tiewise.measures import Batch, Judged, Measure, TieAware, parse_all
from tiewise.measures.documents import Judgements
from tiewise.ties import Floats, Ints, as_score_type, check_score_type, judged_documents

BATCH = 1 << 20
"""Scores in a batch of queries: bounds the memory, and is long enough to be fast."""

_EXACT = 1 << 53
"""Whole numbers up to here are exact in float64."""


@dataclass(frozen=True)
class Block:
    """Input of a batch: rows of the result, and the (n, D) arrays that belong to them."""

    rows: Ints | slice
    scores: Floats
    grades: Floats
    n_candidates: Ints
    judgements: Judgements


def evaluate_arrays(
    scores: ArrayLike,
    gains: ArrayLike,
    measures: str | Measure | Iterable[str | Measure],
    *,
    n_relevant: ArrayLike | None = None,
    ideal_gains: ArrayLike | None = None,
    n_candidates: ArrayLike | None = None,
    score_type: str = "float64",
    sd: bool = True,
) -> dict[str, TieAware]:
    """Evaluate the rankings of Q queries, all orders inside tie groups considered.

    Parameters
    ----------
    scores : array-like (Q, D), any real dtype, torch tensors too
        A row holds the scores of a query's candidates, in input order. Shorter rows are padded
        at their end with -inf.
    gains : array-like (Q, D)
        Relevance grades of the same candidates; a grade below 1 is not relevant, a negative one
        has gain 0, NaN means not judged.
    measures : str, Measure, or several
        Such as ``["nDCG@10", "RR@10"]``.
    n_relevant : array-like of int (Q,), optional
        Relevant documents of each query, retrieved or not, all of grade 1. Default: those in
        `ideal_gains`.
    ideal_gains : array-like (Q, J), optional
        Grades of all judged documents of each query in any order, padded with 0 or NaN.
        Default: `gains`, and what `n_relevant` counts beyond them.
    n_candidates : array-like of int (Q,), optional
        Candidates of each query; the columns behind them are padding. Default: -inf at the end of
        a row is padding. A candidate that scores -inf itself needs this argument.
    score_type : {"float64", "float32"}
        What counts as an equal score.
    sd : bool
        Whether to compute the standard deviation as well.

    Returns
    -------
    dict of str to TieAware
        For each measure, by its one spelling, arrays of shape (Q,). The oblivious value keeps
        tied candidates in the order of the columns.

    Raises
    ------
    InputError
        Naming every problem: NaN scores, shapes that do not fit, unknown measures, counts that
        contradict the gains.

    Notes
    -----
    O(Q D log D) time for the sort of each row, and linear in the places within the cut-off.
    Memory beyond the input and the result is that of a batch of about a million scores.

    Examples
    --------
    >>> result = evaluate_arrays([[2.0, 1.0, 1.0]], [[0, 1, 0]], ["RR@2"])["RR@2"]
    >>> result.expected, result.min, result.max, result.sd
    (array([0.25]), array([0.]), array([0.5]), array([0.25]))
    """
    checked = _Arrays(scores, gains, measures, n_relevant, ideal_gains, n_candidates, score_type)
    return evaluate_blocks(checked.blocks(), checked.measures, checked.shape[0], sd=sd)


def evaluate_blocks(
    blocks: Iterable[Block], measures: list[Measure], n_queries: int, *, sd: bool = True
) -> dict[str, TieAware]:
    """Evaluate measures block by block.

    Parameters
    ----------
    blocks : iterable of Block
        Blocks whose `rows` do not overlap; rows of no block keep the value 0.
    measures : list of Measure
        What to compute.
    n_queries : int
        Rows of the result.
    sd : bool
        Whether to compute the standard deviation as well.

    Returns
    -------
    dict of str to TieAware
        By spelling, arrays of shape (n_queries,).
    """
    kinds = ("expected", "min", "max", "oblivious", *(["sd"] if sd else []))
    values = {m: {kind: np.zeros(n_queries) for kind in kinds} for m in measures}
    every_judgement = any(isinstance(m, Judged) for m in measures)
    for block in blocks:
        judged = ~np.isnan(block.grades) if every_judgement else block.grades > 0
        found = judged_documents(block.scores, block.grades, judged, block.n_candidates)
        batch = Batch(found, block.judgements, block.n_candidates)
        for measure, arrays in values.items():
            result = measure.evaluate(batch, sd=sd)
            for kind, array in arrays.items():
                array[block.rows] = getattr(result, kind)
    return {str(m): TieAware(**arrays) for m, arrays in values.items()}


class _Arrays:
    """The checked arguments of `evaluate_arrays`."""

    def __init__(
        self,
        scores: ArrayLike,
        gains: ArrayLike,
        measures: Any,
        n_relevant: ArrayLike | None,
        ideal_gains: ArrayLike | None,
        n_candidates: ArrayLike | None,
        score_type: str,
    ) -> None:
        self.problems: list[str] = []
        self.measures = self._try(parse_all, measures)
        self.score_type = self._try(check_score_type, score_type)
        self.scores = self._matrix("scores", scores)
        self.gains = self._matrix("gains", gains)
        self.ideal = None if ideal_gains is None else self._matrix("ideal_gains", ideal_gains)
        if not self.problems:
            self.shape = self.scores.shape
            self._check_values()
        if not self.problems:
            self.n_candidates = self._candidates(n_candidates)
            self.n_relevant = None if n_relevant is None else self._counts("n_relevant", n_relevant)
        if not self.problems:
            self._check_counts()
        if self.problems:
            raise InputError(self.problems)

    def _try(self, read: Any, value: Any) -> Any:
        try:
            return read(value)
        except InputError as error:
            self.problems.extend(error.problems)

    def _matrix(self, name: str, values: Any) -> NDArray[Any]:
        if hasattr(values, "detach"):  # a torch tensor; numpy does not know its bfloat16
            values = values.detach().cpu()
            values = values.double() if values.is_floating_point() else values
        try:
            array = np.asarray(values)
        except ValueError:
            array = np.asarray(None)
        if array.dtype.kind not in "biuf" and "float" not in array.dtype.name:
            self.problems.append(f"{name}: not an array of numbers but of {array.dtype}")
        elif array.ndim != 2:
            self.problems.append(f"{name}: shape {array.shape} is not (queries, candidates)")
        elif array.dtype.kind in "iu" and array.size and _largest(array) > _EXACT:
            self.problems.append(f"{name}: whole numbers beyond 2^53 are not exact in float64")
        return array

    def _check_values(self) -> None:
        if self.gains.shape != self.shape:
            self.problems.append(f"gains: shape {self.gains.shape}, but scores {self.shape}")
        if self.ideal is not None and len(self.ideal) != self.shape[0]:
            self.problems.append(
                f"ideal_gains: {len(self.ideal)} rows, but {self.shape[0]} queries"
            )
        self._check_elements("scores", self.scores, np.isnan, "NaN")
        self._check_elements("gains", self.gains, np.isinf, "infinite")
        if self.ideal is not None:
            self._check_elements("ideal_gains", self.ideal, np.isinf, "infinite")

    def _check_elements(self, name: str, array: NDArray[Any], test: Any, word: str) -> None:
        if array.dtype.kind in "biu" or not (bad := test(array)).any():
            return
        where = np.argwhere(bad)
        shown = [f"row {r} column {c}" for r, c in where[:SHOWN]]
        self.problems.append(f"{name}: {word} at {some(shown, len(where))}".replace("'", ""))

    def _counts(self, name: str, values: ArrayLike) -> Ints:
        counts = np.asarray(values)
        if counts.shape != self.shape[:1] or counts.dtype.kind not in "iu" or (counts < 0).any():
            self.problems.append(
                f"{name}: {counts.dtype} of shape {counts.shape}, not {self.shape[0]} whole numbers"
            )
        return counts.astype(np.int64)

    def _candidates(self, given: ArrayLike | None) -> Ints:
        n_queries, width = self.shape
        if given is not None:
            counts = self._counts("n_candidates", given)
            if not self.problems and (counts > width).any():
                self.problems.append(
                    f"n_candidates: {counts.max()}, but scores has {width} columns"
                )
            return counts
        counts = np.full(n_queries, width)
        if width:
            for row in np.flatnonzero(self.scores[:, -1] == -np.inf):
                finite = np.flatnonzero(self.scores[row] != -np.inf)
                counts[row] = finite[-1] + 1 if len(finite) else 0
        return counts

    def _check_counts(self) -> None:
        short = np.flatnonzero(self.n_candidates < self.shape[1])
        if wrong := [r for r in short if (self.gains[r, self.n_candidates[r] :] > 0).any()]:
            self.problems.append(
                f"gains: positive behind the last candidate in rows, {some(map(int, wrong))}; "
                "candidates that score -inf need n_candidates"
            )
        if self.n_relevant is None:
            return
        all_grades = self.gains if self.ideal is None else self.ideal
        listed = (all_grades >= 1).sum(axis=1)
        if (wrong_rows := np.flatnonzero(self.n_relevant < listed)).size:
            self.problems.append(
                f"n_relevant: less than the relevant documents listed in rows, "
                f"{some(wrong_rows.tolist())}"
            )
        beyond = (self.n_relevant > listed).any()
        if beyond and not np.isin(all_grades[~np.isnan(all_grades)], (0, 1)).all():
            self.problems.append(
                "n_relevant: counts relevant documents whose grade is not given, while other "
                "grades differ from 0 and 1; give ideal_gains"
            )

    def blocks(self) -> Iterator[Block]:
        """Cut the rows into batches of bounded memory."""
        n_queries, width = self.shape
        step = max(1, BATCH // max(width, 1))
        for first in range(0, n_queries, step):
            rows = slice(first, min(first + step, n_queries))
            scores, grades = (
                a[rows].astype(np.float64, copy=False) for a in (self.scores, self.gains)
            )
            n_candidates = self.n_candidates[rows]
            for row in np.flatnonzero(n_candidates < width):
                scores = scores.copy() if scores.base is not None else scores
                scores[row, n_candidates[row] :] = -np.inf
            all_grades = grades if self.ideal is None else self.ideal[rows].astype(np.float64)
            counts = None if self.n_relevant is None else self.n_relevant[rows]
            judgements = _judgements(all_grades, counts)
            yield Block(
                rows, as_score_type(scores, self.score_type), grades, n_candidates, judgements
            )


def _largest(array: NDArray[Any]) -> int:
    return max(int(array.max()), -int(array.min()))


def _judgements(grades: Floats, n_relevant: Ints | None) -> Judgements:
    """Relevant documents of grades (n, J), and those that `n_relevant` counts beyond them."""
    at = np.flatnonzero(grades > 0)
    query, grade = at // max(grades.shape[1], 1), grades.ravel()[at]
    if n_relevant is not None:
        beyond = n_relevant - (grades >= 1).sum(axis=1)
        query = np.concatenate([query, np.repeat(np.arange(len(beyond)), beyond)])
        grade = np.concatenate([grade, np.ones(beyond.sum())])
    order = np.lexsort((-grade, query))
    return Judgements(query[order], grade[order])
