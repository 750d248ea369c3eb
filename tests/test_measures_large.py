"""Measures where brute force cannot go: exact fractions for large groups, and random orders."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import brute_force
from tiewise import evaluate_arrays
from tiewise.judging.arrays import batch_of, evaluate_blocks
from tiewise.judging.blocks import checked_blocks
from tiewise.judging.orders import sampled_values
from tiewise.measures import parse

K = 60


def moments(above, size, count, before, gain):
    """Mean and variance of sum of gain(place, hits so far) over relevant places, exactly.

    Walks through the places of one tie group; the state is how many of the group's relevant
    documents came already, each with its chance and the first two moments of the sum so far.
    """
    states = {0: (Fraction(1), Fraction(0), Fraction(0))}
    for offset in range(size):
        new: dict[int, tuple[Fraction, Fraction, Fraction]] = {}
        for seen, (chance, first, second) in states.items():
            hit = Fraction(count - seen, size - offset)
            x = gain(above + offset + 1, before + seen + 1)
            for seen_after, weight, added in ((seen + 1, hit, x), (seen, 1 - hit, 0)):
                if weight:
                    old = new.get(seen_after, (0, 0, 0))
                    new[seen_after] = (
                        old[0] + weight * chance,
                        old[1] + weight * (first + added * chance),
                        old[2] + weight * (second + 2 * added * first + added**2 * chance),
                    )
        states = new
    ((chance, first, second),) = states.values()
    assert chance == 1
    return first, second - first**2


GAINS = {
    "RR": lambda k: lambda place, hits: Fraction(1, place) if hits == 1 and place <= k else 0,
    "Success": lambda k: lambda place, hits: int(hits == 1 and place <= k),
    "AP": lambda k: lambda place, hits: Fraction(hits, place) if place <= k else 0,
    "Hits": lambda k: lambda place, hits: int(place <= k),
    "RBP(p=0.5)": lambda k: lambda place, hits: Fraction(1, 2**place) if place <= k else 0,
    "nDCG": lambda k: lambda place, hits: Fraction(1 / math.log2(place + 1)) if place <= k else 0,
}


@pytest.mark.parametrize(
    ("above", "size", "count"), [(0, 1500, 3), (7, 120, 5), (40, 90, 89), (2000, 2, 1)]
)
@pytest.mark.parametrize("k", [K, 10**6])
def test_a_large_group_after_others_equals_exact_fractions(above, size, count, k):
    before = min(above, 3)
    scores = np.concatenate([np.arange(above, 0, -1) + 1.0, np.zeros(size)])[None]
    gains = np.zeros_like(scores)
    gains[0, :before] = 1
    gains[0, above : above + count] = 1
    n_relevant = before + count
    results = evaluate_arrays(scores, gains, [f"{name}@{k}" for name in GAINS])
    ideal = sum(1 / math.log2(i + 2) for i in range(min(n_relevant, k)))
    norms = {"AP": n_relevant, "nDCG": ideal}
    for name, gain in GAINS.items():
        of_before = sum(gain(k)(i, i) for i in range(1, before + 1))
        mean, variance = moments(above, size, count, before, gain(k))
        norm = norms.get(name, 1)
        result = results[f"{name}@{k}"]
        assert result.expected.item() == pytest.approx(float(of_before + mean) / norm, abs=1e-12)
        assert result.sd.item() == pytest.approx(math.sqrt(variance) / norm, abs=1e-12)


@pytest.mark.parametrize(("size", "count"), [(5000, 1), (5000, 40), (20_000, 3)])
def test_expectations_of_groups_of_thousands_equal_exact_fractions(size, count):
    gains = np.zeros((1, size))
    gains[0, :count] = 1
    results = evaluate_arrays(np.zeros((1, size)), gains, ["AP", "Success@100", "P@100"])
    chance, pairs = Fraction(count, size), Fraction(count - 1, size - 1)
    harmonic = math.fsum(1 / j for j in range(1, size + 1))
    ap = float(chance / count) * (float(1 - pairs) * harmonic + float(pairs * size))
    success = 1 - Fraction(math.comb(size - count, 100), math.comb(size, 100))
    assert results["AP"].expected.item() == pytest.approx(ap, rel=1e-12)
    assert results["Success@100"].expected.item() == pytest.approx(float(success), rel=1e-12)
    assert results["P@100"].expected.item() == pytest.approx(float(chance), rel=1e-12)


def one_query():
    rng = np.random.default_rng(5)
    scores = rng.integers(0, 5, (1, 70)) / 2
    grades = rng.choice([0.0, 0.0, 1.0, 3.0], (1, 70))
    return scores, grades


NAMES = ["nDCG@20", "nDCG(gain=exp)", "RR(rel=3)@9", "AP@30", "AP", "RBP(p=0.8)", "Success@2"]


def test_100_000_random_orders_have_the_mean_and_sd_of_the_closed_forms():
    scores, grades = one_query()
    rng = np.random.default_rng(0)
    n = 100_000
    # A random key sorts every tie group at random.
    keys = rng.random((n, scores.shape[1]), dtype=np.float32)
    order = np.lexsort((keys, np.broadcast_to(-scores, keys.shape)))
    ranked = grades[0][order]
    results = evaluate_arrays(scores, grades, NAMES)
    for name in NAMES:
        measure = parse(name)
        options = {f: getattr(measure, f) for f in ("rel", "gain", "p") if hasattr(measure, f)}
        if measure.symbol == "nDCG":
            continue  # slow by the textbook; the next test draws its orders faster
        values = brute_force.values(
            ranked, grades[0].tolist(), measure.symbol, measure.cutoff, **options
        )
        expected, sd = results[name].expected.item(), results[name].sd.item()
        assert values.mean() == pytest.approx(expected, abs=5 * sd / math.sqrt(n))
        assert values.std() == pytest.approx(sd, rel=0.02)
        assert results[name].min.item() <= values.min()
        assert values.max() <= results[name].max.item() + 1e-12


def test_the_package_draws_orders_with_the_mean_and_sd_of_the_closed_forms():
    measures, blocks, _ = checked_blocks(*one_query(), NAMES, None, None, None, "float64")
    block = next(blocks)
    results = evaluate_blocks([block], measures, 1)
    batch = batch_of(block, measures)
    rng = np.random.default_rng(0)
    n = 20_000
    for measure in measures:
        values = sampled_values(measure, batch, n, rng)[:, 0]
        result = results[str(measure)]
        assert values.mean() == pytest.approx(
            result.expected.item(), abs=5 * result.sd.item() / math.sqrt(n)
        )
        assert values.std() == pytest.approx(result.sd.item(), rel=0.04)
        assert result.min.item() - 1e-12 <= values.min()
        assert values.max() <= result.max.item() + 1e-12
