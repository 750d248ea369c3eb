"""Evaluation of frames, mappings and files: what does not matter, and what is said."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import pytrec_eval

from tiewise import average, evaluate, evaluate_arrays
from tiewise.judging.evaluate import evaluate as evaluate_function

TREC = {
    "nDCG": "ndcg",
    "nDCG@5": "ndcg_cut_5",
    "RR": "recip_rank",
    "AP": "map",
    "AP@5": "map_cut_5",
    "R@5": "recall_5",
    "P@5": "P_5",
    "Success@5": "success_5",
    "Rprec": "Rprec",
    "Hits": "num_rel_ret",
    "P": "set_P",
    "R": "set_recall",
    "F1": "set_F",
}
COLUMNS = [
    "measure",
    "expected",
    "min",
    "max",
    "range",
    "sd",
    "oblivious",
    "bias",
    "policy",
    "n_queries",
]


def random_study(seed, n_queries=30, n_docs=25, levels=None):
    """Qrels and a run of ragged lists, some judged documents unretrieved."""
    rng = np.random.default_rng(seed)
    qrels, run = {}, {}
    for q in range(n_queries):
        docs = [f"d{i:03d}" for i in rng.permutation(n_docs * 2)]
        n = int(rng.integers(1, n_docs))
        scores = rng.permutation(1000)[:n] if levels is None else rng.integers(0, levels, n)
        run[f"q{q}"] = {d: float(s) / 8 for d, s in zip(docs, scores, strict=False)}
        judged = rng.permutation(docs)[: int(rng.integers(1, n_docs))]
        qrels[f"q{q}"] = {str(d): int(rng.integers(-1, 4)) for d in judged} | {docs[0]: 1}
    return qrels, run


def as_frame(table, value):
    rows = [(q, d, x) for q, docs in table.items() for d, x in docs.items()]
    return pl.DataFrame(rows, schema=["query_id", "doc_id", value], orient="row")


@pytest.mark.parametrize("levels", [None, 4])
def test_oblivious_value_under_policy_trec_equals_pytrec_eval(levels):
    qrels, run = random_study(3, levels=levels)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, set(TREC.values())).evaluate(run)
    table = evaluate(qrels, run, list(TREC), per_query=True)
    for row in table.iter_rows(named=True):
        value = theirs[row["query_id"]][TREC[row["measure"]]]
        assert row["oblivious"] == pytest.approx(value, abs=1e-9), row
        if levels is None:
            assert row["expected"] == row["min"] == row["max"] == row["oblivious"]
            assert row["range"] == row["sd"] == row["bias"] == 0


def test_columns_and_rows():
    qrels, run = random_study(0, levels=3)
    table = evaluate(qrels, run, ["RR@5", "ndcg_cut_3"], policy="docid")
    assert table.columns == COLUMNS
    assert table["measure"].to_list() == ["RR@5", "nDCG@3"]
    assert table["policy"].unique().to_list() == ["docid"]
    assert table["n_queries"].to_list() == [30, 30]
    each = evaluate(qrels, run, ["RR@5", "ndcg_cut_3"], policy="docid", per_query=True)
    assert each.columns == [COLUMNS[0], "query_id", *COLUMNS[1:]]
    assert each["query_id"].to_list() == list(qrels) * 2
    assert average(each).equals(table)
    assert table["range"].to_list() == (table["max"] - table["min"]).to_list()
    assert table["bias"].to_list() == (table["oblivious"] - table["expected"]).to_list()


def test_the_average_is_the_mean_and_its_sd_that_of_a_mean_of_independent_queries():
    qrels, run = random_study(1, levels=3)
    each = evaluate(qrels, run, "AP", per_query=True)
    row = evaluate(qrels, run, "AP").row(0, named=True)
    for column in ("expected", "min", "max", "oblivious"):
        assert row[column] == math.fsum(each[column]) / 30
    assert row["sd"] == pytest.approx(math.sqrt((each["sd"] ** 2).sum()) / 30, rel=1e-14)


def test_frames_mappings_and_pandas_give_the_same():
    qrels, run = random_study(2, levels=5)
    frames = as_frame(qrels, "grade"), as_frame(run, "score")
    expected = evaluate(qrels, run, list(TREC))
    assert evaluate(*frames, list(TREC)).equals(expected)
    assert evaluate(*(f.lazy() for f in frames), list(TREC)).equals(expected)
    assert evaluate(*(pd.DataFrame(f.to_dict(as_series=False)) for f in frames), TREC).equals(
        expected
    )
    assert evaluate(
        *(f.with_columns(pl.col("query_id").cast(pl.Categorical)) for f in frames), list(TREC)
    ).equals(expected)
    assert evaluate(*(f.to_arrow() for f in frames), list(TREC)).equals(expected)
    narrow = frames[1].with_columns(pl.col("score").cast(pl.Float32))
    assert evaluate(frames[0], narrow, list(TREC)).equals(expected)


def test_files_give_the_same(tmp_path):
    qrels, run = random_study(2, levels=5)
    of_qrels = [f"{q} 0 {d} {g}\n" for q, docs in qrels.items() for d, g in docs.items()]
    of_run = [f"{q} Q0 {d} 1 {s} t\n" for q, docs in run.items() for d, s in docs.items()]
    (tmp_path / "qrels.txt").write_text("".join(of_qrels))
    (tmp_path / "run.txt").write_text("".join(of_run))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the ranks are made up
        found = evaluate(str(tmp_path / "qrels.txt"), tmp_path / "run.txt", "nDCG@5")
    assert found.equals(evaluate(qrels, run, "nDCG@5"))


def test_arrays_and_frames_give_the_same():
    rng = np.random.default_rng(0)
    scores, grades = rng.integers(0, 4, (9, 12)) / 4, rng.integers(0, 3, (9, 12))
    names = [f"d{i:02d}" for i in range(12)]
    qrels = {f"q{i}": dict(zip(names, map(int, g), strict=True)) for i, g in enumerate(grades)}
    run = {f"q{i}": dict(zip(names, map(float, s), strict=True)) for i, s in enumerate(scores)}
    arrays = evaluate_arrays(scores, grades, list(TREC))
    table = evaluate(qrels, run, list(TREC), policy="input", per_query=True)
    for name, of_measure in table.group_by("measure"):
        for column in ("expected", "min", "max", "sd", "oblivious"):
            found = getattr(arrays[name[0]], column)
            assert of_measure.sort("query_id")[column].to_numpy() == pytest.approx(found, abs=0)


@pytest.mark.parametrize("policy", ["trec", "docid", "rank", "random(7)", "input"])
def test_the_order_of_rows_does_not_matter(policy):
    qrels, run = random_study(4, levels=3)
    qrels, run = as_frame(qrels, "grade"), as_frame(run, "score")
    run = run.with_columns(rank=pl.int_range(pl.len()).over("query_id"))
    expected = evaluate(qrels, run, list(TREC), policy=policy)
    rows = [f.sample(fraction=1.0, shuffle=True, seed=i) for i, f in enumerate((qrels, run))]
    found = evaluate(*rows, list(TREC), policy=policy)
    if policy == "input":
        found, expected = (t.drop("oblivious", "bias") for t in (found, expected))
    assert found.equals(expected)


def test_names_of_documents_matter_for_the_oblivious_value_only():
    qrels, run = random_study(5, levels=3)
    rename = {d: f"x{hash((i, 'x')) % 997}-{i}" for i, d in enumerate(sorted({*run["q0"]}))}

    def renamed(table):
        return {
            q: {rename.setdefault(d, f"{d[::-1]}#"): x for d, x in docs.items()}
            for q, docs in table.items()
        }

    kept = ["expected", "min", "max", "sd"]
    for policy in ("trec", "docid"):
        one = evaluate(qrels, run, list(TREC), policy=policy)
        other = evaluate(renamed(qrels), renamed(run), list(TREC), policy=policy)
        assert one.select(kept).equals(other.select(kept))
        assert not one["oblivious"].equals(other["oblivious"])
    same = [evaluate(*t, "RR", policy="input") for t in ((qrels, run), map(renamed, (qrels, run)))]
    assert same[0].equals(same[1])


def test_each_policy_orders_ties_as_it_says():
    # The relevant document is third in, has the middle id by bytes, and rank 1.
    run = pl.DataFrame(
        {
            "query_id": ["q"] * 4,
            "doc_id": ["a", "é", "b", "B"],
            "score": [1.0] * 4,
            "rank": [4, 2, 1, 3],
        }
    )
    qrels = {"q": {"b": 1}}
    place = {
        policy: 1 / evaluate(qrels, run, "RR", policy=policy)["oblivious"].item()
        for policy in ("input", "trec", "docid", "rank")
    }
    # By UTF-8 bytes B < a < b < é.
    assert place == {"input": 3, "trec": 2, "docid": 3, "rank": 1}


def test_random_policy_is_reproducible_uniform_and_the_same_for_a_query_alone():
    qrels, run = {"q": {"a": 1}, "r": {"a": 1}}, {q: dict.fromkeys("abcd", 0.0) for q in "qr"}
    draws = [
        evaluate(qrels, run, "RR", policy=f"random({seed})", per_query=True)["oblivious"].to_list()
        for seed in range(200)
    ]
    assert (
        evaluate(qrels, run, "RR", policy="random(3)", per_query=True)["oblivious"].to_list()
        == draws[3]
    )
    alone = evaluate({"r": qrels["r"]}, {"r": run["r"]}, "RR", policy="random(3)")
    assert alone["oblivious"].item() == draws[3][1]
    for query in (0, 1):
        counts = np.unique([d[query] for d in draws], return_counts=True)[1]
        assert len(counts) == 4
        assert counts.min() > 30
    assert 25 < sum(a == b for a, b in draws) < 75


def test_score_type_float32_makes_the_ties_that_an_older_trec_eval_sees():
    run = {"q": {"a": 1.0 + 1e-9, "b": 1.0}}
    row = evaluate({"q": {"a": 1}}, run, "RR", score_type="float32").row(0, named=True)
    assert (row["expected"], row["min"], row["max"], row["oblivious"]) == (0.75, 0.5, 1.0, 0.5)
    assert evaluate({"q": {"a": 1}}, run, "RR")["range"].item() == 0


def test_infinite_scores_rank_first_and_last_and_tie_with_each_other():
    run = {"q": {"a": -math.inf, "b": math.inf, "c": -math.inf, "d": 0.0}, "r": {"a": 0.0}}
    row = evaluate({"q": {"a": 1, "b": 1}, "r": {"a": 1}}, run, "AP", per_query=True)
    q = row.filter(query_id="q").row(0, named=True)
    assert (q["min"], q["max"]) == (0.75, pytest.approx((1 + 2 / 3) / 2))


def test_ids_are_text():
    qrels, run = {"1": {"007": 1}}, {"1": {"7": 2.0, "007": 1.0}}
    assert evaluate(qrels, run, "RR")["expected"].item() == 0.5


def test_the_interface_is_the_function_however_it_is_imported():
    import tiewise

    assert tiewise.evaluate is evaluate_function
    assert callable(tiewise.compare)
