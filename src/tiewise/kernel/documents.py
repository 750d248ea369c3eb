"""What a measure sees of a batch of queries: relevant documents, their tie groups and places."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from tiewise.kernel.ragged import Ragged, length_of, offset_of, starts_of
from tiewise.kernel.ranking import Floats, Ints, JudgedDocuments

_PLACES = 1 << 18
"""Places of tie groups looked at together."""


@dataclass(frozen=True)
class Judgements:
    """All judgements of a batch of queries, retrieved or not.

    Attributes
    ----------
    query : int64 (J,)
        Row of the batch, ascending.
    grade : float64 (J,)
        Relevance grade, descending within a query.
    """

    query: Ints
    grade: Floats


@dataclass(frozen=True)
class Batch:
    """A batch of Q queries: candidates that are judged, and everything that was judged."""

    judged: JudgedDocuments
    judgements: Judgements
    n_candidates: Ints
    _memo: dict[Hashable, Any] = field(default_factory=dict)

    @property
    def n_queries(self) -> int:
        """Queries in the batch."""
        return len(self.n_candidates)

    def relevant(
        self, key: Hashable, gain: Callable[[Floats], Floats], cutoff: int | None
    ) -> Relevant:
        """Documents with a positive gain, but for tie groups that begin beyond the cut-off.

        Measures of one gain, known by its key, and one cut-off share the result.
        """
        found: Relevant | None = self._memo.get((key, cutoff))
        if found is None:
            if cutoff is None:
                found = _relevant(self.judged, gain, self.n_queries)
            else:
                found = self.relevant(key, gain, None).within(cutoff)
            self._memo[key, cutoff] = found
        return found

    def n_relevant(self, rel: float) -> Ints:
        """Judged documents of each query with grade `rel` or more, retrieved or not."""
        relevant = self.judgements.query[self.judgements.grade >= rel]
        return np.bincount(relevant, minlength=self.n_queries)


@dataclass(frozen=True)
class Relevant:
    """Documents with a positive gain, tie group by tie group, the highest gain of a group first.

    Attributes
    ----------
    query, above, size : int64 (E,)
        As in `JudgedDocuments`.
    gain : float64 (E,)
        Positive gain.
    place, best, worst : int64 (E,)
        Places from 1: as the tie policy orders tie groups, and with the gains of every group in
        descending and in ascending order.
    nth : int64 (E,)
        1 for the first relevant document of a query, 2 for the second, ...
    n_queries : int
        Queries of the batch.
    """

    query: Ints
    above: Ints
    size: Ints
    gain: Floats
    place: Ints
    best: Ints
    worst: Ints
    nth: Ints
    n_queries: int

    def within(self, cutoff: int) -> Relevant:
        """Keep the tie groups that begin within the cut-off."""
        inside = self.above < cutoff
        if inside.all():
            return self
        kept = {
            f.name: getattr(self, f.name)[inside] for f in fields(self) if f.name != "n_queries"
        }
        return Relevant(**kept, n_queries=self.n_queries)

    def total(self, values: Floats) -> Floats:
        """Sum values of documents by query, float64 (Q,)."""
        return total(self.query, values, self.n_queries)

    @cached_property
    def harmonic(self) -> Floats:
        """Sum of 1/j over j <= n, for every n up to the last place of these tie groups."""
        table = np.zeros(int((self.above + self.size).max(initial=0)) + 1)
        np.cumsum(1.0 / np.arange(1, len(table)), out=table[1:])
        return table

    @cached_property
    def groups(self) -> Groups:
        """The tie groups of these documents."""
        first = np.flatnonzero(starts_of(self.query, self.above))
        count = np.diff(np.append(first, len(self.query)))
        size = self.size[first]
        total = np.add.reduceat(self.gain, first) if len(first) else np.empty(0)
        return Groups(
            query=self.query[first],
            above=self.above[first],
            size=size,
            count=count,
            before=self.nth[first] - 1,
            mean=total / size,
            members=self,
            first=first,
        )


@dataclass(frozen=True)
class Groups:
    """Tie groups that hold a relevant document.

    Attributes
    ----------
    query, above, size : int64 (G,)
        Row of the batch, candidates before the group, candidates in it.
    count, before : int64 (G,)
        Relevant documents in the group, and before it.
    mean : float64 (G,)
        Mean gain of the group's candidates, those without gain included.
    """

    query: Ints
    above: Ints
    size: Ints
    count: Ints
    before: Ints
    mean: Floats
    members: Relevant
    first: Ints

    def n_inside(self, limit: Ints) -> Ints:
        """Places of each tie group within its query's cut-off, int64 (G,)."""
        inside: Ints = np.clip(limit[self.query] - self.above, 0, self.size)
        return inside

    def by_place(self, limit: Ints, value: Callable[[Groups, Ragged], Floats]) -> Floats:
        """Compute a value of each tie group from its places within the cut-off.

        Parameters
        ----------
        limit : int64 (Q,)
            Cut-off of each query.
        value : callable
            Takes some of the groups and their places, gives one number a group.

        Returns
        -------
        float64 (G,)
            Computed piece by piece, so that memory stays bounded.
        """
        length = self.n_inside(limit)
        piece = np.cumsum(length) // _PLACES
        cuts = [*np.flatnonzero(starts_of(piece)), len(piece)]
        values = [np.empty(0)]
        for start, stop in pairwise(cuts):
            part = self if stop - start == len(piece) else self._part(slice(start, stop))
            values.append(value(part, Ragged(part.above + 1, length[start:stop])))
        return np.concatenate(values)

    def _part(self, part: slice) -> Groups:
        arrays = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "members"}
        return Groups(**{name: a[part] for name, a in arrays.items()}, members=self.members)

    def total(self, values: Floats) -> Floats:
        """Sum values of tie groups by query, float64 (Q,)."""
        return total(self.query, values, self.members.n_queries)

    @cached_property
    def gain_deviation(self) -> Floats:
        """Sum over each group's candidates of (gain - mean gain) squared, float64 (G,)."""
        if not len(self.first):
            return np.empty(0)
        centred = self.members.gain - np.repeat(self.mean, self.count)
        return np.add.reduceat(centred**2, self.first) + (self.size - self.count) * self.mean**2


def total(query: Ints, values: Floats, n_queries: int) -> Floats:
    """Sum values by query, float64 (Q,).

    Examples
    --------
    >>> total(np.array([0, 0, 2]), np.array([1.0, 2.0, 3.0]), 3)
    array([3., 0., 3.])
    """
    return np.bincount(query, values, minlength=n_queries).astype(np.float64, copy=False)


def _relevant(
    judged: JudgedDocuments, gain: Callable[[Floats], Floats], n_queries: int
) -> Relevant:
    gains = gain(judged.grade)
    keep = np.flatnonzero(gains > 0)
    query, above, size, place = (
        a[keep] for a in (judged.query, judged.above, judged.size, judged.place)
    )
    gains = gains[keep]
    group = np.cumsum(starts_of(query, above))
    order = np.lexsort((-gains, group))
    gains, place = gains[order], place[order]
    # Equal gains of a group form a block that keeps its order in the best and the worst case:
    # where both are the same order, both give the same sum to the last bit.
    i_group = offset_of(starts_of(group))
    new_block = starts_of(group, gains)
    i_block = offset_of(new_block)
    best = above + 1 + i_group
    worst = above + size + 1 - length_of(new_block) - (i_group - i_block) + i_block
    nth = 1 + offset_of(starts_of(query))
    return Relevant(query, above, size, gains, place, best, worst, nth, n_queries)
