"""Tests over queries: whether a difference would hold for other queries of the same kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_BATCH = 1 << 22
"""Resampled values held at a time."""


class Significance(NamedTuple):
    """A paired test and an interval; None where there are too few queries."""

    p_value: float | None
    ci_low: float | None
    ci_high: float | None


def paired_test(
    delta: NDArray[np.float64], *, resamples: int, confidence: float, seed: int
) -> Significance:
    """Test whether a mean difference over queries is 0, and find an interval for it.

    Parameters
    ----------
    delta : float64 (Q,)
        Difference of two runs for each query.
    resamples : int
        Random sign flips, and bootstrap samples; all 2^Q sign patterns where those are fewer.
    confidence : float
        Level of the interval, such as 0.95.
    seed : int
        Seed of both.

    Returns
    -------
    Significance
        Two-sided p-value of the paired randomisation test, and the bootstrap interval (bias
        corrected and accelerated). Fewer than two queries have neither.

    Examples
    --------
    >>> paired_test(np.zeros(5), resamples=99, confidence=0.95, seed=0)
    Significance(p_value=1.0, ci_low=0.0, ci_high=0.0)
    """
    if len(delta) < 2 or not resamples:
        return Significance(None, None, None)
    if (delta == delta[0]).all():
        # No spread over queries: the bootstrap has one value, and would divide by zero.
        p_value = 1.0 if delta[0] == 0 else _randomisation(delta, resamples, seed)
        return Significance(p_value, float(delta[0]), float(delta[0]))
    from scipy import stats

    interval = stats.bootstrap(
        (delta,),
        np.mean,
        n_resamples=resamples,
        batch=max(1, _BATCH // len(delta)),
        confidence_level=confidence,
        rng=np.random.default_rng(seed),
    ).confidence_interval
    p_value = _randomisation(delta, resamples, seed)
    return Significance(p_value, float(interval.low), float(interval.high))


def _randomisation(delta: NDArray[np.float64], resamples: int, seed: int) -> float:
    from scipy import stats

    test = stats.permutation_test(
        (delta,),
        lambda x, axis: np.mean(x, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=resamples,
        batch=max(1, _BATCH // len(delta)),
        rng=np.random.default_rng(seed),
    )
    return float(test.pvalue)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjust p-values of several tests for their number.

    Parameters
    ----------
    p_values : sequence of float or None
        None is no test.

    Returns
    -------
    list of float or None
        Holm's step-down adjustment, in the order given.

    Notes
    -----
    Source: Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal
    of Statistics 1979.

    Examples
    --------
    >>> holm([0.01, None, 0.04, 0.03])
    [0.03, None, 0.06, 0.06]
    """
    tests = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, i) in enumerate(tests):
        largest = max(largest, min(1.0, p * (len(tests) - rank)))
        adjusted[i] = largest
    return adjusted
