"""Compare runs: what ties leave open, and apart from it what the choice of queries leaves open."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from itertools import combinations
from statistics import NormalDist
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiewise.errors import InputError, Problems, did_you_mean
from tiewise.judging.arrays import evaluate_blocks
from tiewise.judging.orders import random_sums
from tiewise.judging.request import Measures, QrelsSource, Request, RunSource
from tiewise.judging.significance import holm, paired_test
from tiewise.kernel.ranking import Floats, Ints
from tiewise.measures import Measure, TieAware
from tiewise.measures.base import ROUNDING

NORMAL_FROM = 200
"""Queries with open ties from which their mean counts as normally distributed."""


def compare(
    qrels: QrelsSource,
    runs: Mapping[str, RunSource],
    measures: Measures,
    *,
    baseline: str | None = None,
    policy: str = "trec",
    score_type: str = "float64",
    empty: str = "zero",
    missing: str = "zero",
    orders: int = 10_000,
    resamples: int = 9_999,
    confidence: float = 0.95,
    seed: int = 0,
) -> pl.DataFrame:
    """Compare two or more runs, ties and the sample of queries kept apart.

    Parameters
    ----------
    qrels : frame, mapping or path
        Judgements, as for `tiewise.evaluate`.
    runs : mapping of str to frame, mapping or path
        At least two runs by name.
    measures : str, Measure, or several
        Such as ``["nDCG@10", "RR@10"]``.
    baseline : str, optional
        Compare all runs with this one; default: all pairs, in the order given.
    policy, score_type, empty, missing
        As for `tiewise.evaluate`. With ``missing="skip"`` a query counts where both runs have it.
    orders : int
        Orders drawn for `p_greater` where fewer than 200 queries have open ties; its standard
        error is then at most 0.5 / sqrt(orders).
    resamples : int
        Resamples of the test and of the interval over queries; 0 leaves both out (null).
    confidence : float
        Level of the interval, above 0 and below 1.
    seed : int
        Seed of orders and resamples.

    Returns
    -------
    polars.DataFrame
        One row for each measure and pair (a, b) with

        - measure, run_a, run_b, expected_a, expected_b
        - of the orders of ties: delta (expected a - b), delta_min, delta_max (over all orders),
          delta_sd, delta_oblivious (under the policy), certain (whether the bounds exclude 0),
          p_greater (chance that a scores more than b, all orders of ties equally likely)
        - of the sample of queries, on expected values: p_value (two-sided paired randomisation
          test), p_holm (adjusted for the pairs of one measure), ci_low, ci_high (bootstrap
          interval of delta)
        - policy, n_queries

    Raises
    ------
    InputError
        Naming every problem of the call.

    Notes
    -----
    `p_greater` is 1 or 0 where the bounds say so. From 200 queries with open ties it is that of a
    normal distribution, as queries' orders are independent; else it is the share among `orders`
    random orders.

    Examples
    --------
    >>> qrels = {"q": {"a": 1}}
    >>> runs = {"tied": {"q": {"a": 1.0, "b": 1.0}}, "low": {"q": {"a": 0.0, "b": 1.0}}}
    >>> row = compare(qrels, runs, "RR").row(0, named=True)
    >>> row["delta"], row["delta_min"], row["delta_max"], row["delta_sd"], row["certain"]
    (0.25, 0.0, 0.5, 0.25, False)
    >>> abs(row["p_greater"] - 0.5) < 0.02
    True
    """
    if not isinstance(runs, Mapping):
        raise InputError(f"runs: a {type(runs).__name__} is no mapping {{name: run}}")
    problems = Problems()
    problems.attempt(_check_options, orders, resamples, confidence, seed)
    pairs = problems.attempt(_pairs, runs, baseline)
    labelled = {_label(name): run for name, run in runs.items()}
    request = problems.attempt(
        Request, qrels, labelled, measures, policy, score_type, empty, missing
    )
    problems.stop()
    judged = {name: _Judged(request, name, orders, seed) for name in runs}
    rows: list[dict[str, object]] = []
    for measure in request.measures:
        tests = []
        for a, b in pairs:
            keep = request.kept(judged[a].paired, judged[b].paired).to_numpy()
            row, delta = _compared(measure, judged[a], judged[b], keep)
            test = paired_test(delta, resamples=resamples, confidence=confidence, seed=seed)
            tests.append(test.p_value)
            rows.append(row | test._asdict() | {"policy": str(request.policy)})
        for row, adjusted in zip(rows[-len(pairs) :], holm(tests), strict=True):
            row["p_holm"] = adjusted
    return pl.DataFrame(rows, schema=_SCHEMA)


_SCHEMA = {
    "measure": pl.String,
    "run_a": pl.String,
    "run_b": pl.String,
    "expected_a": pl.Float64,
    "expected_b": pl.Float64,
    "delta": pl.Float64,
    "delta_min": pl.Float64,
    "delta_max": pl.Float64,
    "delta_sd": pl.Float64,
    "delta_oblivious": pl.Float64,
    "certain": pl.Boolean,
    "p_greater": pl.Float64,
    "p_value": pl.Float64,
    "p_holm": pl.Float64,
    "ci_low": pl.Float64,
    "ci_high": pl.Float64,
    "policy": pl.String,
    "n_queries": pl.Int64,
}


def _label(name: str) -> str:
    """Name a run in messages."""
    return f"run {name!r}"


def _pairs(runs: Mapping[str, RunSource], baseline: str | None) -> list[tuple[str, str]]:
    if len(runs) < 2:
        raise InputError(f"runs: at least two are needed, found {len(runs)}")
    if baseline is None:
        return list(combinations(runs, 2))
    if baseline not in runs:
        raise InputError(f"baseline {baseline!r} is no run: {did_you_mean(baseline, runs)}")
    return [(name, baseline) for name in runs if name != baseline]


class _Judged:
    """One run, evaluated."""

    def __init__(self, request: Request, name: str, orders: int, seed: int) -> None:
        self.name, self.paired = name, request.paired(_label(name), stacklevel=4)
        self._orders, self._seed = orders, seed
        self.values = evaluate_blocks(self.paired.blocks(), request.measures, self.paired.n_queries)

    def sampled_sum(self, measure: Measure, open_queries: Ints) -> Floats:
        """Sum of a measure over some queries for random orders of ties, float64 (orders,)."""
        # Seeded by what is drawn, so that neither other runs nor other measures change it.
        rng = np.random.default_rng([self._seed, *f"{self.name} {measure}".encode()])
        return random_sums(self.paired, measure, open_queries, self._orders, rng)


def _compared(
    measure: Measure, a: _Judged, b: _Judged, keep: NDArray[np.bool_]
) -> tuple[dict[str, object], Floats]:
    """Compare two runs by the orders of their ties; return the difference of queries as well."""
    each_a, each_b = (_kept(run.values[str(measure)], keep) for run in (a, b))
    of_a, of_b = each_a.mean(), each_b.mean()
    low, high = float(of_a.min - of_b.max), float(of_a.max - of_b.min)
    row: dict[str, object] = {
        "measure": str(measure),
        "run_a": a.name,
        "run_b": b.name,
        "expected_a": float(of_a.expected),
        "expected_b": float(of_b.expected),
        "delta": float(of_a.expected - of_b.expected),
        "delta_min": low,
        "delta_max": high,
        "delta_sd": math.hypot(_sd(of_a), _sd(of_b)),
        "delta_oblivious": float(of_a.oblivious - of_b.oblivious),
        "certain": low > ROUNDING or high < -ROUNDING,
        "n_queries": int(keep.sum()),
    }
    row["p_greater"] = _p_greater(measure, a, b, keep, row)
    return row, each_a.expected - each_b.expected


def _p_greater(
    measure: Measure, a: _Judged, b: _Judged, keep: NDArray[np.bool_], row: Mapping[str, Any]
) -> float:
    """Chance that the mean of a is greater, all orders of ties equally likely."""
    if row["delta_min"] > ROUNDING:
        return 1.0
    if row["delta_max"] <= ROUNDING:
        return 0.0
    open_a, open_b = (keep & (run.values[str(measure)].range > 0) for run in (a, b))
    if open_a.sum() + open_b.sum() >= NORMAL_FROM:
        return 1 - NormalDist(row["delta"], row["delta_sd"]).cdf(0)
    sums = []
    for run, opened in ((a, open_a), (b, open_b)):
        fixed = math.fsum(run.values[str(measure)].expected[keep & ~opened])
        sums.append(fixed + run.sampled_sum(measure, np.flatnonzero(opened)))
    return float(np.mean((sums[0] - sums[1]) / keep.sum() > ROUNDING))


def _kept(values: TieAware, keep: NDArray[np.bool_]) -> TieAware:
    return TieAware(**{f.name: getattr(values, f.name)[keep] for f in fields(values)})


def _sd(mean: TieAware) -> float:
    return 0.0 if mean.sd is None else float(mean.sd)


def _check_options(orders: int, resamples: int, confidence: float, seed: int) -> None:
    counts = (("orders", orders, 1), ("resamples", resamples, 0), ("seed", seed, 0))
    problems = Problems(
        f"{name}={value!r} must be a whole number, at least {least}"
        for name, value, least in counts
        if isinstance(value, bool) or not isinstance(value, int) or value < least
    )
    if not 0 < confidence < 1:
        problems.append(f"confidence={confidence!r} must lie between 0 and 1")
    problems.stop()
