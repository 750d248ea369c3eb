"""What the audit says that toolkits print is what they print."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from pathlib import Path

import ir_measures
import numpy as np
import polars as pl
import pytest
import pytrec_eval
from sklearn.metrics import ndcg_score

from tiewise import InputError, evaluate, read_qrels, read_run
from tiewise.audit import Audit, audit
from tiewise.audit.rules import TOOLKITS
from tiewise.measures import parse

Nested = Mapping[str, Mapping[str, float]]

MEASURES = ["nDCG@5", "RR@5", "RR", "AP@5", "AP", "R@5", "P@5", "Success@5", "Rprec", "nDCG"]
PYTREC = {
    "nDCG@5": "ndcg_cut_5", "RR": "recip_rank", "AP@5": "map_cut_5", "AP": "map",
    "R@5": "recall_5", "P@5": "P_5", "Success@5": "success_5", "Rprec": "Rprec", "nDCG": "ndcg",
}  # fmt: skip
RUNS = (
    "bm25_dl19", "covid_r4_ilps_big_diverse", "covid_r5_brphj_bert", "covid_r5_udel_ltr_split",
    "repllama_dl19", "splade_dl21", "trec_eval_results_test",
)  # fmt: skip


def tied_data(
    seed: int, *, top_grade: int = 2, n_docs: int = 12, float32_only: bool = False
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Queries with many ties; one judged query without candidates, one without relevant ones."""
    rng = np.random.default_rng(seed)
    qrels: dict[str, dict[str, int]] = {"missing": {"d1": 1}, "empty": {"d1": 0, "d2": 0}}
    run: dict[str, dict[str, float]] = {"empty": {"d1": 0.5, "d2": 0.5}}
    for q in range(8):
        docs = [f"d{i}" for i in rng.permutation(n_docs * 2)[:n_docs]]
        scores = rng.integers(0, 4, n_docs) / 4
        if float32_only:
            scores = scores + rng.permutation(n_docs) * 1e-12
        run[f"q{q}"] = dict(zip(docs, scores.tolist(), strict=True))
        judged = [*docs[:5], "unretrieved"]
        qrels[f"q{q}"] = {d: int(rng.integers(0, top_grade + 1)) for d in judged} | {docs[0]: 1}
    return qrels, run


def printed(result: Audit, toolkit: str) -> dict[str, float | None]:
    rows = result.toolkits.filter(pl.col("toolkit").str.starts_with(toolkit))
    return dict(rows.select("measure", "value").rows())


@pytest.mark.parametrize("float32_only", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_trec_eval_9_row_is_what_pytrec_eval_prints(seed: int, float32_only: bool) -> None:
    qrels, run = tied_data(seed, float32_only=float32_only)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, set(pytrec_eval.supported_measures)).evaluate(
        run
    )
    ours = printed(audit(qrels, run, MEASURES), "trec_eval 9")
    for name, trec_name in PYTREC.items():
        mean = np.mean([row[trec_name] for row in theirs.values()])
        assert ours[name] == pytest.approx(mean, abs=1e-9), name


@pytest.mark.parametrize("seed", range(3))
def test_ir_measures_row_is_what_ir_measures_prints(seed: int) -> None:
    qrels, run = tied_data(seed, float32_only=True)
    names = [m for m in MEASURES if m != "Success@5"] + ["Success@5"]
    theirs = ir_measures.calc_aggregate([ir_measures.parse_measure(m) for m in names], qrels, run)
    ours = printed(audit(qrels, run, names), "ir_measures")
    for measure, value in theirs.items():
        assert ours[str(measure)] == pytest.approx(value, abs=1e-9), measure


@pytest.mark.parametrize("seed", range(3))
def test_scikit_learn_row_is_what_ndcg_score_prints(seed: int) -> None:
    qrels, run = tied_data(seed)
    del qrels["missing"], qrels["empty"], run["empty"]
    labels = np.array([[qrels[q].get(d, 0) for d in docs] for q, docs in run.items()])
    scores = np.array([list(docs.values()) for docs in run.values()])
    ours = printed(audit(qrels, run, ["nDCG@5", "nDCG", "P@5"]), "scikit-learn")
    assert ours["nDCG@5"] == pytest.approx(ndcg_score(labels, scores, k=5), abs=1e-9)
    assert ours["nDCG"] == pytest.approx(ndcg_score(labels, scores), abs=1e-9)
    assert ours["P@5"] is None


@pytest.mark.parametrize("seed", range(3))
def test_sentence_transformers_row_is_what_its_evaluator_prints(seed: int) -> None:
    evaluation = pytest.importorskip("sentence_transformers.evaluation")
    qrels, run = tied_data(seed, top_grade=1)
    del qrels["missing"]
    evaluator = evaluation.InformationRetrievalEvaluator(
        queries=dict.fromkeys(qrels, ""),
        corpus={d: "" for docs in run.values() for d in docs},
        relevant_docs={q: {d for d, g in docs.items() if g > 0} for q, docs in qrels.items()},
        mrr_at_k=[5], ndcg_at_k=[5], accuracy_at_k=[5], precision_recall_at_k=[5], map_at_k=[5],
    )  # fmt: skip
    theirs = evaluator.compute_metrics(
        [[{"corpus_id": d, "score": s} for d, s in run[q].items()] for q in evaluator.queries_ids]
    )
    ours = printed(audit(qrels, run, MEASURES), "sentence-transformers")
    pairs = {"nDCG@5": "ndcg@k", "RR@5": "mrr@k", "R@5": "recall@k", "P@5": "precision@k"}
    for name, key in {**pairs, "Success@5": "accuracy@k"}.items():
        assert ours[name] == pytest.approx(theirs[key][5], abs=1e-9), name
    assert ours["AP@5"] is None


