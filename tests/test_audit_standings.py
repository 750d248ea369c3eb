"""Runs side by side: the numbers of `evaluate` and `compare`, in one order, in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from tiewise import InputError, compare, evaluate
from tiewise.audit.standings import Comparison, compare_runs
from tiewise.report.compare_page import compare_page
from tiewise.report.compare_text import compare_text
from tiewise.report.console import plain_text
from tiewise.runs.frames import as_qrels, as_run

pytestmark = pytest.mark.filterwarnings("ignore::tiewise.runs.coverage.CoverageWarning")

QUERIES = [f"q{i}" for i in range(6)]
QRELS = as_qrels({q: {"a": 1, "b": 2} for q in QUERIES})


def run(best: str, *, levels: int, queries: list[str] = QUERIES) -> pl.DataFrame:
    """A run that puts one document first, with so many different scores."""
    docs = [best, *(d for d in "abcdef" if d != best)]
    return as_run({q: {d: float(-(i * levels // 6)) for i, d in enumerate(docs)} for q in queries})


RUNS = {
    "poor": run("f", levels=6),
    "coarse": run("b", levels=2),
    "fine": run("b", levels=6),
}
MEASURES = ["nDCG@3", "RR"]


def compared(**options: Any) -> Comparison:
    return compare_runs(QRELS, RUNS, MEASURES, resamples=99, **options)


def test_runs_stand_in_the_order_of_the_first_measure() -> None:
    result = compared()
    assert result.names == ["fine", "coarse", "poor"]
    assert result.measures == MEASURES
    first = result.standings.filter(pl.col("measure") == "nDCG@3")["expected"].to_list()
    assert first == sorted(first, reverse=True)
    assert result.standings["run"].to_list() == result.names * 2


@pytest.mark.parametrize("name", RUNS)
def test_standings_are_those_of_evaluate(name: str) -> None:
    rows = compared(policy="docid").standings.filter(pl.col("run") == name)
    expected = evaluate(QRELS, RUNS[name], MEASURES, policy="docid")
    assert_frame_equal(rows.select(expected.columns), expected)


def test_pairs_are_those_of_compare_in_the_order_of_the_standings() -> None:
    result = compared()
    runs = {name: RUNS[name] for name in result.names}
    assert_frame_equal(result.pairs, compare(QRELS, runs, MEASURES, resamples=99))


def test_sampling_intervals_hold_the_expected_value_and_know_no_ties() -> None:
    rng = np.random.default_rng(0)
    queries = [f"q{i}" for i in range(40)]
    qrels = as_qrels({q: {"a": 1} for q in queries})
    scores = {q: {d: float(s) for d, s in zip("abc", rng.random(3), strict=True)} for q in queries}
    tied = {q: dict.fromkeys("abc", 1.0) for q in queries}
    result = compare_runs(qrels, {"x": as_run(scores), "tied": as_run(tied)}, ["RR"])
    rows = {row["run"]: row for row in result.standings.iter_rows(named=True)}
    untied = rows["x"]
    assert untied["ci_low"] < untied["expected"] < untied["ci_high"]
    assert untied["min"] == untied["max"]
    # Every query has the same expected value, so the queries leave nothing open, but ties do.
    assert rows["tied"]["ci_low"] == rows["tied"]["ci_high"] == rows["tied"]["expected"]
    assert rows["tied"]["min"] < rows["tied"]["max"]


def test_the_verdict_counts_open_orders() -> None:
    assert compared().verdict == (
        "nDCG@3: of 3 orders, ties alone could turn 2: fine and coarse; coarse and poor.",
        "RR: of 3 orders, ties alone could turn 2: fine and coarse; coarse and poor.",
    )
    two = compare_runs(QRELS, {n: RUNS[n] for n in ("fine", "poor")}, ["RR"], resamples=0)
    assert two.verdict == ("RR: the order of the two runs is certain, whatever the order of ties.",)


def test_runs_that_cover_different_queries_are_named() -> None:
    runs = {**RUNS, "short": run("b", levels=6, queries=QUERIES[2:])}
    (remark,) = compare_runs(QRELS, runs, ["RR"], resamples=0).remarks
    for words in ("different queries", "short", "2: 'q0', 'q1'"):
        assert words in remark
    assert compared().remarks == ()


def test_a_baseline_is_compared_with_all_others() -> None:
    pairs = compared(baseline="poor").pairs
    assert set(pairs["run_b"]) == {"poor"}
    assert pairs.height == 4


@pytest.mark.parametrize(
    ("options", "words"),
    [({"baseline": "por"}, "did you mean 'poor'"), ({"policy": "best"}, "policy 'best'")],
)
def test_wrong_options_are_refused(options: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        compared(**options)


def test_one_run_is_no_comparison() -> None:
    with pytest.raises(InputError, match="at least two"):
        compare_runs(QRELS, {"fine": RUNS["fine"]}, ["RR"])


@pytest.mark.parametrize("resamples", [0, 99])
def test_text_and_page_show_every_run_and_pair(resamples: int) -> None:
    result = compare_runs(QRELS, {**RUNS, "<b>": RUNS["fine"]}, MEASURES, resamples=resamples)
    text = plain_text(compare_text(result, "title"))
    page = compare_page(result, title="title", notes=["odd"])
    for name in RUNS:
        assert name in text
        assert name in page
    assert "&lt;b&gt;" in page
    assert page.count('class="track"') == 8
    assert page.count('class="whisker"') == (9 if resamples else 1)
    assert page.count("%</td>") >= 1
    assert "odd" in page
