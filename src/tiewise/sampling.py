"""Random orders of the ties of a run, for questions that the closed forms do not answer."""

from __future__ import annotations

import numpy as np

from tiewise.arrays import batch_of
from tiewise.measures import Measure
from tiewise.measures.orders import sampled_values
from tiewise.pairing import Paired
from tiewise.scores import Floats, Ints

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
