"""Scores: when two are equal, and how to rank them fast."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiewise.errors import InputError, did_you_mean

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

PIECE = 1 << 16
"""Scores ranked at a time: half a megabyte stays in the processor's cache."""

SCORE_TYPES = ("float64", "float32")
"""What counts as equal: trec_eval 10 compares scores as float64, trec_eval 9 as float32."""


def check_score_type(score_type: str) -> str:
    """Return a legal score type.

    Raises
    ------
    InputError
        For any other, with the nearest legal one.

    Examples
    --------
    >>> check_score_type("float32")
    'float32'
    """
    if score_type not in SCORE_TYPES:
        raise InputError(
            f"score type {score_type!r} is unknown: {did_you_mean(str(score_type), SCORE_TYPES)}"
        )
    return score_type


def as_score_type(scores: Floats, score_type: str) -> Floats:
    """Round scores to the type in which they are compared.

    Examples
    --------
    >>> as_score_type(np.array([0.1 + 1e-12]), "float32") == np.float32(0.1)
    array([ True])
    """
    if check_score_type(score_type) == "float64":
        return scores
    with np.errstate(over="ignore"):
        return scores.astype(np.float32).astype(np.float64)


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
