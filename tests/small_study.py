"""A small study with a model of each kind, real from its logits on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import tiewise
from fabricated import study_of
from steps import ALL_KINDS, metrics, scores, summary, ties
from tiewise.precision.grids import BF16
from tiewise.store.artifacts import read_artifact, write_artifact
from tiewise.study.config import Study
from tiewise.study.layout import Layout

DATASET = "icd10cm"
MODELS = ("qwen3-reranker-0.6b", "bge-reranker-v2-m3", "all-minilm-l6-v2")
LM, CLASSIFIER, ENCODER = MODELS
N_QUERIES, N_CANDIDATES = 6, 40


def small_study(folder: Path) -> tuple[Study, Layout]:
    """Study a model of each kind, from made-up logits on."""
    study = study_of([DATASET], MODELS, ["fp32", "bf16", "bf16-hps"])
    layout = Layout(str(folder))
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
        write_artifact(frame, layout.data(DATASET, name), provenance={}, kind=ALL_KINDS[name])
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
