"""AP@k: average precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tiewise.kernel.documents import Batch, Groups, Relevant
from tiewise.kernel.ragged import Ragged
from tiewise.kernel.ranking import Floats, Ints
from tiewise.measures.base import Binary


@dataclass(frozen=True)
class AP(Binary):
    """Sum of the precisions at the relevant documents within the cut-off, divided by R, 0 to 1.

    R counts all relevant documents of the query, retrieved or not, also where R > k (trec_eval).
    Its mean over queries is known as MAP.

    Notes
    -----
    With B relevant documents before a tie group, the group's part is
    sum_j a_j x_j + sum_{i<j} b_j x_i x_j, where j is a place, b_j = 1/j and a_j = (B+1)/j.
    Expectation: McSherry and Najork, ECIR 2008. Time is linear in the places of tie groups.

    Examples
    --------
    >>> from tiewise import evaluate_arrays
    >>> evaluate_arrays([[1.0, 1.0]], [[1, 0]], ["AP"])["AP"].expected
    array([0.75])
    """

    symbol: ClassVar[str] = "AP"

    def norm(self, batch: Batch) -> Floats:
        """Count the relevant documents."""
        return batch.n_relevant(self.rel).astype(np.float64)

    def value(self, docs: Relevant, place: Ints, limit: Ints) -> Floats:
        """Sum over relevant documents of the precision at their place."""
        return docs.total(np.where(place <= limit[docs.query], docs.nth / place, 0.0))

    def expected(self, docs: Relevant, limit: Ints) -> Floats:
        """Multiply the chance that a place is relevant with the relevant places up to it."""
        groups = docs.groups
        return groups.total(groups.mean * groups.by_place(limit, _precision_sum))

    def variance(self, docs: Relevant, limit: Ints) -> Floats:
        """Sum the variances of the groups' parts: their orders are independent."""
        return docs.groups.total(docs.groups.by_place(limit, _variance))


def _precision_sum(groups: Groups, places: Ragged) -> Floats:
    """Sum over places of the mean precision there, given that the place is relevant."""
    before = places.number - places.spread(groups.above + 1)
    pairs = (groups.count - 1) / np.maximum(groups.size - 1, 1)
    hits = places.spread(groups.before + 1) + places.spread(pairs) * before
    return places.sums(hits / places.number)


def _variance(groups: Groups, places: Ragged) -> Floats:
    """Variance of each tie group's part.

    With z_j = x_j - r/g the part is, but for a constant, sum_j alpha_j z_j + sum_{i<j} b_j z_i z_j,
    where alpha_j = a_j + d_j r/g and d_j is the sum of b over the pairs that hold place j. The
    variance takes the moments of up to four distinct z, and sums over pairs of pairs of places
    that share two, one or no place; those follow from sums over single places.
    """
    each, sums = places.spread, places.sums
    before = places.number - each(groups.above + 1)
    b = 1.0 / places.number
    harmonic = groups.members.harmonic
    d = before * b + (harmonic[each(groups.above + places.length)] - harmonic[places.number])
    alpha = each(groups.before + 1) * b + each(groups.mean) * d

    sum_alpha, alpha_d, d_d = sums(alpha), sums(alpha * d), sums(d * d)
    pairs, share_two = sums(before * b), sums(before * b * b)
    share_one = d_d - 2 * share_two
    share_none = pairs**2 - share_one - share_two
    mean = sum_alpha / groups.size
    spread = sums((alpha - each(mean)) ** 2) + (groups.size - places.length) * mean**2

    z = _Moments(groups.size.astype(np.float64), groups.count.astype(np.float64))
    linear = z.variance * spread
    mixed = z.z2z * alpha_d + z.zzz * (sum_alpha * pairs - alpha_d)
    square = z.z2z2 * share_two + z.z2zz * share_one + z.zzzz * share_none
    return linear + 2 * mixed + square - (z.zz * pairs) ** 2


class _Moments:
    """Means of products of z of distinct places, in tie groups of g candidates, r relevant.

    As the z of a group sum to zero, the means follow from the power sums of z.
    """

    def __init__(self, g: Floats, r: Floats) -> None:
        p, q = r / g, (g - r) / g
        s2 = g * p * q
        s3 = s2 * (q - p)
        s4 = s2 * (1 - 3 * p * q)
        of_two = _divide(1.0, g * (g - 1))
        of_three = _divide(of_two, g - 2)
        of_four = _divide(of_three, g - 3)
        self.variance = _divide(s2, g - 1)
        self.zz = -s2 * of_two
        self.z2z = -s3 * of_two
        self.zzz = 2 * s3 * of_three
        self.z2z2 = (s2**2 - s4) * of_two
        self.z2zz = (2 * s4 - s2**2) * of_three
        self.zzzz = (3 * s2**2 - 6 * s4) * of_four


def _divide(a: Floats | float, b: Floats) -> Floats:
    """Divide; 0 where a group has fewer places than the product takes."""
    return np.divide(a, b, out=np.zeros(len(b)), where=b > 0)
