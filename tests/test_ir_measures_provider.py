"""ir_measures users get our values with their own calls."""

from __future__ import annotations

import ir_measures
import pandas as pd
import pytest
from ir_measures import AP, RBP, RR, Judged, P, R, Rprec, ScoredDoc, SetF, Success, nDCG

from tiewise import InputError, evaluate
from tiewise.ir_measures_provider import expected, maximum, minimum

QRELS = {"q1": {"a": 2, "b": 1, "c": 0, "z": 1}, "q2": {"a": 1}, "missing": {"a": 1}}
RUN = {"q1": {"a": 0.5, "b": 0.5, "c": 0.5, "d": 0.25}, "q2": {"b": 0.75, "a": 0.5}}
MEASURES = [
    nDCG@2, nDCG, nDCG(dcg="exp-log2")@3, AP@2, AP, AP(rel=2), RR, RR@1, P@2, P(rel=2)@2, R@2,
    Success@1, Rprec, RBP(rel=1), RBP(p=0.5, rel=1), Judged@2,
]  # fmt: skip

pytestmark = pytest.mark.filterwarnings("ignore::tiewise.runs.coverage.CoverageWarning")


@pytest.mark.parametrize(
    ("provider", "quantity"), [(expected, "expected"), (minimum, "min"), (maximum, "max")]
)
def test_values_are_those_of_evaluate(provider: ir_measures.Provider, quantity: str) -> None:
    ours = evaluate(QRELS, RUN, [str(m) for m in MEASURES])[quantity].to_list()
    theirs = provider.calc_aggregate(MEASURES, QRELS, RUN)
    assert [theirs[m] for m in MEASURES] == pytest.approx(ours, abs=1e-12)


def test_untied_runs_have_the_values_of_ir_measures_itself() -> None:
    run = {q: {d: -float(i) for i, d in enumerate(docs)} for q, docs in RUN.items()}
    plain = [m for m in MEASURES if m.NAME not in ("RBP",) and m != nDCG(dcg="exp-log2") @ 3]
    theirs = ir_measures.calc_aggregate(plain, QRELS, run)
    ours = expected.calc_aggregate(plain, QRELS, run)
    for measure in plain:
        assert ours[measure] == pytest.approx(theirs[measure], abs=1e-9), measure


def test_each_query_has_a_value_for_each_measure() -> None:
    metrics = list(expected.iter_calc([RR, P @ 2], QRELS, RUN))
    assert sorted((m.query_id, str(m.measure)) for m in metrics) == sorted(
        (q, m) for q in QRELS for m in ("RR", "P@2")
    )
    assert {m.value for m in metrics if m.query_id == "missing"} == {0.0}


@pytest.mark.parametrize("form", ["frame", "tuples"])
def test_frames_and_named_tuples_are_taken(form: str) -> None:
    rows = [ScoredDoc(q, d, s) for q, docs in RUN.items() for d, s in docs.items()]
    run = pd.DataFrame(rows) if form == "frame" else iter(rows)
    assert expected.calc_aggregate([RR], QRELS, run) == expected.calc_aggregate([RR], QRELS, RUN)


def test_an_evaluator_serves_several_runs() -> None:
    evaluator = expected.evaluator([RR @ 10], QRELS)
    assert evaluator.calc_aggregate(RUN) == evaluator.calc_aggregate(RUN)


def test_in_front_of_the_pipeline_it_answers_every_call() -> None:
    providers = ir_measures.DefaultPipeline.providers
    providers.insert(0, expected)
    try:
        both = ir_measures.calc_aggregate([RR, SetF], QRELS, RUN)
    finally:
        providers.remove(expected)
    assert both[RR] == expected.calc_aggregate([RR], QRELS, RUN)[RR]
    assert both[SetF] == ir_measures.calc_aggregate([SetF], QRELS, RUN)[SetF]


@pytest.mark.parametrize("measure", [SetF, RBP, P(judged_only=True) @ 2, nDCG(gains={1: 3}) @ 2])
def test_what_is_defined_otherwise_is_not_supported(measure: ir_measures.Measure) -> None:
    assert not expected.supports(measure)


def test_a_document_listed_twice_is_refused() -> None:
    rows = [ScoredDoc("q1", "a", 1.0), ScoredDoc("q1", "a", 0.5)]
    with pytest.raises(InputError, match="more than once"):
        expected.calc_aggregate([RR], QRELS, rows)
