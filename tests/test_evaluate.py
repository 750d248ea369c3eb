"""Evaluation of frames and mappings: what does not matter, and what is said."""

from __future__ import annotations

import numpy as np
import pytest
import pytrec_eval

from tiewise import evaluate

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
        qrels[f"q{q}"] = {str(d): int(rng.integers(-1, 4)) for d in judged}
    return qrels, run


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
