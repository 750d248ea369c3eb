"""Ragged arrays: runs of different lengths, one after another in a flat array."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiewise.kernel.ranking import Floats, Ints


class Ragged:
    """Consecutive numbers of several runs, one run after another.

    Parameters
    ----------
    first : int64 (G,)
        First number of each run.
    length : int64 (G,)
        Numbers in each run, possibly 0.

    Attributes
    ----------
    number : int64 (sum of length,)
        All numbers.
    length : int64 (G,)
        As given.

    Examples
    --------
    >>> places = Ragged(np.array([1, 7, 5]), np.array([2, 0, 3]))
    >>> places.number
    array([1, 2, 5, 6, 7])
    >>> places.sums(np.ones(5))
    array([2., 0., 3.])
    """

    def __init__(self, first: Ints, length: Ints) -> None:
        self.length = length
        self._start = np.cumsum(length) - length
        self.number = np.arange(int(length.sum())) + self.spread(first - self._start)

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Repeat the value of each run for all its elements."""
        return np.repeat(values, self.length)

    def sums(self, values: Floats) -> Floats:
        """Sum values of elements by run, float64 (G,)."""
        result = np.zeros(len(self.length))
        filled = np.flatnonzero(self.length)
        if len(filled):
            result[filled] = np.add.reduceat(values, self._start[filled])
        return result


def starts_of(*columns: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark where a run of equal rows begins, bool (E,).

    Examples
    --------
    >>> starts_of(np.array([1, 1, 2]), np.array([7, 7, 7]))
    array([ True, False,  True])
    """
    new = np.ones(len(columns[0]), np.bool_)
    if len(new):
        new[1:] = np.logical_or.reduce([c[1:] != c[:-1] for c in columns])
    return new


def length_of(new: NDArray[np.bool_]) -> Ints:
    """Length of the run that each element is in.

    Examples
    --------
    >>> length_of(np.array([True, False, True]))
    array([2, 2, 1])
    """
    length = np.diff(np.flatnonzero(new), append=len(new))
    return np.repeat(length, length)


def offset_of(new: NDArray[np.bool_]) -> Ints:
    """Elements before each element in its run.

    Examples
    --------
    >>> offset_of(np.array([True, False, True]))
    array([0, 1, 0])
    """
    first = np.flatnonzero(new)
    return np.arange(len(new)) - np.repeat(first, np.diff(first, append=len(new)))
