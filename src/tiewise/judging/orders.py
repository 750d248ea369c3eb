"""Random orders of the ties of a run, for questions that the closed forms do not answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tiewise.judging.arrays import batch_of
from tiewise.judging.pairing import Paired
from tiewise.kernel.documents import Batch, Relevant
from tiewise.kernel.ranking import Floats, Ints
from tiewise.measures import Measure
from tiewise.measures.base import share

_PLACES = 1 << 20
"""Sampled places held at a time."""


def random_sums(
    paired: Paired, measure: Measure, queries: Ints, n_orders: int, rng: np.random.Generator
) -> Floats:
    """Sum a measure over queries, for random orders of their ties.

    Parameters
    ----------
    paired : Paired
        A run and judgements.
    measure : Measure
        What to compute.
    queries : int64 (n,)
        Queries, as indices into ``paired.query_ids``.
    n_orders : int
        Orders to draw, each equally likely and independent of the others.
    rng : numpy.random.Generator
        Source of the orders.

    Returns
    -------
    float64 (n_orders,)
        One sum an order.
    """
    sums = np.zeros(n_orders)
    for block in paired.blocks(queries):
        batch = batch_of(block, [measure])
        step = max(1, _PLACES // max(1, len(batch.judged.query)))
        for first in range(0, n_orders, step):
            n = min(step, n_orders - first)
            sums[first : first + n] += sampled_values(measure, batch, n, rng).sum(axis=1)
    return sums


def sampled_values(
    measure: Measure, batch: Batch, n_orders: int, rng: np.random.Generator
) -> Floats:
    """Evaluate a measure for random orders of the tie groups.

    Parameters
    ----------
    measure : Measure
        What to compute.
    batch : Batch
        Q queries.
    n_orders : int
        Orders to draw, each equally likely and independent of the others.
    rng : numpy.random.Generator
        Source of the orders.

    Returns
    -------
    float64 (n_orders, Q)
        One row an order. Takes memory of n_orders x relevant documents.
    """
    docs, limit, norm = measure.documents(batch), measure.limit(batch), measure.norm(batch)
    places = random_places(docs, n_orders, rng)
    copies = _copies(docs, n_orders)
    values = measure.value(copies, places.ravel(), np.tile(limit, n_orders))
    return share(values, np.tile(norm, n_orders)).reshape(n_orders, batch.n_queries)


def random_places(docs: Relevant, n_orders: int, rng: np.random.Generator) -> Ints:
    """Draw places of documents, int64 (n_orders, E); documents of equal gain stay in order."""
    places = np.tile(docs.best, (n_orders, 1))
    groups = docs.groups
    for g in np.flatnonzero(groups.size > 1):
        start, count = groups.first[g], groups.count[g]
        offsets = _samples(int(groups.size[g]), int(count), n_orders, rng)
        gains = docs.gain[start : start + count]
        if (gains == gains[0]).all():
            offsets.sort(axis=1)
        else:
            offsets = rng.permuted(offsets, axis=1)
        places[:, start : start + count] = groups.above[g] + 1 + offsets
    return places


def _samples(size: int, count: int, n_samples: int, rng: np.random.Generator) -> Ints:
    """Draw `count` different numbers below `size`, (n_samples, count), in no particular order.

    Floyd's algorithm: Bentley and Floyd, "A sample of brilliance", Communications of the ACM 1987.
    """
    chosen = np.empty((n_samples, count), np.int64)
    for i, top in enumerate(range(size - count, size)):
        number = rng.integers(0, top + 1, n_samples)
        taken = (chosen[:, :i] == number[:, None]).any(axis=1)
        chosen[:, i] = np.where(taken, top, number)
    return chosen


def _copies(docs: Relevant, n: int) -> Relevant:
    """Repeat documents n times, each copy with queries of its own."""
    copy = np.repeat(np.arange(n) * docs.n_queries, len(docs.query))
    tiled = {
        name: np.tile(getattr(docs, name), n)
        for name in ("above", "size", "gain", "place", "best", "worst", "nth")
    }
    query = np.tile(docs.query, n) + copy
    return replace(docs, query=query, n_queries=n * docs.n_queries, **tiled)
