"""Steps behind the tables, each against a second way to the same number."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import tiewise
from fabricated import study_of
from tiewise.io.artifacts import read_artifact, write_artifact
from tiewise.precision.grids import BF16
from tiewise.precision.scoring import sigmoid, softmax
from tiewise.study.agreement import agreement, rank_correlation, tied_duplicates
from tiewise.study.alternatives import N_ORDERS, alternatives
from tiewise.study.averages import over_datasets, over_queries, tie_summary
from tiewise.study.config import Study
from tiewise.study.cost import cost
from tiewise.study.distribution import counts, distribution
from tiewise.study.layout import Layout
from tiewise.study.pairs import pairs
from tiewise.study.steps import metrics, scores, summary, ties
from tiewise.study.toolkits import toolkits
from tiewise.study.worst import worst

DATASET = "icd10cm"
MODELS = ("qwen3-reranker-0.6b", "bge-reranker-v2-m3", "all-minilm-l6-v2")
LM, CLASSIFIER, ENCODER = MODELS
N_QUERIES, N_CANDIDATES = 6, 40


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Layout]:
    """Study a model of each kind, from made-up logits on."""
    study = study_of([DATASET], MODELS, ["fp32", "bf16", "bf16-hps"])
    layout = Layout(str(tmp_path_factory.mktemp("analysis")))
    rng = np.random.default_rng(5)
    queries = [f"q{n}" for n in range(N_QUERIES)]
    documents = [f"d{n:02d}" for n in range(N_CANDIDATES)]
    rows = [(q, d) for q in queries for d in documents]
    candidates = pl.DataFrame(rows, schema=["query_id", "doc_id"], orient="row").with_columns(
        rank=pl.Series(np.tile(np.arange(N_CANDIDATES, 0, -1), N_QUERIES))
    )
    relevant = candidates.select("query_id", "doc_id")[::4]
    texts = [f"text {n // 2}" for n in range(N_CANDIDATES)]  # every text twice
    tables = {
        "corpus": pl.DataFrame({"doc_id": documents, "title": "", "text": texts}),
        "queries": pl.DataFrame({"query_id": queries, "text": [f"what is {q}?" for q in queries]}),
        "qrels": relevant.with_columns(grade=pl.lit(1.0)),
        "candidates": candidates,
    }
    for name, frame in tables.items():
        write_artifact(frame, layout.data(DATASET, name), provenance={}, kind=name)
    for model in MODELS:
        exact = _exact_logits(model, rng, queries, documents, candidates)
        for dtype in ("fp32", "bf16"):
            column = exact.columns[-1]
            values = exact[column].to_numpy()
            kept = (BF16.round(values) if dtype == "bf16" else values).astype(np.float32)
            frame = exact.with_columns(pl.Series(column, kept, dtype=exact.schema[column]))
            note: dict[str, Any] = {"arithmetic": "simulated", "dtype": dtype, "model": model}
            note |= {"cost": {"seconds": 2.0}}
            write_artifact(frame, layout.logits(DATASET, model, dtype), provenance=note)
        for step in (scores, metrics, ties):
            step(study, model, layout)
    summary(study, layout)
    return study, layout


def _exact_logits(
    model: str,
    rng: np.random.Generator,
    queries: list[str],
    documents: list[str],
    candidates: pl.DataFrame,
) -> pl.DataFrame:
    if model != ENCODER:
        width = 2 if model == LM else 1
        values = rng.normal(0, 3, (candidates.height, width)).astype(np.float32)
        pairs = candidates.select("query_id", "doc_id")
        return pairs.with_columns(pl.Series("logits", values, dtype=pl.Array(pl.Float32, width)))
    vectors = rng.normal(size=(len(queries) + len(documents), 16))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    sides = ["query"] * len(queries) + ["document"] * len(documents)
    return pl.DataFrame({"side": sides, "id": queries + documents}).with_columns(
        pl.Series("embedding", vectors.astype(np.float32), dtype=pl.Array(pl.Float32, 16))
    )


def run_of(layout: Layout, model: str, regime: str) -> pl.DataFrame:
    return read_artifact(layout.scores(DATASET, model, regime))


def judged(layout: Layout, run: pl.DataFrame, policy: str = "input") -> dict[str, dict[str, float]]:
    qrels = read_artifact(layout.data(DATASET, "qrels"))
    table = tiewise.evaluate(qrels, run, ["nDCG@10", "RR@10"], policy=policy)
    return {row["measure"]: row for row in table.iter_rows(named=True)}


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
