"""nDCG@k: discounted gain, as a share of that of the ideal order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tiewise.errors import InputError
from tiewise.kernel.documents import Batch, Relevant, total
from tiewise.kernel.ragged import offset_of, starts_of
from tiewise.kernel.ranking import Floats, Ints
from tiewise.measures.base import Measure
from tiewise.measures.linear import Linear


def _linear(grade: Floats) -> Floats:
    return np.maximum(grade, 0.0)


def _exp(grade: Floats) -> Floats:
    if grade.max(initial=0.0) >= _MOST:
        raise InputError(f"nDCG(gain=exp): 2^grade of grade {grade.max():g} is too large")
    return np.exp2(np.maximum(grade, 0.0)) - 1.0


_MOST = 1000.0
"""Grades from here have no finite exponential gain, or sum to none."""
_GAINS = {"linear": _linear, "exp": _exp}


@dataclass(frozen=True)
class NDCG(Linear, Measure):
    """Sum of gain / log2(1 + place), divided by the same sum in the ideal order, 0 to 1.

    The ideal order ranks all judged documents by grade, retrieved or not, and is cut at k.

    Parameters
    ----------
    gain : {"linear", "exp"}
        The grade itself (trec_eval), or 2^grade - 1. A negative grade has gain 0.

    Notes
    -----
    Source: Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", ACM TOIS
    2002; exponential gain: Burges et al., ICML 2005.

    Examples
    --------
    >>> from tiewise import evaluate_arrays
    >>> evaluate_arrays([[1.0, 1.0]], [[3, 1]], ["nDCG@1"])["nDCG@1"].expected.round(4)
    array([0.6667])
    """

    gain: str = "linear"

    symbol: ClassVar[str] = "nDCG"

    def problems(self) -> list[str]:
        """Say what is wrong with the parameters."""
        if self.gain in _GAINS:
            return super().problems()
        return [f"gain must be linear or exp, found {self.gain!r}", *super().problems()]

    def documents(self, batch: Batch) -> Relevant:
        """Find the documents with a positive grade."""
        return batch.relevant(("gain", self.gain), _GAINS[self.gain], self.cutoff)

    def norm(self, batch: Batch) -> Floats:
        """Discounted gain of the ideal order."""
        query, grade = batch.judgements.query, batch.judgements.grade
        place = 1 + offset_of(starts_of(query))
        gain = _GAINS[self.gain](grade)
        inside = np.flatnonzero((place <= self.limit(batch)[query]) & (gain > 0))
        discounted = gain[inside] * self.weights(place[inside])
        return total(query[inside], discounted, batch.n_queries)

    def weights(self, place: Ints) -> Floats:
        """1 / log2(1 + place)."""
        discount: Floats = np.log2(1.0 + place)
        return 1.0 / discount