def test_sentence_transformers_has_no_graded_ndcg() -> None:
    qrels, run = tied_data(0, top_grade=2)
    assert printed(audit(qrels, run, MEASURES), "sentence-transformers")["nDCG@5"] is None


@pytest.mark.filterwarnings("ignore::tiewise.runs.coverage.CoverageWarning")
def test_ranx_has_a_value_only_where_its_sort_is_stable() -> None:
    short = printed(audit(*tied_data(0, n_docs=15), ["nDCG@5"]), "ranx")
    long = audit(*tied_data(0, n_docs=16), ["nDCG@5"])
    oblivious = evaluate(*tied_data(0, n_docs=15), "nDCG@5", policy="input")["oblivious"][0]
    assert short["nDCG@5"] == oblivious
    assert printed(long, "ranx")["nDCG@5"] is None
    untied = audit({"q": {"a": 1}}, {"q": {f"d{i}": float(i) for i in range(30)}}, ["P@5"])
    assert printed(untied, "ranx")["P@5"] == 0.0


@pytest.mark.parametrize(
    ("qrels", "run", "note"),
    [
        ({"q": {"a": -1, "b": 1}}, {"q": {"a": 1.0, "b": 1.0}}, "negative grades"),
        ({"q": {"a": 1}}, {"q": {"a": 1.0}}, "one candidate"),
        ({"q": {"a": 1}}, {"q": {"a": 1.0, "b": -np.inf}}, "infinite scores"),
    ],
)
def test_what_scikit_learn_refuses_has_no_value(qrels: Nested, run: Nested, note: str) -> None:
    rows = audit(qrels, run, ["nDCG@5"]).toolkits.filter(pl.col("toolkit") == "scikit-learn")
    assert rows["value"][0] is None
    assert note in rows["note"][0]


def test_values_do_not_depend_on_the_other_measures() -> None:
    qrels, run = tied_data(1, n_docs=15)
    together = {k: printed(audit(qrels, run, MEASURES), t.name) for t in TOOLKITS for k in [t.name]}
    for measure in MEASURES:
        alone = audit(qrels, run, [measure])
        for toolkit in TOOLKITS:
            assert printed(alone, toolkit.name)[measure] == together[toolkit.name][measure]


def test_every_measure_of_a_rule_is_one() -> None:
    for toolkit in TOOLKITS:
        for rule in toolkit.rules:
            for shape in rule.measures.split():
                assert rule.covers(parse(shape.replace("@k", "@7"))), shape
            assert not rule.covers(parse("nDCG(gain=exp)@7"))


@pytest.mark.parametrize("name", RUNS)
def test_real_runs_have_their_known_values(name: str, shared: Path) -> None:
    folder = shared / "data" / "runs" / name
    known = json.loads((folder / "meta.json").read_text())["ndcg_at_10"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        result = audit(folder / "qrels.txt", folder / "run.txt.gz", ["nDCG@10"])
    row = result.table.row(0, named=True)
    for ours, theirs in {"expected": "expected_random", "min": "worst", "max": "best"}.items():
        assert row[ours] == pytest.approx(known[theirs], abs=5.1e-6), ours
    assert row["oblivious"] == pytest.approx(known["trec_eval"], abs=5.1e-6)
    assert printed(result, "trec_eval 9")["nDCG@10"] == pytest.approx(
        known["trec_eval_float32"], abs=5.1e-6
    )


@pytest.mark.parametrize("name", RUNS)
def test_float32_trec_equals_pytrec_eval_on_real_runs(name: str, shared: Path) -> None:
    folder = shared / "data" / "runs" / name
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        run, qrels = read_run(folder / "run.txt.gz"), read_qrels(folder / "qrels.txt")
        measures = [
            *(f"{m}@{k}" for m in ("nDCG", "AP", "P", "R", "Success") for k in (1, 10, 100)),
            "nDCG", "AP", "RR", "Rprec", "Hits", "F1",
        ]  # fmt: skip
        ours = evaluate(qrels, run, measures, score_type="float32", per_query=True, missing="skip")
    names = {
        "nDCG": "ndcg", "AP": "map", "P": "P", "R": "recall", "Success": "success",
        "RR": "recip_rank", "Rprec": "Rprec", "Hits": "num_rel_ret", "F1": "set_F",
    }  # fmt: skip
    cut = {"nDCG": "ndcg_cut", "AP": "map_cut"}
    evaluator = pytrec_eval.RelevanceEvaluator(
        nested(qrels, "grade", int),
        {*(f"{n}.1,10,100" for n in ("ndcg_cut", "map_cut", "P", "recall", "success")),
         "ndcg", "map", "recip_rank", "Rprec", "num_rel_ret", "set_F"},
    )  # fmt: skip
    theirs = evaluator.evaluate(nested(run, "score", float))
    for measure, query, value in ours.select("measure", "query_id", "oblivious").iter_rows():
        symbol, _, cutoff = measure.partition("@")
        trec = f"{cut.get(symbol, names[symbol])}_{cutoff}" if cutoff else names[symbol]
        assert value == pytest.approx(theirs[query][trec], abs=1e-9), (measure, query)


def nested(frame: pl.DataFrame, column: str, kind: type) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for query, doc, value in frame.select("query_id", "doc_id", column).iter_rows():
        found.setdefault(query, {})[doc] = kind(value)
    return found


def test_an_unknown_measure_is_refused() -> None:
    with pytest.raises(InputError, match="nDCG"):
        audit({"q": {"a": 1}}, {"q": {"a": 1.0}}, ["ndcgg@10"])
