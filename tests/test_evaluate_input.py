"""What evaluation says about its input: queries left out, tables that cannot be used."""

from __future__ import annotations

import math
import warnings

import pandas as pd
import polars as pl
import pytest

from tiewise import InputError, coverage, evaluate
from tiewise.runs.coverage import CoverageWarning


def as_frame(table, value):
    rows = [(q, d, x) for q, docs in table.items() for d, x in docs.items()]
    return pl.DataFrame(rows, schema=["query_id", "doc_id", value], orient="row")


QRELS = {"both": {"a": 1}, "missing": {"a": 1}, "empty": {"a": 0}}
RUN = {"both": {"a": 1.0, "b": 1.0}, "empty": {"a": 1.0}, "unjudged": {"a": 1.0}}


def test_queries_that_count_as_zero_or_not_at_all_are_named():
    with pytest.warns(CoverageWarning) as caught:
        table = evaluate(QRELS, RUN, "RR")
    text = str(caught[0].message)
    assert "without judgements are left out, 1: 'unjudged'" in text
    assert "without candidates score 0, 1: 'missing'" in text
    assert "without relevant documents score 0, 1: 'empty'" in text
    assert table.select("expected", "n_queries").row(0) == (0.25, 3)


@pytest.mark.parametrize(
    ("options", "expected", "n"),
    [
        ({"missing": "skip"}, 0.375, 2),
        ({"empty": "skip"}, 0.375, 2),
        ({"empty": "skip", "missing": "skip"}, 0.75, 1),
    ],
)
def test_undefined_and_missing_queries_can_be_left_out(options, expected, n):
    with pytest.warns(CoverageWarning, match="are left out, 1: '(missing|empty)'"):
        row = evaluate(QRELS, RUN, "RR", **options)
    assert row.select("expected", "n_queries").row(0) == (expected, n)
    with pytest.warns(CoverageWarning):
        each = evaluate(QRELS, RUN, "RR", per_query=True, **options)
    assert len(each) == n


def test_coverage_counts_what_the_tables_share():
    found = coverage(QRELS, RUN)
    assert found.unjudged == ("unjudged",)
    assert found.missing == ("missing",)
    assert found.empty == ("empty",)
    assert (found.n_queries, found.n_candidates) == (3, 3)
    assert (found.n_judgements, found.n_judged_retrieved) == (3, 2)
    assert (found.n_relevant, found.n_relevant_retrieved) == (2, 1)
    assert coverage({"q": {"a": 1}}, {"q": {"a": 1.0}}).remarks() == []


def test_no_warning_without_reason():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "RR")


def test_candidates_of_another_collection_are_remarked():
    with pytest.warns(CoverageWarning, match="no judged document is a candidate"):
        evaluate({"q": {"a": 1}}, {"q": {"b": 1.0}}, "RR")


def test_no_query_in_common_is_an_error_that_shows_both():
    with pytest.raises(InputError, match=r"'q-1'.*'q1'"):
        evaluate({"q1": {"a": 1}}, {"q-1": {"a": 1.0}}, "RR")


def test_an_average_of_no_query_is_refused():
    with pytest.raises(InputError, match="no query is left"), pytest.warns(CoverageWarning):
        evaluate({"q": {"a": 0}}, {"q": {"a": 1.0}}, "RR", empty="skip")


def test_every_problem_of_a_call_is_named_at_once():
    run = pl.DataFrame(
        {
            "query_id": ["q"] * 5 + [None],
            "doc_id": ["a", "b", "a", "a", "c", "d"],
            "score": [1.0, math.nan, 2.0, 1.0, None, 0.0],
        }
    )
    qrels = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "a"], "grade": [1, 0]})
    with pytest.raises(InputError) as error:
        evaluate(
            qrels,
            run,
            ["nDGC@10", "P@0"],
            policy="trek",
            score_type="float46",
            empty="no",
            missing="yes",
        )
    text = "\n".join(error.value.problems)
    for part in (
        "did you mean 'nDCG'",
        "cutoff",
        "did you mean 'trec'",
        "did you mean 'float64'",
        "empty='no'",
        "missing='yes'",
        "qrels: documents listed more than once for a query, 1: query 'q' document 'a'",
        "run: query_id is missing in rows, 1: 5",
        "run: score is missing in rows, 1: 4",
        "run: score is NaN for 1: query 'q' document 'b'",
        "run: documents listed more than once",
    ):
        assert part in text, text


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        (pl.DataFrame({"query_id": ["q"], "doc_id": ["a"]}), RUN, "no column grade"),
        (QRELS, pl.DataFrame({"qid": ["q"]}), "no column query_id, doc_id, score.*found: qid"),
        (QRELS, as_frame(RUN, "score").with_columns(query_id=pl.lit(7)), "ids are strings"),
        (QRELS, as_frame(RUN, "score").with_columns(score=pl.lit("x")), "not a number"),
        (QRELS, as_frame(RUN, "score").with_columns(score=pl.lit(True)), "not a number"),
        (QRELS, {7: {"a": 1.0}}, "ids that are no strings, 1: 7"),
        (QRELS, {"q": {7: 1.0}}, "ids that are no strings, 1: 7"),
        (QRELS, {"q": ["a"]}, "without a mapping"),
        (QRELS, {"q": {"a": "1.0"}}, "no numbers, 1: '1.0'"),
        (QRELS, {"q": {"a": None}}, "no numbers, 1: None"),
        ({"q": {"a": math.inf}}, RUN, "grade is NaN or infinite"),
        (QRELS, {}, "run: empty"),
        ({}, RUN, "qrels: empty, there are no judgements"),
        (QRELS, as_frame(RUN, "score").with_columns(rank=pl.lit(1.5)), "not a whole number"),
        (QRELS, as_frame(RUN, "score").with_columns(score=pl.lit(2**60)), "beyond 2.53"),
        (QRELS, 7, "neither a frame"),
        (QRELS, pd.DataFrame({"query_id": ["q", 7], "doc_id": "a", "score": 1.0}), "no table"),
        (QRELS, pd.DataFrame({"query_id": [7], "doc_id": ["a"], "score": [1.0]}), "are strings"),
        (QRELS, [["q", "a", 1.0]], "neither a frame"),
    ],
)
def test_tables_that_cannot_be_used_are_refused(qrels, run, message):
    with pytest.raises(InputError, match=message):
        evaluate(qrels, run, "RR")


def test_policy_rank_needs_ranks_and_policy_random_a_seed():
    with pytest.raises(InputError, match="no column rank"):
        evaluate(QRELS, RUN, "RR", policy="rank")
    for policy in ("random", "random(-1)", "random(x)"):
        with pytest.raises(InputError, match="seed"):
            evaluate(QRELS, RUN, "RR", policy=policy)


def test_a_large_list_of_offenders_is_counted_not_spelled_out():
    docs = [f"d{i}" for i in range(500)]
    run = pl.DataFrame({"query_id": ["q"] * 1000, "doc_id": docs * 2, "score": [0.0] * 1000})
    with pytest.raises(InputError, match=r"500: .*'d0'.*\.\.\.$"):
        evaluate({"q": {"d0": 1}}, run, "RR")
