"""Linear measures: a sum of gains, each weighted by the place of its document.

M = (1/Z) sum_j w_j x_(j), where x_(j) is the gain of the document at place j and w_j = 0 beyond
the cut-off.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from tiewise.kernel.documents import Groups, Relevant
from tiewise.kernel.ragged import Ragged
from tiewise.kernel.ranking import Floats, Ints
from tiewise.measures.base import Measure


class Linear(Measure):
    """A measure that is linear in the gains.

    Notes
    -----
    Expectation: McSherry and Najork, "Computing information retrieval performance measures
    efficiently in the presence of tied scores", ECIR 2008. Variance: that of a permutation sum,
    Hoeffding, "A combinatorial central limit theorem", Annals of Mathematical Statistics 1951.
    """

    @abstractmethod
    def weights(self, place: Ints) -> Floats:
        """Weight of places, numbered from 1; it never grows with the place."""

    def value(self, docs: Relevant, place: Ints, limit: Ints) -> Floats:
        """Sum of weight x gain over the places within the cut-off."""
        weight = np.where(place <= limit[docs.query], self.weights(place), 0.0)
        return docs.total(docs.gain * weight)

    def expected(self, docs: Relevant, limit: Ints) -> Floats:
        """Each place of a tie group holds the group's mean gain."""
        groups = docs.groups
        return groups.total(groups.mean * groups.by_place(limit, self._weight_sum))

    def variance(self, docs: Relevant, limit: Ints) -> Floats:
        """Deviation of the gains x deviation of the weights / (size - 1), summed over groups."""
        groups = docs.groups
        spread = groups.gain_deviation * self.weight_deviation(groups, limit)
        return groups.total(spread / np.maximum(groups.size - 1, 1))

    def weight_deviation(self, groups: Groups, limit: Ints) -> Floats:
        """Sum over each group's places of (weight - mean weight) squared, float64 (G,)."""
        return groups.by_place(limit, self._weight_deviation)

    def _weight_sum(self, groups: Groups, places: Ragged) -> Floats:
        return places.sums(self.weights(places.number))

    def _weight_deviation(self, groups: Groups, places: Ragged) -> Floats:
        weights = self.weights(places.number)
        mean = places.sums(weights) / groups.size
        inside = places.sums((weights - places.spread(mean)) ** 2)
        return inside + (groups.size - places.length) * mean**2


class Uniform(Linear):
    """A linear measure in which every place within the cut-off weighs the same, 1."""

    def weights(self, place: Ints) -> Floats:
        """1 everywhere."""
        return np.ones(len(place))

    def expected(self, docs: Relevant, limit: Ints) -> Floats:
        """Each place of a tie group holds the group's mean gain."""
        groups = docs.groups
        return groups.total(groups.mean * groups.n_inside(limit))

    def weight_deviation(self, groups: Groups, limit: Ints) -> Floats:
        """For t places inside the cut-off and g in all, t (g - t) / g."""
        inside = groups.n_inside(limit)
        return inside * (groups.size - inside) / groups.size
