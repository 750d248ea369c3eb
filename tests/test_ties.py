"""Tie groups and their statistics."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tiewise import InputError, tie_statistics
from tiewise.kernel import ranking as scoring

ANY_FLOAT = st.floats(allow_nan=False) | st.sampled_from([0.0, -0.0, np.inf, -np.inf, 5e-324])
NARROW = st.floats(width=16, allow_nan=False)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from([ANY_FLOAT, NARROW, st.integers(-2, 2).map(float)]).flatmap(
        lambda score: arrays(
            np.float64, st.tuples(st.integers(1, 4), st.integers(1, 40)), elements=score
        )
    )
)
def test_ranking_equals_that_of_a_stable_argsort(scores):
    keys, bits = scoring.rank_keys(scores)
    columns = np.argsort(-scores, axis=1, kind="stable")
    assert np.array_equal(keys & ((1 << bits) - 1), columns)
    ordered = np.take_along_axis(scores, columns, axis=1)
    group = keys >> bits
    assert np.array_equal(group[:, 1:] == group[:, :-1], ordered[:, 1:] == ordered[:, :-1])


def test_both_ways_to_rank_agree_on_scores_that_allow_either():
    scores = np.random.default_rng(0).normal(size=(5, 300)).astype(ml_dtypes.bfloat16)
    scores = scores.astype(np.float64)
    short, bits = scoring.rank_keys(scores)
    low = (1 << bits) - 1
    assert not (scores.view(np.int64) & low).any(), "these scores take the quick way"
    general = scoring._keys_of_any_float(-scores, bits)
    assert np.array_equal(short & low, general & low)
    assert np.array_equal(np.diff(short >> bits) == 0, np.diff(general >> bits) == 0)


def brute_force_statistics(scores):
    groups = [scores.count(s) for s in set(scores)]
    tied = [g for g in groups if g > 1]
    lowest = scores.count(min(scores))
    return {
        "n_candidates": len(scores),
        "n_distinct_scores": len(groups),
        "n_tie_groups": len(tied),
        "largest_tie_group": max(groups),
        "n_tied": sum(tied),
        "share_tied": sum(tied) / len(scores),
        "n_tied_at_cut": lowest if lowest > 1 else 0,
    }


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.sampled_from([-np.inf, -1.0, 0.0, 0.5]), min_size=1), min_size=1))
def test_statistics_equal_a_count_by_hand(lists):
    run = {f"q{i}": {f"d{j}": s for j, s in enumerate(x)} for i, x in enumerate(lists)}
    table = tie_statistics(run)
    assert table["query_id"].to_list() == list(run)
    for row, scores in zip(table.iter_rows(named=True), lists, strict=True):
        del row["query_id"]
        assert row == brute_force_statistics(scores)


def test_positive_and_negative_zero_are_one_score():
    assert tie_statistics({"q": {"a": 0.0, "b": -0.0}})["n_distinct_scores"].item() == 1


def test_a_tie_group_is_spurious_as_soon_as_its_reference_scores_differ():
    run = {"q": {"a": 2.0, "b": 2.0, "c": 1.0, "d": 1.0, "e": 1.0, "f": 0.0}}
    reference = {"q": {"a": 2.0, "b": 2.0, "c": 1.1, "d": 1.0, "e": 1.0, "f": 0.0, "g": 7.0}}
    row = tie_statistics(run, reference).row(0, named=True)
    assert (row["n_tied"], row["n_spurious"], row["n_genuine"]) == (5, 3, 2)


def test_a_reference_must_score_every_candidate():
    run = {"q": {"a": 2.0, "b": 1.0}}
    with pytest.raises(InputError, match=r"1: 'q b'"):
        tie_statistics(run, {"q": {"a": 2.0}})


def test_score_type_float32_sees_the_ties_of_an_older_trec_eval():
    run = {"q": {"a": 1.0 + 1e-9, "b": 1.0}}
    assert tie_statistics(run)["n_tied"].item() == 0
    assert tie_statistics(run, score_type="float32")["n_tied"].item() == 2


def test_statistics_do_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "query_id": [f"q{i % 7}" for i in range(300)],
            "doc_id": [f"d{i}" for i in range(300)],
            "score": rng.integers(0, 20, 300) / 4,
        }
    )
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=3)
    one, other = (tie_statistics(f).sort("query_id") for f in (frame, shuffled))
    assert one.equals(other)
