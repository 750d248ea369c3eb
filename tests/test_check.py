"""A verdict and a reason for every published number, and claims that hold or do not."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from rich.console import Console

from fabricated import ROOT, fabricate, paper_study, study_of
from steps import ALL_KINDS, empty, verdicts
from tiewise.errors import InputError
from tiewise.report.check import Check, check, check_text
from tiewise.report.tables.study import write_tables
from tiewise.store.artifacts import read_artifact
from tiewise.study.published import (
    expected_values,
    published_files,
    read_published,
    write_expected,
)
from tiewise.study.steps.check_claims import CLAIMS, Evidence
from tiewise.study.steps.check_published import compared

HEAD = "dataset,model,regime,measure,quantity,policy,published,tolerance\n"
CELL = {"dataset": "d", "model": "m", "regime": "bf16", "measure": "RR@10", "policy": "input"}
VALUES = {"expected": 0.5, "min": 0.45, "max": 0.56, "range": 0.11, "oblivious": 0.55, "bias": 0.05}


def summary(**values: float) -> pl.DataFrame:
    return pl.DataFrame([CELL | VALUES | values])


def published(quantity: str, value: float, **changes: Any) -> dict[str, Any]:
    numbers = {"quantity": quantity, "published": value, "tolerance": 1.0, "n_decimals": 2}
    return CELL | numbers | changes


@pytest.mark.parametrize(
    ("quantity", "value", "verdict"),
    [
        ("expected", 50.00, "exact"),
        ("expected", 50.004, "exact"),
        ("expected", 45.00, "within tie range"),
        ("expected", 44.50, "outside"),
        ("oblivious", 56.00, "within tie range"),
        ("oblivious", 57.00, "outside"),
        ("bias", 6.00, "within tie range"),
        ("bias", -6.00, "outside"),
        ("range", 11.90, "within tolerance"),
        ("range", 12.10, "outside"),
    ],
)
def test_each_verdict_is_given_where_it_belongs(quantity: str, value: float, verdict: str) -> None:
    found = compared(published(quantity, value), summary())
    assert found["verdict"] == verdict, found["reason"]
    assert found["difference"] == pytest.approx(100 * VALUES[quantity] - value)
    assert found["reason"]


def test_a_number_just_outside_the_tie_range_may_be_within_tolerance() -> None:
    assert compared(published("expected", 56.5), summary())["verdict"] == "outside"
    assert compared(published("oblivious", 44.5), summary(oblivious=0.45))["verdict"] == (
        "within tolerance"
    )


def test_without_ties_no_order_explains_a_difference() -> None:
    untied = summary(min=0.5, max=0.5, range=0.0)
    assert compared(published("expected", 50.9), untied)["verdict"] == "within tolerance"
    assert compared(published("expected", 51.1), untied)["verdict"] == "outside"


@pytest.mark.parametrize("key", ["dataset", "model", "regime", "measure", "policy"])
def test_a_cell_that_the_study_lacks_has_no_number_and_says_what_is_missing(key: str) -> None:
    found = compared(published("expected", 50.0, **{key: "other"}), summary())
    assert found["reproduced"] is None
    assert found["verdict"] == "not in this study"
    assert found["reason"] == f"no {key} other"


def test_any_stands_for_the_largest_and_says_which() -> None:
    rows = pl.concat([summary(), summary(bias=0.08).with_columns(model=pl.lit("wide"))])
    found = compared(published("bias", 8.0, model="any", measure="any"), rows)
    assert found["verdict"] == "exact"
    assert "wide on d, RR@10" in found["reason"]


def test_every_wrong_line_of_a_file_is_named_at_once(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(
        "# from a paper\n" + HEAD + "d,m,bf16,RR@10,expectd,input,1,1\n"
        "d,m,bf16,RR@10,bias,input,x,1\nd,m\n"
    )
    with pytest.raises(InputError) as caught:
        read_published([path])
    said = str(caught.value)
    for part in ("p.csv:3: quantity 'expectd'", "did you mean 'expected'?", "p.csv:4", "p.csv:5"):
        assert part in said
    path.write_text("a,b\n")
    with pytest.raises(InputError, match="the columns must be"):
        read_published([path])


def test_decimals_are_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(HEAD + "d,m,bf16,RR@10,bias,input,9.080,0.5\n")
    row = read_published([path]).row(0, named=True)
    assert (row["source"], row["published"], row["n_decimals"]) == ("p", 9.08, 3)


def test_the_shipped_numbers_of_the_paper_are_those_that_are_known() -> None:
    [path] = [p for p in published_files(paper_study(), ROOT) if p.stem == "yang2026"]
    rows = read_published([path])
    assert rows.height == 11
    assert set(rows["dataset"]) == {"miracl-paper"}
    expected = rows.filter(pl.col("regime") == "bf16-hps", pl.col("quantity") == "expected")
    assert sorted(expected["published"]) == [73.35, 74.34]
    models = set(rows["model"]) - {"any"}
    assert models <= set(paper_study().models)


def test_a_study_reproduces_its_own_numbers_exactly(tmp_path: Path) -> None:
    study = study_of(["icd10cm", "cwe"])
    own = read_artifact(fabricate(study, tmp_path).summary())
    path = tmp_path / "own.csv"
    path.write_text(expected_values(own, study.config.table_measures, "input"))
    rows = read_published([path])
    assert rows.height == 2 * 3 * 2 * 4  # data sets x regimes x measures x quantities
    verdicts = {compared(row, own)["verdict"] for row in rows.iter_rows(named=True)}
    assert verdicts == {"exact"}


def test_numbers_of_models_that_a_study_trains_may_move_further(tmp_path: Path) -> None:
    study = study_of(["icd10cm"], ["all-minilm-l6-v2", "icd10cm-reranker-sigmoid"])
    write_tables(study, fabricate(study, tmp_path))
    path = tmp_path / "own.csv"
    write_expected(tmp_path, path)
    tolerances = dict(read_published([path]).select("model", "tolerance").iter_rows())
    assert tolerances == {"all-minilm-l6-v2": 0.05, "icd10cm-reranker-sigmoid": 1.5}


def test_a_finished_study_writes_a_file_that_it_reproduces(tmp_path: Path) -> None:
    study = study_of(["icd10cm"], ["all-minilm-l6-v2", "bge-reranker-v2-m3"])
    layout = fabricate(study, tmp_path)
    write_tables(study, layout)
    command = [sys.executable, "-m", "tiewise.study.published", str(tmp_path)]
    subprocess.run([*command, str(tmp_path / "own.csv")], check=True)
    verdicts(study, layout, [tmp_path / "own.csv"])
    found = check(tmp_path)
    assert set(found.verdicts["verdict"]) == {"exact"}
    assert found.verdicts.height == 2 * 3 * 2 * 4  # models x regimes x measures x quantities


def test_check_counts_what_is_outside_and_shows_every_verdict(tmp_path: Path) -> None:
    layout = fabricate(paper_study(), tmp_path)
    found = check(Path(layout.results))
    assert found.verdicts.filter(pl.col("source") == "yang2026").height == 11
    assert found.n_outside == found.verdicts["verdict"].to_list().count("outside") > 0
    console = Console(width=160, record=True)
    console.print(check_text(found))
    said = console.export_text()
    assert said.count("outside: differs by") == found.n_outside
    assert "of default are not in this study: no dataset icd10cm" in said
    for claim in CLAIMS:
        assert claim[:60] in said


def test_check_without_a_study_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="make reproduce"):
        check(tmp_path)


def test_nothing_published_is_nothing_outside() -> None:
    none = Check(empty("verdicts"), empty("claims"))
    assert none.n_outside == 0
    assert "No published numbers" in none.summary


def cells(*rows: tuple[str, str, dict[str, float]]) -> pl.DataFrame:
    """Cells of one data set and measure: model, regime and values."""
    base = {"dataset": "d", "measure": "nDCG@10", "expected": 0.5, "range": 0.0, "bias": 0.0}
    made = [base | {"model": m, "regime": r} | values for m, r, values in rows]
    return pl.DataFrame(
        made, schema_overrides=dict.fromkeys(("expected", "range", "bias"), pl.Float64)
    )


def evidence(*rows: tuple[str, str, dict[str, float]], **changes: Any) -> Evidence:
    functions = {"lm": "softmax", "classifier": "sigmoid", "encoder": "pairwise product"}
    nothing = {n: empty(n) for n in ("pairs", "cost")}
    nothing["cost"] = nothing["cost"].with_columns(model=pl.lit("")).clear()
    schema = dict(ALL_KINDS["summary"].columns)
    found = cells(*rows) if rows else pl.DataFrame(schema=schema)
    return Evidence(**({"functions": functions, "cells": found} | nothing | changes))


def answers(number: int, found: Evidence) -> dict[str, bool | None]:
    ask: Callable[..., Any] = list(CLAIMS.values())[number - 1]
    return {answer.scope: answer.holds for answer in ask(found)}


def test_a_study_without_the_regime_answers_no_claim() -> None:
    for number in range(1, 8):
        found = answers(number, evidence(("lm", "fp16", {})) if number != 7 else evidence())
        assert set(found.values()) == {None}, number


def test_every_scoring_function_must_have_a_range() -> None:
    rows = [("lm", "bf16", {"range": 0.2}), ("encoder", "bf16", {"range": 0.0})]
    assert answers(1, evidence(*rows)) == {
        "softmax": True,
        "sigmoid": None,
        "pairwise product": False,
    }


def test_one_cell_without_positive_bias_is_enough_to_fail() -> None:
    rows = [("lm", "bf16", {"bias": 0.2}), ("encoder", "bf16", {"bias": 0.1})]
    assert answers(2, evidence(*rows)) == {"all models": True}
    assert answers(2, evidence(*rows, ("classifier", "bf16", {"bias": 0.0}))) == {
        "all models": False
    }


@pytest.mark.parametrize(("left", "holds"), [(0.0, True), (0.0099, True), (0.011, False)])
def test_the_range_of_softmax_must_shrink_more_than_20_times(left: float, holds: bool) -> None:
    rows = [("lm", "bf16", {"range": 0.2}), ("lm", "bf16-hps", {"range": left})]
    assert answers(3, evidence(*rows)) == {"softmax": holds, "sigmoid": None}


def test_a_pairwise_product_must_lose_range_and_bias_with_hps() -> None:
    assert answers(4, evidence(("encoder", "bf16-hps", {}))) == {"pairwise product": True}
    biased = evidence(("encoder", "bf16-hps", {"bias": -1e-3}))
    assert answers(4, biased) == {"pairwise product": False}


@pytest.mark.parametrize(("oblivious", "changes"), [(-0.01, True), (0.01, False), (0.0, False)])
def test_an_order_changes_where_oblivious_and_expected_disagree(
    oblivious: float, changes: bool
) -> None:
    pair = {"dataset": "d", "regime": "bf16", "measure": "nDCG@10", "model_a": "a", "model_b": "b"}
    pairs = pl.DataFrame([pair | {"delta": 0.02, "delta_oblivious": oblivious}])
    assert answers(5, evidence(pairs=pairs)) == {"pairs of models": changes}


@pytest.mark.parametrize(("expected", "holds"), [(0.4, True), (0.51, True), (0.53, False)])
def test_bf16_may_exceed_fp32_by_no_more_than_its_range(expected: float, holds: bool) -> None:
    low = ("lm", "bf16", {"expected": expected, "range": 0.02})
    assert answers(6, evidence(low, ("lm", "fp32", {}))) == {"all models": holds}


@pytest.mark.parametrize(("share", "holds"), [(0.001, True), (0.02, False)])
def test_the_dearest_upcast_decides_on_cost(share: float, holds: bool) -> None:
    row = {"model": "m", "dtype": "bf16", "upcast_seconds": 0.1, "forward_seconds": 10.0}
    cost = pl.DataFrame([row | {"share": 1e-5}, row | {"share": share}])
    assert answers(7, evidence(cost=cost)) == {"all models": holds}
