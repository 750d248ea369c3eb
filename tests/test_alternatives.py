"""Other ways to deal with ties, and toolkits: each number against a second way to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from small_study import CLASSIFIER, DATASET, ENCODER, LM, MODELS, judged, run_of, small_study
from steps import alternatives, toolkits
from tiewise.precision.grids import BF16
from tiewise.precision.scoring import sigmoid, softmax
from tiewise.store.artifacts import read_artifact
from tiewise.study.config import Study
from tiewise.study.layout import Layout
from tiewise.study.steps.try_alternatives import N_ORDERS


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Layout]:
    return small_study(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def ways(made: tuple[Study, Layout]) -> dict[str, pl.DataFrame]:
    study, layout = made
    found = {}
    for model in MODELS:
        alternatives(study, model, layout)
        found[model] = read_artifact(layout.alternatives(DATASET, model))
    return found


def row_of(frame: pl.DataFrame, method: str, measure: str) -> dict[str, Any]:
    return frame.row(
        by_predicate=(pl.col("method") == method) & (pl.col("measure") == measure), named=True
    )


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("measure", ["nDCG@10", "RR@10"])
def test_random_orders_agree_with_the_closed_form(
    ways: dict[str, pl.DataFrame], model: str, measure: str
) -> None:
    row = row_of(ways[model], "random order", measure)
    error = row["sd"] / np.sqrt(N_ORDERS)
    assert abs(row["oblivious"] - row["expected"]) <= 4 * error + 1e-12
    assert row["spread"] == pytest.approx(row["sd"], rel=0.15, abs=1e-12)
    assert row["bias"] == pytest.approx(row["oblivious"] - row["expected"])


@pytest.mark.parametrize("model", MODELS)
def test_a_fixed_order_moves_the_oblivious_value_alone(
    made: tuple[Study, Layout], ways: dict[str, pl.DataFrame], model: str
) -> None:
    _, layout = made
    low = run_of(layout, model, "bf16")
    for method, policy in {
        "input order": "input",
        "document id, descending": "trec",
        "document id, ascending": "docid",
    }.items():
        for measure, wanted in judged(layout, low, policy).items():
            row = row_of(ways[model], method, measure)
            assert {k: row[k] for k in ("expected", "min", "max", "oblivious")} == {
                k: wanted[k] for k in ("expected", "min", "max", "oblivious")
            }
    # Ranks run against the input order, and so against the ids.
    for measure in ("nDCG@10", "RR@10"):
        by_rank = row_of(ways[model], "first-stage rank", measure)["oblivious"]
        assert by_rank == row_of(ways[model], "document id, descending", measure)["oblivious"]


@pytest.mark.parametrize("model", MODELS)
def test_other_scores_are_those_of_their_regimes(
    made: tuple[Study, Layout], ways: dict[str, pl.DataFrame], model: str
) -> None:
    _, layout = made
    for method, regime in {"HPS": "bf16-hps", "full FP32": "fp32"}.items():
        for measure, wanted in judged(layout, run_of(layout, model, regime)).items():
            row = row_of(ways[model], method, measure)
            assert (row["expected"], row["range"]) == (wanted["expected"], wanted["range"])


def test_raw_logits_and_temperatures_are_computed_from_the_low_logits(
    made: tuple[Study, Layout], ways: dict[str, pl.DataFrame]
) -> None:
    _, layout = made
    for model, function in ((LM, softmax), (CLASSIFIER, lambda x, d: sigmoid(x[:, 0], d))):
        values = read_artifact(layout.logits(DATASET, model, "bf16"))["logits"].to_numpy()
        last = values[:, -1]
        other = {
            "raw logit": last - values[:, 0] if model == LM else last,
            "temperature 4": function(BF16.round(values / 4), "bf16"),
        }
        for method, numbers in other.items():
            run = run_of(layout, model, "bf16").with_columns(
                score=pl.Series(np.asarray(numbers, np.float64))
            )
            for measure, wanted in judged(layout, run).items():
                row = row_of(ways[model], method, measure)
                assert row["expected"] == pytest.approx(wanted["expected"], abs=1e-12)
                assert row["range"] == pytest.approx(wanted["range"], abs=1e-12)


def test_a_way_that_a_model_does_not_have_is_no_number_but_a_reason(
    ways: dict[str, pl.DataFrame],
) -> None:
    row = row_of(ways[ENCODER], "raw logit", "RR@10")
    assert row["expected"] is None
    assert row["oblivious"] is None
    assert "bi-encoder" in row["note"]


def test_no_temperature_changes_the_ties_of_a_product(ways: dict[str, pl.DataFrame]) -> None:
    for measure in ("nDCG@10", "RR@10"):
        plain = row_of(ways[ENCODER], "input order", measure)
        for temperature in (2, 4, 8):
            row = row_of(ways[ENCODER], f"temperature {temperature}", measure)
            assert (row["expected"], row["range"]) == (plain["expected"], plain["range"])


def test_a_toolkit_prints_the_value_of_its_order(made: tuple[Study, Layout]) -> None:
    study, layout = made
    toolkits(study, LM, layout)
    found = read_artifact(layout.toolkits(DATASET, LM))
    for regime in study.regimes:
        wanted = judged(layout, run_of(layout, LM, regime), "trec")["RR@10"]
        row = found.row(
            by_predicate=(pl.col("regime") == regime)
            & (pl.col("toolkit") == "trec_eval 10")
            & (pl.col("measure") == "RR@10"),
            named=True,
        )
        assert row["value"] == pytest.approx(wanted["oblivious"], abs=1e-12)
        assert row["bias"] == pytest.approx(wanted["oblivious"] - wanted["expected"], abs=1e-12)
