"""The audit of a run: its numbers are those of `evaluate`, and its words agree with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from tiewise import evaluate, tie_statistics
from tiewise.audit import Audit, audit
from tiewise.audit.origins import tie_sources
from tiewise.audit.tie_groups import n_tied, tie_counts, tie_groups
from tiewise.audit.worst import worst_queries
from tiewise.judging.pairing import Paired
from tiewise.precision.grids import BINARY_GRIDS, DecimalGrid
from tiewise.runs.frames import as_qrels
from tiewise.runs.policies import Policy

pytestmark = pytest.mark.filterwarnings("ignore::tiewise.runs.coverage.CoverageWarning")

QRELS = {
    "q1": {"a": 2, "c": 1, "x": 1},
    "q2": {"b": 1},
    "gone": {"a": 1},
    "empty": {"a": 0},
}
RUN = {
    "q1": {"a": 0.5, "b": 0.5, "c": 0.5, "d": 0.25, "e": 0.25},
    "q2": {"a": 0.9, "b": 0.8},
    "empty": {"a": 0.1},
    "unjudged": {"a": 0.1, "b": 0.1, "c": 0.1},
}


def run_of(scores: Any, per_query: int = 100) -> pl.DataFrame:
    """A run in one query per 100 scores."""
    scores = np.asarray(scores, dtype=np.float64)
    return pl.DataFrame(
        {
            "query_id": [f"q{i // per_query}" for i in range(len(scores))],
            "doc_id": [f"d{i}" for i in range(len(scores))],
            "score": scores,
        }
    )


def sources_of(run: pl.DataFrame) -> list[str]:
    qrels = run.unique("query_id", maintain_order=True).select("query_id", "doc_id", grade=1.0)
    groups, groups32 = (
        tie_groups(Paired(qrels, run, Policy("trec"), kind)) for kind in ("float64", "float32")
    )
    return [source.kind for source in tie_sources(groups, tie_counts(groups), n_tied(groups32))]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"policy": "docid", "empty": "skip", "missing": "skip"},
        {"policy": "input", "score_type": "float32"},
        {"policy": "random(3)", "missing": "skip"},
        {"policy": "trec", "score_type": "float32", "empty": "skip"},
        {"policy": "docid", "score_type": "float32"},
    ],
)
@pytest.mark.parametrize("measures", [["nDCG@2", "RR@2", "P@1"], ["AP", "Judged@2"]])
def test_tables_are_those_of_evaluate(options: dict[str, str], measures: list[str]) -> None:
    result = audit(QRELS, RUN, measures, **options)
    average = evaluate(QRELS, RUN, measures, **options)
    queries = evaluate(QRELS, RUN, measures, per_query=True, **options)
    assert_frame_equal(result.table.select(average.columns), average)
    assert_frame_equal(result.per_query, queries)
    assert_frame_equal(result.rows(per_query=True).head(queries.height), queries)
    assert_frame_equal(result.rows().drop("query_id"), average)


def test_a_constant_scorer_has_the_value_of_one_tie_group() -> None:
    flat = {query: dict.fromkeys(docs, 7.0) for query, docs in RUN.items()}
    expected = evaluate(QRELS, flat, ["nDCG@2", "RR"])["expected"].to_list()
    assert audit(QRELS, RUN, ["nDCG@2", "RR"]).table["constant"].to_list() == expected


def test_queries_that_move_are_those_with_a_range() -> None:
    result = audit(QRELS, RUN, ["nDCG@2", "RR@1", "R@3"])
    assert result.table["n_queries_moved"].to_list() == [1, 1, 0]


def test_ties_are_counted() -> None:
    ties = audit(QRELS, RUN).ties
    assert (ties.n_tied, ties.n_candidates, ties.n_queries_tied, ties.n_queries) == (5, 8, 1, 3)
    assert (ties.largest, ties.largest_query) == (3, "q1")
    assert (ties.n_queries_tied_at_cut, ties.most_tied_at_cut) == (1, 2)


@pytest.mark.parametrize("score_type", ["float64", "float32"])
def test_counts_of_tie_groups_are_those_of_tie_statistics(score_type: str) -> None:
    rng = np.random.default_rng(2)
    values = np.array([0.0, -0.0, 0.5, 0.5 + 1e-12, 0.75, -np.inf, np.inf])
    rows = [
        (f"q{q}", f"d{d}", float(rng.choice(values)))
        for q, length in enumerate([1, 2, 7, 30, 3, 30])
        for d in range(length)
    ]
    run = pl.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")
    qrels = {"none": {"d0": 1}, **{f"q{q}": {"d0": 1} for q in range(6)}}
    paired = Paired(as_qrels(qrels), run, Policy("trec"), score_type)
    counts = tie_counts(tie_groups(paired))
    expected = tie_statistics(run, score_type=score_type)
    assert_frame_equal(counts, expected.select(counts.columns))


def test_everything_left_out_is_said_with_its_count() -> None:
    text = "\n".join(audit(QRELS, RUN).left_out)
    for words in ("'unjudged'", "'gone'", "'empty'", "does not list: 2 of 5", "4 of 8"):
        assert words in text, words


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ({"q": {"a": 0.5, "b": 0.4}}, ["no two candidates", "as it is"]),
        ({"q": {"a": 0.1, "b": 0.1 + 1e-12}}, ["as float64", "2 candidates are tied for"]),
        ({"q": {"a": 0.5, "b": 0.4, "c": 0.4}}, ["every order of the 2 tied", "harmless"]),
        ({"q": {"a": 0.5, "b": 0.5}}, ["0.5000 if", "0.5000 to 1.0000", "0.7500", "range of 0.5"]),
    ],
)
def test_the_verdict_says_what_the_ties_do(
    run: dict[str, dict[str, float]], words: list[str]
) -> None:
    first, second = audit({"q": {"a": 1}}, run, ["RR@10"]).verdict
    for word in words:
        assert word in f"{first} {second}"


def test_the_verdict_names_the_measures_that_move_alone() -> None:
    result = audit({"q": {"a": 1}}, {"q": {"a": 0.5, "b": 0.5}}, ["P@2", "RR@1"])
    assert "RR@1" in result.verdict[0]


RNG = np.random.default_rng(5)
SPREAD = RNG.uniform(0.3, 0.9, 2000)


@pytest.mark.parametrize("name", [n for n in BINARY_GRIDS if n != "fp32"])
def test_the_format_of_low_precision_scores_is_recognised(name: str) -> None:
    assert sources_of(run_of(BINARY_GRIDS[name].round(SPREAD))) == [name]


@pytest.mark.parametrize("name", ["bf16", "fp16"])
def test_a_format_is_recognised_through_its_printed_digits(name: str) -> None:
    scores = BINARY_GRIDS[name].round(SPREAD)
    printed = DecimalGrid(6).round(scores)
    assert not (printed == scores).all()
    assert sources_of(run_of(printed)) == [name]


@pytest.mark.parametrize("digits", [0, 1, 2, 3])
def test_printed_digits_are_recognised(digits: int) -> None:
    scores = DecimalGrid(digits).round(SPREAD * 100)
    assert sources_of(run_of(scores)) == [f"1e-{digits}"]


def test_equal_scores_off_every_grid_are_the_rankers_own() -> None:
    scores = np.repeat(SPREAD[:1000], 2)
    assert sources_of(run_of(scores)) == ["equal"]
    # Whole numbers up to two millions: so wide a grid makes no ties by itself.
    whole = np.repeat(RNG.permutation(2_000_000)[:1000], 2)
    assert sources_of(run_of(whole)) == ["equal"]


def test_saturated_and_constant_scores_are_recognised() -> None:
    saturated = 1 / (1 + np.exp(-RNG.normal(30, 20, 1000)))
    assert "saturated" in sources_of(run_of(saturated))
    assert sources_of(run_of(np.full(1000, 0.123456789))) == ["constant"]
    assert "constant" in sources_of(run_of(np.append(np.full(100, 0.7), SPREAD)))


def test_ties_of_float32_alone_are_recognised() -> None:
    scores = np.repeat(SPREAD[:100], 2) + np.tile([0, 1e-12], 100)
    assert sources_of(run_of(scores)) == ["float32"]
    assert sources_of(run_of(SPREAD)) == ["none"]


def test_infinite_scores_are_no_evidence_of_a_grid() -> None:
    scores = np.append(BINARY_GRIDS["bf16"].round(SPREAD), [-np.inf, -np.inf, np.inf])
    assert sources_of(run_of(scores)) == ["bf16"]
    assert sources_of(run_of([-np.inf, -np.inf])) == ["constant"]


def test_the_worst_queries_come_with_the_groups_that_move_them() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 1, "e": 1, "f": -1}}
    run = {
        "q1": {"x": 3.0, "a": 2.0, "y": 2.0},
        "q2": {"b": 3.0, "c": 3.0, "d": 3.0, "e": 2.0, "f": 1.0, "g": 1.0, "h": 0.0, "i": 0.0},
    }
    result = audit(qrels, run, ["RR@3"])
    frames = [
        pl.DataFrame(
            [(q, d, float(v)) for q, docs in table.items() for d, v in docs.items()],
            schema=["query_id", "doc_id", column],
            orient="row",
        )
        for table, column in ((qrels, "grade"), (run, "score"))
    ]
    first, second = worst_queries(result.per_query, *frames, "RR@3")
    assert (first.query_id, second.query_id) == ("q2", "q1")
    (group,) = first.groups
    assert (group.first, group.last, group.size, group.n_relevant) == (1, 3, 3, 1)
    assert group.documents == (("b", 1.0), ("c", None), ("d", None))
    assert [(g.first, g.last) for g in second.groups] == [(2, 3)]
    assert len(worst_queries(result.per_query, *frames, "RR@3", n=1)) == 1


def test_files_frames_and_dictionaries_give_the_same_audit(tmp_path: Path) -> None:
    lines = [f"{q} Q0 {d} 0 {s!r} t\n" for q, docs in RUN.items() for d, s in docs.items()]
    (tmp_path / "run.txt").write_text("".join(lines))
    lines = [f"{q} 0 {d} {g}\n" for q, docs in QRELS.items() for d, g in docs.items()]
    (tmp_path / "qrels.txt").write_text("".join(lines))
    a: Audit = audit(tmp_path / "qrels.txt", tmp_path / "run.txt")
    b = audit(QRELS, RUN)
    assert_frame_equal(a.table, b.table)
    assert_frame_equal(a.toolkits, b.toolkits)
    assert (a.ties, a.sources, a.left_out) == (b.ties, b.sources, b.left_out)
