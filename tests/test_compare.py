"""Comparison of runs: the orders of ties, and apart from them the sample of queries."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import brute_force
from tiewise import InputError, compare, evaluate
from tiewise.judging.significance import holm, paired_test
from tiewise.runs.coverage import CoverageWarning

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1, "d": 1}, "q3": {"b": 1}}
RUNS = {
    "one": {
        "q1": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.5},
        "q2": {"a": 0.0, "b": 1.0, "c": 1.0},
        "q3": {"a": 2.0, "b": 2.0},
    },
    "two": {
        "q1": {"a": 0.0, "b": 1.0, "c": 0.0, "d": 0.5},
        "q2": {"a": 1.0, "b": 1.0, "d": 1.0},
        "q3": {"a": 1.0, "b": 2.0},
    },
    "three": {
        "q1": {"a": 3.0, "b": 1.0, "c": 4.0},
        "q2": {"a": 3.0, "d": 2.0},
        "q3": {"b": 2.0},
    },
}
PARAMETERS = {"RR": {}, "AP": {}, "nDCG": {}}


def values_of_all_orders(run, name, k):
    """Mean over queries for every combination of the queries' orders."""
    of_queries = []
    for query, judged in QRELS.items():
        grades = [judged.get(doc, 0) for doc in run[query]]
        ranked = brute_force.orders(list(run[query].values()), grades)
        of_queries.append(brute_force.values(ranked, list(judged.values()), name, k))
    return np.array([math.fsum(c) / len(QRELS) for c in itertools.product(*of_queries)])


@pytest.mark.parametrize(("name", "k"), [("RR", 2), ("AP", None), ("nDCG", 3)])
@pytest.mark.parametrize(("a", "b"), list(itertools.combinations(RUNS, 2)))
def test_what_ties_leave_open_equals_brute_force(name, k, a, b):
    spelling = name if k is None else f"{name}@{k}"
    table = compare(QRELS, {a: RUNS[a], b: RUNS[b]}, spelling, resamples=0, orders=20_000)
    row = table.row(0, named=True)
    of_a, of_b = (values_of_all_orders(RUNS[r], name, k) for r in (a, b))
    delta = (of_a[:, None] - of_b[None, :]).ravel()
    assert row["delta"] == pytest.approx(delta.mean(), abs=1e-12)
    assert row["delta_sd"] == pytest.approx(delta.std(), abs=1e-12)
    assert row["delta_min"] == pytest.approx(delta.min(), abs=1e-12)
    assert row["delta_max"] == pytest.approx(delta.max(), abs=1e-12)
    assert row["certain"] == (delta.min() > 1e-9 or delta.max() < -1e-9)
    assert row["p_greater"] == pytest.approx((delta > 1e-9).mean(), abs=0.02)


def test_runs_with_the_same_scores_do_not_differ():
    # Only the order of insertion differs: a difference would be an artefact of it.
    turned = {q: dict(reversed(docs.items())) for q, docs in RUNS["one"].items()}
    table = compare(QRELS, {"a": RUNS["one"], "b": turned}, ["RR", "nDCG@10"], policy="input")
    assert table["delta"].to_list() == [0.0, 0.0]
    assert table["p_value"].to_list() == [1.0, 1.0]
    assert not table["certain"].any()


def test_values_are_those_of_evaluate():
    table = compare(QRELS, RUNS, ["RR", "nDCG@3"], policy="docid", resamples=0)
    for row in table.iter_rows(named=True):
        one, other = (
            evaluate(QRELS, RUNS[row[side]], row["measure"], policy="docid").row(0, named=True)
            for side in ("run_a", "run_b")
        )
        assert row["expected_a"] == one["expected"]
        assert row["delta"] == one["expected"] - other["expected"]
        assert row["delta_min"] == one["min"] - other["max"]
        assert row["delta_max"] == one["max"] - other["min"]
        assert row["delta_oblivious"] == one["oblivious"] - other["oblivious"]


def many_queries(seed, n=300):
    rng = np.random.default_rng(seed)
    docs = [f"d{i}" for i in range(12)]
    return (
        {f"q{q}": {d: int(rng.random() < 0.3) for d in docs} | {"d0": 1} for q in range(n)},
        {f"q{q}": {d: float(rng.integers(0, 4)) for d in docs} for q in range(n)},
    )


