"""What every measure is: a value object with one spelling, and five numbers for each query."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from functools import partial
from typing import ClassVar

import numpy as np

from tiewise.errors import InputError
from tiewise.kernel.documents import Batch, Relevant
from tiewise.kernel.ranking import Floats, Ints

NO_CUTOFF = np.iinfo(np.int64).max // 2
"""Stands for a missing cut-off: larger than any place, and safe to add to."""


ROUNDING = 2.0**-48
"""How far rounding may carry apart two means that are equal: 16 units in the last place of 1.

A smaller difference counts as none, though a true one may be as small: in RR one place at rank
200,000 for one of 10,000 queries makes 2.5e-15.
"""


@dataclass(frozen=True)
class TieAware:
    """A measure over all orders inside tie groups, one element a query.

    Attributes
    ----------
    expected, min, max : float64 (Q,)
        Over all orders, each equally likely.
    oblivious : float64 (Q,)
        Of the one order that the tie policy gives.
    sd : float64 (Q,) or None
        Standard deviation over the orders; None if it was not asked for.

    Examples
    --------
    >>> one = np.ones(1)
    >>> half = TieAware(expected=one / 2, min=one * 0, max=one, oblivious=one, sd=one / 2)
    >>> half.range, half.bias
    (array([1.]), array([0.5]))
    """

    expected: Floats
    min: Floats
    max: Floats
    oblivious: Floats
    sd: Floats | None = None

    @property
    def range(self) -> Floats:
        """Maximum minus minimum."""
        return self.max - self.min

    @property
    def bias(self) -> Floats:
        """Oblivious minus expected."""
        return self.oblivious - self.expected

    def mean(self) -> TieAware:
        """Average over queries, arrays of shape ().

        Sums are exactly rounded, so the order of queries does not matter. The orders of queries
        are independent: the sd of the mean is sqrt(sum sd^2) / Q. No queries give NaN.

        Examples
        --------
        >>> pair = np.array([0.0, 1.0])
        >>> float(TieAware(pair, pair, pair, pair, pair).mean().sd)
        0.5
        """
        return TieAware(
            _mean(self.expected),
            _mean(self.min),
            _mean(self.max),
            _mean(self.oblivious),
            None if self.sd is None else np.sqrt(_mean(self.sd**2) / max(self.sd.size, 1)),
        )


@dataclass(frozen=True)
class Measure(ABC):
    """A measure with its parameters and its cut-off.

    Equal measures are equal values; ``str(measure)`` is the one spelling, which
    `tiewise.measures.parse` reads back.

    Parameters
    ----------
    cutoff : int, optional
        Places that count, at least 1; None means all.
    """

    cutoff: int | None = None

    symbol: ClassVar[str]
    """Name in the spelling, as ``nDCG`` in ``nDCG@10``."""
    takes_cutoff: ClassVar[bool] = True
    always_shown: ClassVar[tuple[str, ...]] = ()
    """Parameters that the spelling shows even at their default."""

    def __post_init__(self) -> None:
        if problems := self.problems():
            raise InputError([f"{self.symbol}: {p}" for p in problems])

    def problems(self) -> list[str]:
        """Say what is wrong with the parameters."""
        k = self.cutoff
        if k is None:
            return []
        if not self.takes_cutoff:
            return [f"there is no cutoff to give, found {k!r}"]
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
            return [f"the cutoff must be a positive whole number, found {k!r}"]
        if k >= NO_CUTOFF:
            return [f"the cutoff {k} is beyond any list; leave it out"]
        return []

    def __str__(self) -> str:
        given = [
            f"{f.name}={_shown(getattr(self, f.name))}"
            for f in fields(self)
            if f.name in self.always_shown
            or (f.name != "cutoff" and getattr(self, f.name) != f.default)
        ]
        parameters = f"({','.join(given)})" if given else ""
        return f"{self.symbol}{parameters}" + ("" if self.cutoff is None else f"@{self.cutoff}")

    def limit(self, batch: Batch) -> Ints:
        """Places that count for each query, int64 (Q,)."""
        return np.full(batch.n_queries, NO_CUTOFF if self.cutoff is None else self.cutoff)

    def depth(self, batch: Batch) -> Ints:
        """Cut-off, or the number of candidates where there is none, int64 (Q,)."""
        return batch.n_candidates if self.cutoff is None else self.limit(batch)

    def evaluate(self, batch: Batch, *, sd: bool = True) -> TieAware:
        """Compute the measure for every query of a batch.

        Parameters
        ----------
        batch : Batch
            Candidates and judgements.
        sd : bool
            Whether to compute the standard deviation as well.

        Returns
        -------
        TieAware
            Values of the Q queries.
        """
        norm = self.norm(batch)
        limit = self.limit(batch)
        docs = self.documents(batch)
        # The bounds are the values of two orders. Rounding may carry another value beyond them
        # by a last bit, and may leave a last bit of deviation where no order differs.
        low, high, oblivious = (
            share(self.value(docs, place, limit), norm)
            for place in (docs.worst, docs.best, docs.place)
        )
        expected = np.clip(share(self.expected(docs, limit), norm), low, high)
        oblivious = np.clip(oblivious, low, high)
        if not sd:
            return TieAware(expected, low, high, oblivious)
        variance = np.maximum(self.variance(docs, limit), 0.0)
        deviation = np.where(high > low, share(np.sqrt(variance), norm), 0.0)
        return TieAware(expected, low, high, oblivious, deviation)

    @abstractmethod
    def documents(self, batch: Batch) -> Relevant:
        """Find the documents with a gain, but for tie groups that begin beyond the cut-off."""

    def norm(self, batch: Batch) -> Floats:
        """Return what the sum is divided by, float64 (Q,); where it is 0 the measure is 0."""
        return np.ones(batch.n_queries)

    @abstractmethod
    def value(self, docs: Relevant, place: Ints, limit: Ints) -> Floats:
        """Value, before division by the norm, of one order of the documents, float64 (Q,)."""

    @abstractmethod
    def expected(self, docs: Relevant, limit: Ints) -> Floats:
        """Mean over all orders, before division by the norm, float64 (Q,)."""

    @abstractmethod
    def variance(self, docs: Relevant, limit: Ints) -> Floats:
        """Variance over all orders, before division by the norm, float64 (Q,)."""


def _mean(values: Floats) -> Floats:
    return np.asarray(math.fsum(values.tolist()) / values.size if values.size else np.nan)


def share(values: Floats, norm: Floats) -> Floats:
    """Divide by the norm; 0 where the norm is 0.

    Examples
    --------
    >>> share(np.array([1.0, 0.0]), np.array([4.0, 0.0]))
    array([0.25, 0.  ])
    """
    return np.divide(values, norm, out=np.zeros(len(norm)), where=norm > 0)


def _shown(value: object) -> str:
    return repr(value) if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Binary(Measure):
    """A measure for which a document is relevant or not.

    Parameters
    ----------
    rel : int
        Lowest grade that counts as relevant, at least 1 (``trec_eval -l``).
    """

    rel: int = 1

    def problems(self) -> list[str]:
        """Say what is wrong with the parameters."""
        if isinstance(self.rel, bool) or not isinstance(self.rel, int) or self.rel < 1:
            own = f"rel must be a whole number, at least 1, found {self.rel!r}"
            return [own, *super().problems()]
        return super().problems()

    def documents(self, batch: Batch) -> Relevant:
        """Find the documents of grade `rel` or more, each with gain 1."""
        gain = partial(_binary, rel=self.rel)
        return batch.relevant(("rel", self.rel), gain, self.cutoff)


def _binary(grade: Floats, rel: int) -> Floats:
    return (grade >= rel).astype(np.float64)
