"""Measures of the first relevant document: RR@k and Success@k.

Only a query's first tie group with a relevant document matters. With g candidates, r of them
relevant, its first relevant document has s others of the group before it with probability
C(g-s-1, r-1) / C(g, r).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tiewise.kernel.documents import Groups, Relevant
from tiewise.kernel.ragged import Ragged
from tiewise.kernel.ranking import Floats, Ints
from tiewise.measures.base import Binary

_NEGLIGIBLE = math.log(2.0**-70)
"""Logarithm of a chance that no sum notices."""
_BLOCK = 1 << 16
"""Probabilities computed at a time."""


class FirstRelevant(Binary):
    """A measure that depends on the place of the first relevant document only."""

    @abstractmethod
    def worth(self, place: Ints) -> Floats:
        """Value of having the first relevant document at a place within the cut-off."""

    def value(self, docs: Relevant, place: Ints, limit: Ints) -> Floats:
        """Worth of the first relevant document's place."""
        first = docs.nth == 1
        query, place = docs.query[first], place[first]
        result = np.zeros(docs.n_queries)
        result[query] = np.where(place <= limit[query], self.worth(place), 0.0)
        return result

    def expected(self, docs: Relevant, limit: Ints) -> Floats:
        """Mean worth over the distribution of the first relevant document's place."""
        result = np.zeros(docs.n_queries)
        for query, places, chance in _distribution(docs.groups, limit):
            result[query] = places.sums(chance * self.worth(places.number))
        return result

    def variance(self, docs: Relevant, limit: Ints) -> Floats:
        """Mean squared deviation, the worth 0 beyond the cut-off included."""
        result = np.zeros(docs.n_queries)
        for query, places, chance in _distribution(docs.groups, limit):
            worth = self.worth(places.number)
            mean = places.sums(chance * worth)
            inside = places.sums(chance * (worth - places.spread(mean)) ** 2)
            beyond = np.maximum(1.0 - places.sums(chance), 0.0)
            result[query] = inside + beyond * mean**2
        return result


@dataclass(frozen=True)
class RR(FirstRelevant):
    """1 / place of the first relevant document if that is within the cut-off, else 0; 0 to 1.

    Its mean over queries is known as MRR.

    Examples
    --------
    >>> from tiewise import evaluate_arrays
    >>> evaluate_arrays([[1.0, 1.0]], [[1, 0]], ["RR"])["RR"].expected
    array([0.75])
    """

    symbol: ClassVar[str] = "RR"

    def worth(self, place: Ints) -> Floats:
        """1 / place."""
        return 1.0 / place


@dataclass(frozen=True)
class Success(FirstRelevant):
    """1 if a relevant document is within the cut-off, else 0; also known as hit rate.

    Examples
    --------
    >>> from tiewise import evaluate_arrays
    >>> evaluate_arrays([[1.0, 1.0]], [[1, 0]], ["Success@1"])["Success@1"].expected
    array([0.5])
    """

    symbol: ClassVar[str] = "Success"

    def worth(self, place: Ints) -> Floats:
        """1."""
        return np.ones(place.shape)


def _distribution(groups: Groups, limit: Ints) -> Iterator[tuple[Ints, Ragged, Floats]]:
    """Yield some queries, the places of their first relevant document, and the chance of each.

    Places beyond the cut-off are left out.
    """
    first = np.flatnonzero(groups.before == 0)
    size, count = groups.size[first], groups.count[first]
    n_places = np.minimum(size - count + 1, limit[groups.query[first]] - groups.above[first])
    # The chance that s places hold no relevant document is below (1 - r/g)^s: end where that is
    # far below the precision of float64.
    with np.errstate(divide="ignore"):
        likely = np.ceil(_NEGLIGIBLE / np.log1p(-count / size)) + 1
    n_places = np.minimum(n_places, likely).astype(np.int64)
    order = np.argsort(n_places, kind="stable")
    order = order[n_places[order] > 0]
    while len(order):
        # Rows of similar length share a rectangle, so that at most half of it is unused.
        width = int(n_places[order[-1]])
        similar = np.searchsorted(n_places[order], width // 2, side="right")
        rows = order[max(similar, len(order) - max(1, _BLOCK // width)) :]
        order = order[: len(order) - len(rows)]
        chance = _chances(size[rows, None], count[rows, None], np.arange(width))
        used = np.arange(width) < n_places[rows, None]
        places = Ragged(groups.above[first[rows]] + 1, n_places[rows])
        yield groups.query[first[rows]], places, chance[used]


def _chances(size: Ints, count: Ints, offset: Ints) -> Floats:
    """Chance (n, m) that the first relevant document of n tie groups is at m offsets."""
    left = np.maximum(size - offset, 1)
    not_relevant = np.maximum(left - count, 0)
    # Chance that no place before this one holds a relevant document: a running product, where
    # binomial coefficients would overflow.
    none_before = np.ones(left.shape)
    np.cumprod(not_relevant[:, :-1] / left[:, :-1], axis=1, out=none_before[:, 1:])
    chance: Floats = none_before * count / left
    return chance