def test_normal_and_sampled_chance_agree(monkeypatch):
    import sys

    qrels, a = many_queries(0)
    _, b = many_queries(1)
    normal = compare(qrels, {"a": a, "b": b}, ["RR@5", "nDCG@5"], resamples=0)
    monkeypatch.setattr(sys.modules["tiewise.judging.compare"], "NORMAL_FROM", 10**9)
    sampled = compare(qrels, {"a": a, "b": b}, ["RR@5", "nDCG@5"], resamples=0, orders=4000)
    assert normal["p_greater"].to_list() == pytest.approx(sampled["p_greater"].to_list(), abs=0.03)


def test_the_result_of_a_pair_does_not_depend_on_other_runs_and_measures():
    alone = compare(QRELS, {"one": RUNS["one"], "two": RUNS["two"]}, "RR", resamples=99)
    among = compare(QRELS, RUNS, ["AP", "RR"], resamples=99)
    among = among.filter(measure="RR", run_a="one", run_b="two")
    assert alone.drop("p_holm").equals(among.drop("p_holm"))


def test_a_baseline_is_compared_with_each_other_run():
    table = compare(QRELS, RUNS, "RR", baseline="two", resamples=0)
    assert table.select("run_a", "run_b").rows() == [("one", "two"), ("three", "two")]


def test_randomisation_test_is_exact_for_few_queries():
    delta = np.array([0.3, 0.1, 0.2, 0.4, 0.0])
    signs = np.array(list(itertools.product([1, -1], repeat=len(delta))))
    means = np.abs((signs * delta).mean(axis=1))
    expected = (means >= delta.mean() - 1e-12).mean()
    assert paired_test(delta, resamples=999, confidence=0.9, seed=0).p_value == expected


def test_interval_holds_the_mean_and_grows_with_confidence():
    delta = np.random.default_rng(0).normal(0.1, 1.0, 60)
    narrow, wide = (paired_test(delta, resamples=999, confidence=c, seed=1) for c in (0.8, 0.99))
    assert wide.ci_low < narrow.ci_low < delta.mean() < narrow.ci_high < wide.ci_high


def test_holm_never_lowers_and_keeps_the_order_of_p_values():
    p = [0.001, 0.2, 0.04, 0.03, None, 0.9]
    adjusted = holm(p)
    assert adjusted == pytest.approx([0.005, 0.4, 0.12, 0.12, None, 0.9])


@pytest.mark.filterwarnings("ignore::tiewise.runs.coverage.CoverageWarning")
def test_one_query_has_no_test_over_queries():
    row = compare({"q3": {"b": 1}}, {"x": {"q3": {"b": 1.0}}, "y": {"q3": {"a": 1.0}}}, "RR")
    assert row["certain"].item()
    assert row.select("p_value", "p_holm", "ci_low", "ci_high").row(0) == (None,) * 4


def test_a_query_missing_in_one_run_is_named_and_can_be_skipped():
    runs = {"all": RUNS["three"], "few": {"q1": RUNS["three"]["q1"]}}
    with pytest.warns(CoverageWarning, match=r"run 'few': .*'q2', 'q3'"):
        table = compare(QRELS, runs, "RR", resamples=0)
    assert table["n_queries"].item() == 3
    with pytest.warns(CoverageWarning, match="left out"):
        table = compare(QRELS, runs, "RR", resamples=0, missing="skip")
    assert table.select("n_queries", "delta").row(0) == (1, 0.0)


def test_all_problems_are_named_at_once():
    with pytest.raises(InputError) as error:
        compare(
            QRELS,
            {"one": RUNS["one"], "bad": {"q1": {"a": math.nan}}},
            ["nDGC@10", "RR@0"],
            baseline="on",
            policy="trek",
            score_type="float16",
            confidence=95,
            orders=0,
        )
    text = str(error.value)
    parts = ["nDCG", "cutoff", "'one'", "trec", "float32", "confidence=95", "orders=0", "'bad': "]
    for part in parts:
        assert part in text


def test_fewer_than_two_runs_are_refused():
    with pytest.raises(InputError, match="at least two"):
        compare(QRELS, {"one": RUNS["one"]}, "RR")
    with pytest.raises(InputError, match="mapping"):
        compare(QRELS, [RUNS["one"], RUNS["two"]], "RR")
