"""What must hold for every measure, whatever the scores."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tiewise import evaluate_arrays
from tiewise.measures import MEASURES


def small_batch(seed=0, n_queries=40, width=60, levels=9):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, levels, (n_queries, width)).astype(float)
    gains = rng.choice([0.0, 0.0, 0.0, 1.0, 2.0], (n_queries, width))
    return scores, gains


EVERY = [
    *(f"{s}@{k}" for s in MEASURES if s != "Rprec" for k in (1, 5, 20, 100)),
    *MEASURES,
    "nDCG(gain=exp)@10",
    "AP(rel=2)@10",
]


def as_rows(results):
    return {
        name: np.array([r.expected, r.min, r.max, r.sd, r.oblivious]) for name, r in results.items()
    }


def test_bounds_hold_and_lie_between_0_and_1():
    for name, (expected, low, high, sd, oblivious) in as_rows(
        evaluate_arrays(*small_batch(), EVERY)
    ).items():
        assert (low <= expected).all()
        assert (expected <= high).all()
        assert (low <= oblivious).all()
        assert (oblivious <= high).all()
        assert (low >= 0).all()
        assert (sd >= 0).all()
        assert (sd <= (high - low) / 2 + 1e-15).all()
        assert name.startswith("Hits") or (high <= 1).all()


def test_without_ties_all_numbers_are_the_same_and_sd_is_exactly_0():
    _, gains = small_batch()
    scores = np.random.default_rng(1).permuted(
        np.tile(np.arange(gains.shape[1]) / 7, (len(gains), 1)), axis=1
    )
    for expected, low, high, sd, oblivious in as_rows(
        evaluate_arrays(scores, gains, EVERY)
    ).values():
        assert np.array_equal(low, high)
        assert np.array_equal(low, expected)
        assert np.array_equal(low, oblivious)
        assert not sd.any()


def test_a_perfect_ranking_scores_exactly_1():
    grades = np.array([[3, 3, 2, 1, 1, 0, 0, 0]])
    result = evaluate_arrays(grades, grades, ["nDCG", "nDCG@5", "nDCG(gain=exp)@4", "AP", "RR"])
    assert {r.expected.item() for r in result.values()} == {1.0}


def test_values_do_not_depend_on_the_size_of_pieces(monkeypatch):
    from tiewise.judging import blocks
    from tiewise.kernel import documents, ranking
    from tiewise.measures import first

    whole = as_rows(evaluate_arrays(*small_batch(), EVERY))
    for module, name in (
        (blocks, "BATCH"),
        (ranking, "PIECE"),
        (documents, "_PLACES"),
        (first, "_BLOCK"),
    ):
        monkeypatch.setattr(module, name, 7)
    pieces = as_rows(evaluate_arrays(*small_batch(), EVERY))
    assert all(np.array_equal(whole[m], pieces[m]) for m in whole)


def test_values_do_not_depend_on_other_queries():
    scores, gains = small_batch()
    whole = as_rows(evaluate_arrays(scores, gains, EVERY))
    for row in (0, 17):
        alone = as_rows(evaluate_arrays(scores[[row]], gains[[row]], EVERY))
        assert all(np.array_equal(whole[m][:, [row]], alone[m]) for m in whole)


def test_the_order_of_candidates_changes_the_oblivious_value_only():
    scores, gains = small_batch()
    order = np.random.default_rng(2).permutation(scores.shape[1])
    one = as_rows(evaluate_arrays(scores, gains, EVERY))
    other = as_rows(evaluate_arrays(scores[:, order], gains[:, order], EVERY))
    assert all(np.array_equal(one[m][:4], other[m][:4]) for m in one)
    assert not np.array_equal(one["RR"][4], other["RR"][4])


@pytest.mark.parametrize(
    "transform", [lambda s: -np.exp(-s), lambda s: s * 1e-300 - 3e-299, lambda s: s**3 + 0.1]
)
def test_a_strictly_increasing_transform_of_scores_changes_nothing(transform):
    scores, gains = small_batch()
    one = as_rows(evaluate_arrays(scores, gains, EVERY))
    other = as_rows(evaluate_arrays(transform(scores), gains, EVERY))
    assert all(np.array_equal(one[m], other[m]) for m in one)


@pytest.mark.parametrize(
    "dtype",
    [np.int8, np.uint8, np.int64, np.float16, np.float32, ml_dtypes.bfloat16, ml_dtypes.int4],
)
def test_every_numeric_dtype_of_scores_gives_the_same(dtype):
    scores, gains = small_batch(levels=7)
    one = as_rows(evaluate_arrays(scores, gains, ["nDCG@5", "RR"]))
    other = as_rows(evaluate_arrays(scores.astype(dtype), gains, ["nDCG@5", "RR"]))
    assert all(np.array_equal(one[m], other[m]) for m in one)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16", "int64", "uint8"])
def test_torch_tensors_are_read(dtype):
    torch = pytest.importorskip("torch")
    scores, gains = small_batch(levels=7)
    tensor = torch.tensor(scores).to(getattr(torch, dtype))
    one = as_rows(evaluate_arrays(scores, gains, ["AP@5"]))
    other = as_rows(evaluate_arrays(tensor, torch.tensor(gains), ["AP@5"]))
    assert np.array_equal(one["AP@5"], other["AP@5"])


def test_ndcg_equals_scikit_learn_where_that_is_defined():
    from sklearn.metrics import ndcg_score

    scores, gains = small_batch()
    for k in (1, 3, 10, 60):
        ours = evaluate_arrays(scores, gains, f"nDCG@{k}")[f"nDCG@{k}"].mean().expected
        assert ours == pytest.approx(ndcg_score(gains, scores, k=k), abs=1e-12)


def test_no_tie_group_is_too_large():
    n = 200_000
    gains = np.zeros((2, n))
    gains[0, :1] = 1
    gains[1, : n // 2] = 1
    names = ["RR", "AP", "nDCG", "Success@1000", "RBP(p=0.8)", "P@1000", "Rprec"]
    results = as_rows(evaluate_arrays(np.zeros((2, n)), gains, names))
    assert all(np.isfinite(r).all() for r in results.values())
    harmonic = np.sum(1 / np.arange(1, n + 1))
    assert results["RR"][0, 0] == pytest.approx(harmonic / n, rel=1e-12)
    assert results["AP"][0, 0] == pytest.approx(harmonic / n, rel=1e-12)
    assert results["Success@1000"][0, 0] == pytest.approx(1000 / n, rel=1e-12)
    assert results["Rprec"][0, 1] == pytest.approx(0.5, rel=1e-12)
