"""Every measure by its textbook definition, for every order that the scores allow.

Shares nothing with the package: rankings are written out one by one, a row of a matrix each.
"""

from __future__ import annotations

import itertools
import math

import numpy as np


def orders(scores, grades):
    """All rankings as a matrix of grades, (orders, candidates), each row equally likely."""
    ranked = np.empty((1, 0))
    for score in sorted(set(scores), reverse=True):
        group = [g for s, g in zip(scores, grades, strict=True) if s == score]
        # Documents of one grade are interchangeable: every distinct sequence of grades comes
        # from the same number of orders.
        inner = np.array(sorted(set(itertools.permutations(group))), dtype=float)
        ranked = np.hstack(
            [np.repeat(ranked, len(inner), axis=0), np.tile(inner, (len(ranked), 1))]
        )
    return ranked


def input_order(scores, grades):
    """The ranking of a stable sort, (1, candidates)."""
    ranked = sorted(zip(scores, grades, strict=True), key=lambda pair: -pair[0])
    return np.array([[grade for _, grade in ranked]], dtype=float)


def values(ranked, judged, name, k=None, *, rel=1, gain="linear", p=0.8):
    """The measure of each row of `ranked`; `judged` are all grades of the query."""
    n_orders, n = ranked.shape
    depth = n if k is None else k
    relevant = (ranked >= rel).astype(float)
    n_relevant = sum(g >= rel for g in judged)
    if name == "Rprec":
        depth = n_relevant
    top = relevant[:, :depth]
    hits = top.sum(axis=1)
    if name == "Hits":
        return hits
    if name in ("P", "Rprec"):
        return hits / depth if depth else hits * 0
    if name == "R":
        return hits / n_relevant if n_relevant else hits * 0
    if name == "R_cap":
        most = n_relevant if k is None else min(n_relevant, k)
        return hits / most if most else hits * 0
    if name == "F1":
        precision, recall = hits / depth if depth else hits * 0, hits / max(n_relevant, 1)
        total = precision + recall
        return np.divide(2 * precision * recall, total, out=np.zeros(n_orders), where=total > 0)
    if name == "Success":
        return (hits > 0).astype(float)
    place = np.arange(1, top.shape[1] + 1)
    if name == "RR":
        return np.max(top / place, axis=1, initial=0.0)
    if name == "AP":
        return (top * np.cumsum(top, axis=1) / place).sum(axis=1) / max(n_relevant, 1)
    if name == "RBP":
        return (top * (1 - p) * p ** (place - 1)).sum(axis=1)
    assert name == "nDCG"
    return _ndcg(ranked, judged, depth, k, gain)


def _ndcg(ranked, judged, depth, k, gain):
    def of(grade):
        return max(grade, 0.0) if gain == "linear" else 2 ** max(grade, 0.0) - 1

    def dcg(row, depth):
        return math.fsum(of(g) / math.log2(i + 1) for i, g in enumerate(row[:depth], 1))

    ideal = dcg(sorted(judged, reverse=True), len(judged) if k is None else k)
    return np.array([dcg(row, depth) / ideal if ideal else 0.0 for row in ranked.tolist()])


def tie_aware(scores, grades, judged, name, k=None, **parameters):
    """expected, min, max, sd, oblivious (input order) of one query."""
    every = values(orders(scores, grades), judged, name, k, **parameters)
    one = values(input_order(scores, grades), judged, name, k, **parameters)
    mean = math.fsum(every) / len(every)
    sd = math.sqrt(math.fsum((every - mean) ** 2) / len(every))
    return mean, every.min(), every.max(), sd, one[0]
