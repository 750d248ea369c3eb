"""Steps behind the tables, each against a second way to the same number."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from small_study import (
    CLASSIFIER,
    DATASET,
    ENCODER,
    LM,
    MODELS,
    N_CANDIDATES,
    N_QUERIES,
    judged,
    run_of,
    small_study,
)
from steps import agreement, claims, cost, distribution, metrics, pairs, tie_summary, ties, worst
from tiewise.store.artifacts import read_artifact, write_artifact
from tiewise.study.config import Study
from tiewise.study.layout import Layout
from tiewise.study.steps.average_datasets import over_datasets
from tiewise.study.steps.count_scores import counts
from tiewise.study.steps.measure_agreement import rank_correlation, tied_duplicates
from tiewise.study.steps.summarise_ties import over_queries


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Layout]:
    return small_study(tmp_path_factory.mktemp("small"))


@pytest.mark.parametrize("model", MODELS)
def test_spearman_is_that_of_scipy(made: tuple[Study, Layout], model: str) -> None:
    study, layout = made
    agreement(study, model, layout)
    for regime in study.regimes:
        found = read_artifact(layout.agreement(DATASET, model, regime))
        exact, low = run_of(layout, model, "fp32"), run_of(layout, model, regime)
        for query, rho in found.select("query_id", "spearman").iter_rows():
            asked = pl.col("query_id") == query
            sides = (frame.filter(asked)["score"].to_numpy() for frame in (exact, low))
            assert rho == pytest.approx(stats.spearmanr(*sides).statistic, abs=1e-12)
    assert (read_artifact(layout.agreement(DATASET, model, "fp32"))["spearman"] > 1 - 1e-12).all()


def test_metrics_are_judged_by_the_protocol_of_the_data_set(
    made: tuple[Study, Layout], tmp_path: Path
) -> None:
    study, layout = made
    before = read_artifact(layout.metrics(DATASET, ENCODER, "bf16"))
    shutil.copytree(layout.results, tmp_path, dirs_exist_ok=True)
    other = Layout(str(tmp_path))
    qrels = read_artifact(other.data(DATASET, "qrels"))
    missed = pl.DataFrame({"query_id": "q0", "doc_id": "no candidate", "grade": 1.0})
    write_artifact(pl.concat([qrels, missed]), other.data(DATASET, "qrels"), provenance={})
    changed = {}
    for judgements in ("candidates", "all"):
        spec = study.datasets[DATASET].model_copy(update={"judgements": judgements})
        metrics(replace(study, datasets={DATASET: spec}), ENCODER, other)
        changed[judgements] = read_artifact(other.metrics(DATASET, ENCODER, "bf16"))
    assert changed["candidates"].equals(before)
    assert not changed["all"].equals(before)


def test_every_step_compares_scores_in_the_type_of_the_study(tmp_path: Path) -> None:
    study, layout = small_study(tmp_path)
    single = replace(study, config=study.config.model_copy(update={"score_type": "float32"}))
    path = layout.scores(DATASET, ENCODER, "bf16-hps")
    # Neighbours in float64 that float32 does not tell apart.
    near = read_artifact(path).with_columns(score=1 + pl.int_range(pl.len()) * 2.0**-40)
    write_artifact(near, path, provenance={"arithmetic": "simulated"})
    shares, sizes = [], []
    for one in (study, single):
        ties(one, ENCODER, layout)
        distribution(one, ENCODER, layout)
        shares.append(read_artifact(layout.ties(DATASET, ENCODER, "bf16-hps"))["share_tied"].mean())
        groups = read_artifact(layout.distribution(ENCODER)).filter(
            pl.col("regime") == "bf16-hps", pl.col("quantity") == "group size"
        )
        sizes.append(groups["value"].to_list())
    assert shares == [0.0, 1.0]
    assert sizes == [[1.0], [float(N_CANDIDATES)]]


def test_a_constant_ranking_has_no_correlation() -> None:
    run = pl.DataFrame({"query_id": ["q"] * 3, "doc_id": ["a", "b", "c"], "score": [1.0] * 3})
    varied = run.with_columns(score=pl.Series([1.0, 2.0, 3.0]))
    assert rank_correlation(run, varied)["spearman"].to_list() == [None]
    assert rank_correlation(varied, run)["spearman"].to_list() == [None]
    assert rank_correlation(varied, None)["spearman"].to_list() == [None]


def test_duplicates_are_counted_inside_their_tie_group_only() -> None:
    run = pl.DataFrame(
        {"query_id": ["q"] * 4, "doc_id": ["a", "b", "c", "d"], "score": [1.0, 1.0, 2.0, 1.0]}
    )
    texts = pl.DataFrame({"doc_id": ["a", "b", "c", "d"], "text": ["x", "x", "x", "y"]})
    assert tied_duplicates(run, texts)["n_duplicates"].to_list() == [2]


def test_every_candidate_is_counted_once_by_score_and_once_by_group_size(
    made: tuple[Study, Layout],
) -> None:
    study, layout = made
    distribution(study, CLASSIFIER, layout)
    found = read_artifact(layout.distribution(CLASSIFIER))
    totals = found.group_by("regime", "quantity").agg(pl.col("n_candidates").sum())
    assert set(totals["n_candidates"]) == {N_QUERIES * N_CANDIDATES}
    assert found["regime"].unique(maintain_order=True).to_list() == list(study.regimes)


def test_a_score_lies_in_the_bin_that_begins_at_or_below_it() -> None:
    values = [0.0, 0.29, 0.57, 0.999, 1.0, -0.005]
    run = pl.DataFrame({"query_id": [str(n) for n in range(6)], "score": values})
    found = counts(run).filter(pl.col("quantity") == "score")["value"].to_list()
    assert found == pytest.approx([-0.01, 0.0, 0.29, 0.57, 0.99, 1.0])


def test_the_upcast_is_measured_on_all_values_of_the_low_dtype(made: tuple[Study, Layout]) -> None:
    study, layout = made
    cost(study, LM, layout)
    [row] = read_artifact(layout.cost(DATASET, LM)).rows(named=True)
    assert (row["dtype"], row["n_values"]) == ("bf16", 2 * N_QUERIES * N_CANDIDATES)
    assert row["extra_bytes_per_query"] == N_CANDIDATES * 2 * 2  # two logits, two bytes more each
    assert row["square_extra_bytes"] == 2 * 1024 * 1024
    assert 0 < row["upcast_seconds"] < row["square_seconds"] < 2
    assert row["share"] == pytest.approx(row["upcast_seconds"] / (2 + row["upcast_seconds"]))


def test_every_pair_of_models_is_compared_in_every_regime(made: tuple[Study, Layout]) -> None:
    study, layout = made
    pairs(study, DATASET, layout)
    found = read_artifact(layout.pairs(DATASET))
    assert found.height == 3 * 3 * 2  # pairs x regimes x measures
    bounds = found.select("delta_min", "delta", "delta_max")
    assert (bounds["delta_min"] <= bounds["delta"] + 1e-12).all()
    assert (bounds["delta"] <= bounds["delta_max"] + 1e-12).all()
    row = found.filter(pl.col("regime") == "fp32", pl.col("measure") == "RR@10").row(0, named=True)
    values = [
        judged(layout, run_of(layout, row[side], "fp32"))["RR@10"]["expected"]
        for side in ("model_a", "model_b")
    ]
    assert row["delta"] == pytest.approx(values[0] - values[1])


def test_claims_are_held_against_all_that_the_steps_before_give(
    made: tuple[Study, Layout],
) -> None:
    study, layout = made
    pairs(study, DATASET, layout)
    for model in MODELS:
        cost(study, model, layout)
    claims(study, layout)
    found = read_artifact(layout.claims())
    about_pairs = found.filter(pl.col("scope") == "pairs of models")["figures"].item()
    assert "of 6 orders" in about_pairs  # pairs x measures, in bf16
    assert "2.0 s" in found.filter(pl.col("number") == 7)["figures"].item()


def test_the_worst_queries_are_those_of_the_largest_range(made: tuple[Study, Layout]) -> None:
    study, layout = made
    worst(study, layout)
    found = read_artifact(layout.worst())
    ranges = found.group_by("number", maintain_order=True).first()
    widths = (ranges["max"] - ranges["min"]).to_list()
    assert widths == sorted(widths, reverse=True)
    assert ranges["query_id"].is_unique().all()
    largest = max(
        read_artifact(layout.metrics(DATASET, model, regime))
        .filter(pl.col("measure") == "nDCG@10")["range"]
        .max()
        for model in MODELS
        for regime in study.regimes
    )
    assert widths[0] == pytest.approx(largest)
    low = found.filter(pl.col("regime") == "bf16").row(0, named=True)
    exact = run_of(layout, low["model"], "fp32").filter(
        pl.col("query_id") == low["query_id"], pl.col("doc_id") == low["doc_id"]
    )
    assert low["fp32_score"] == exact["score"][0]
    assert low["text"] == f"text {int(low['doc_id'][1:]) // 2}"


def test_tie_statistics_are_averaged_over_queries() -> None:
    found = pl.DataFrame(
        {
            "query_id": ["a", "b"],
            "n_candidates": [10, 20],
            "n_distinct_scores": [10, 4],
            "n_tie_groups": [0, 2],
            "largest_tie_group": [1, 16],
            "n_tied": [0, 18],
            "share_tied": [0.0, 0.9],
            "n_spurious": [0, 16],
            "n_genuine": [0, 2],
        }
    )
    other = pl.DataFrame({"query_id": ["b", "a"], "spearman": [0.5, None], "n_duplicates": [2, 0]})
    row = over_queries(found, other).row(0, named=True)
    assert row["distinct_scores"] == 7
    assert row["mean_group"] == 9
    assert (row["mean_largest_group"], row["largest_group"]) == (8.5, 16)
    assert row["share_tied"] == pytest.approx(0.45)
    assert row["share_spurious"] == pytest.approx(0.4)
    assert row["share_genuine"] == pytest.approx(0.05)
    assert row["share_duplicates"] == pytest.approx(0.05)
    assert (row["spearman"], row["n_undefined"]) == (0.5, 1)
    without = over_queries(found.drop("n_spurious", "n_genuine"), other).row(0, named=True)
    assert without["share_spurious"] is None


def test_without_ties_a_mean_group_size_is_missing_and_not_0(made: tuple[Study, Layout]) -> None:
    study, layout = made
    for model in MODELS:
        agreement(study, model, layout)
    tie_summary(study, layout)
    found = read_artifact(layout.tie_summary())
    untied = found.filter(pl.col("share_tied") == 0)
    assert untied.height > 0
    assert untied["mean_group"].null_count() == untied.height
    tied = found.filter(pl.col("share_tied") > 0)
    assert (tied["mean_group"] >= 2).all()
    assert tied["share_spurious"].to_numpy() + tied["share_genuine"].to_numpy() == pytest.approx(
        tied["share_tied"].to_numpy()
    )


def test_the_sd_of_an_average_over_data_sets_is_that_of_independent_values() -> None:
    rng = np.random.default_rng(0)
    samples = rng.normal([1, 2, 3], [0.1, 0.2, 0.3], (200_000, 3))
    rows = [
        {"dataset": str(n), "model": "m", "regime": "r", "arithmetic": "a", "measure": "RR"}
        | {"policy": "p", "n_queries": 1, "sd": (n + 1) / 10, "expected": n + 1.0}
        | dict.fromkeys(("min", "max", "range", "oblivious", "bias"), 0.0)
        for n in range(3)
    ]
    row = over_datasets(pl.DataFrame(rows)).row(0, named=True)
    assert row["expected"] == 2
    assert row["sd"] == pytest.approx(samples.mean(axis=1).std(), rel=0.01)
