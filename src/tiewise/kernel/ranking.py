"""From scores to ranks: rank keys, and the tie group of each judged document."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

PIECE = 1 << 16
"""Scores ranked at a time: half a megabyte stays in the processor's cache."""


@dataclass(frozen=True, slots=True)
class JudgedDocuments:
    """Judged documents of a batch of queries, each with the tie group it falls into.

    Sorted by query, then by place.

    Attributes
    ----------
    query : int64 (E,)
        Row of the batch.
    grade : float64 (E,)
        Relevance grade.
    above : int64 (E,)
        Candidates with a higher score.
    size : int64 (E,)
        Candidates in the document's tie group, itself included.
    place : int64 (E,)
        Its place, from 1, when each tie group keeps the order of the columns.
    """

    query: Ints
    grade: Floats
    above: Ints
    size: Ints
    place: Ints


def judged_documents(
    scores: Floats, grades: Floats, judged: NDArray[np.bool_], n_candidates: Ints
) -> JudgedDocuments:
    """Find the tie groups of the judged documents.

    Parameters
    ----------
    scores : float64 (Q, D)
        No NaN; columns from ``n_candidates`` on are padding and hold -inf.
    grades : float64 (Q, D)
        Relevance grades.
    judged : bool (Q, D)
        Documents to look up.
    n_candidates : int64 (Q,)
        Candidates of each query; a candidate may score -inf, padding is no candidate.

    Returns
    -------
    JudgedDocuments
        One entry for each true element of `judged`.

    Notes
    -----
    O(Q D log D) time: one sort of 64-bit integers. Memory beyond the result is that of 65,536
    scores, or of one query's.

    Examples
    --------
    >>> scores = np.array([[0.5, 0.9, 0.5, 0.1]])
    >>> grades = np.array([[0.0, 0.0, 1.0, 2.0]])
    >>> judged_documents(scores, grades, grades > 0, np.array([4]))
    JudgedDocuments(query=array([0, 0]), grade=array([1., 2.]), above=array([1, 3]),
                    size=array([2, 1]), place=array([3, 4]))
    """
    n_queries, width = scores.shape
    step = max(1, PIECE // max(width, 1))
    parts = []
    for first in range(0, n_queries if width else 0, step):
        rows = slice(first, first + step)
        parts.append(_judged_of_rows(first, scores[rows], grades[rows], judged[rows]))
    if not parts:
        none = np.empty(0, np.int64)
        return JudgedDocuments(none, np.empty(0), none, none, none)
    query, grade, above, size, place = (np.concatenate(p) for p in zip(*parts, strict=True))
    # Padding is sorted behind the candidates that score -inf: cut it off their tie group.
    size = np.minimum(size, n_candidates[query] - above)
    return JudgedDocuments(query, grade, above, size, place)


def _judged_of_rows(
    first: int, scores: Floats, grades: Floats, judged: NDArray[np.bool_]
) -> tuple[Ints, Floats, Ints, Ints, Ints]:
    n_rows, width = scores.shape
    keys, bits = rank_keys(scores)
    low, start_of_row = (1 << bits) - 1, np.arange(n_rows)[:, None] * width
    # Rows wider than a piece come alone, so that what is found ascends.
    found = np.concatenate(
        [
            np.flatnonzero(judged.ravel()[(keys[:, left : left + PIECE] & low) + start_of_row])
            + left
            for left in range(0, width, PIECE)
        ]
    )
    row, place = np.divmod(found, width)
    grade = grades[row, keys.ravel()[found] & low]
    keys >>= bits
    new_group = np.ones(scores.size + 1, np.bool_)
    inner = new_group[:-1].reshape(scores.shape)[:, 1:]
    np.not_equal(keys[:, 1:], keys[:, :-1], out=inner)
    starts = np.flatnonzero(new_group)
    group = np.searchsorted(starts, found, side="right") - 1
    above = starts[group] - row * width
    size = starts[group + 1] - starts[group]
    return row + first, grade, above, size, place + 1


def rank_keys(scores: Floats) -> tuple[Ints, int]:
    """Rank every row by descending score, equal scores in column order.

    Parameters
    ----------
    scores : float64 (Q, D)
        No NaN.

    Returns
    -------
    keys : int64 (Q, D)
        Ascending in every row. The low `bits` bits are the column, the others identify the tie
        group: two keys of a row agree in them exactly if their scores are equal.
    bits : int
        Number of low bits.

    Notes
    -----
    Sorting one integer that carries both score and column is several times faster than a stable
    argsort. A float64 has room for the column when its last bits are zero, which holds for all
    values of float32 and of every narrower type; other rows get the number of their tie group
    instead of the score, at the cost of a second sort.

    Examples
    --------
    >>> keys, bits = rank_keys(np.array([[0.5, 0.9, 0.5]]))
    >>> keys & 2**bits - 1
    array([[1, 0, 2]])
    """
    width = scores.shape[1]
    bits = max(width - 1, 1).bit_length()
    low = np.int64((1 << bits) - 1)
    # Negated for descending order; the subtraction also makes -0.0 and 0.0 one number.
    negated = np.subtract(0.0, scores, dtype=np.float64)
    keys = negated.view(np.int64)
    if np.bitwise_or.reduce(keys, axis=None) & low:
        return _keys_of_any_float(negated, bits), bits
    for left in range(0, width, PIECE):
        part = keys[:, left : left + PIECE]
        # The bits of negative floats ascend with their magnitude: flip all but the sign.
        sign = part >> 63
        sign &= np.int64(0x7FFF_FFFF_FFFF_FFFF)
        part ^= sign
        part &= ~low
        part |= np.arange(left, left + part.shape[1])
    keys.sort(axis=1)
    return keys, bits


def _keys_of_any_float(negated: Floats, bits: int) -> Ints:
    column = np.argsort(negated, axis=1)
    ordered = np.take_along_axis(negated, column, axis=1)
    keys = np.zeros(negated.shape, np.int64)
    np.cumsum(ordered[:, 1:] != ordered[:, :-1], axis=1, out=keys[:, 1:])
    keys <<= bits
    keys |= column
    keys.sort(axis=1)
    return keys
