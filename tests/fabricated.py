"""Studies of any shape with made-up results, for views of artifacts that no model has to make."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import yaml

from steps import ALL_KINDS, averages, claims, empty, verdicts
from tiewise.audit.toolkits import UNSTABLE
from tiewise.store.artifacts import write_artifact
from tiewise.study.config import Study, load_study
from tiewise.study.layout import Layout

ROOT = Path(__file__).resolve().parent.parent
LIBRARIES = {"torch": "1.1", "transformers": "2.2"}


def study_of(
    datasets: Sequence[str] = ("icd10cm",),
    models: Sequence[str] = ("all-minilm-l6-v2",),
    regimes: Sequence[str] = ("fp32", "bf16", "bf16-hps"),
    **keys: Any,
) -> Study:
    """Load a study of shipped blocks."""
    raw = {"study": "made-up", "datasets": [*datasets], "models": [*models], "regimes": [*regimes]}
    return load_study(raw | keys, ROOT)


def paper_study() -> Study:
    """Load the paper's study."""
    return load_study(yaml.safe_load((ROOT / "config" / "paper.yaml").read_text()), ROOT)


def fabricate(study: Study, folder: Path) -> Layout:
    """Write every artifact that tables, figures and the page are views of."""
    layout, made = Layout(str(folder)), _Made(study)
    note = made.note()
    cells = {
        f"{dataset}/{model}/{regime}": note
        | {"dataset": dataset, "model": model}
        | {"model_source": "somewhere@1", "recipe": study.models[model].source.recipe}
        for dataset, model, regime in made.cells
    }
    _write(made.summary(), layout.summary(), "summary", note | {"cells": cells})
    _write(made.ties(), layout.tie_summary(), "tie_summary", note)
    _write(made.worst(), layout.worst(), "worst", note)
    for model in study.models:
        _write(made.distribution(), layout.distribution(model), "distribution", note)
        for name in study.datasets:
            _write(made.alternatives(), layout.alternatives(name, model), "alternatives", note)
            _write(made.toolkits(), layout.toolkits(name, model), "toolkits", note)
            _write(made.cost(), layout.cost(name, model), "cost", note)
    for name in study.datasets:
        _write(made.first_stage(), layout.first_stage(name), "first_stage", note)
        if len(study.models) > 1:
            _write(made.pairs(name), layout.pairs(name), "pairs", note)
        for table in ("qrels", "candidates"):
            facts = {"counts": {"queries": 10, "documents": 99, "qrels": 20}, "kind": "bm25"}
            _write(empty(table), layout.data(name, table), table, note | {"facts": facts})
    averages(study, layout)
    verdicts(study, layout)
    claims(study, layout)
    return layout


def _write(frame: pl.DataFrame, path: Path, kind: str, note: dict[str, Any]) -> None:
    write_artifact(frame, path, provenance=note, kind=ALL_KINDS[kind])


class _Made:
    def __init__(self, study: Study) -> None:
        self.study, self.rng = study, np.random.default_rng(0)
        self.cells = [
            (dataset, model, regime)
            for model in study.models
            for dataset in study.datasets
            for regime in study.regimes
        ]
        self.low = [dtype for dtype in study.dtypes if dtype != "fp32"]

    def note(self) -> dict[str, Any]:
        return {
            "study": self.study.name,
            "tiewise": "9.9",
            "git_commit": "c0ffee",
            "config_hash": "abc",
            "python": "3.11",
            "libraries": LIBRARIES,
            "arithmetic": "simulated",
            "device": "cpu",
            "model_source": "somewhere@1",
            "batch_rule": "fixed",
            "n_truncated": 0,
            "n_nonfinite": 0,
        }

    def summary(self) -> pl.DataFrame:
        config = self.study.config
        rows = [
            self._values(regime)
            | {"dataset": dataset, "model": model, "regime": regime, "arithmetic": "simulated"}
            | {"measure": measure, "policy": policy, "n_queries": 10}
            for dataset, model, regime in self.cells
            for measure in config.measures
            for policy in config.policies
        ]
        return pl.DataFrame(rows)

    def _values(self, regime: str) -> dict[str, float]:
        low, middle, high = np.sort(self.rng.random(3))
        if regime == "fp32" or "hps" in regime:
            low = high = middle
        oblivious = self.rng.uniform(low, high) if high > low else middle
        values = {"expected": middle, "min": low, "max": high, "range": high - low}
        values |= {"sd": (high - low) / 4, "oblivious": oblivious, "bias": oblivious - middle}
        return {name: float(value) for name, value in values.items()}

    def first_stage(self) -> pl.DataFrame:
        rows = [
            {"measure": measure, "policy": "input", "n_queries": 10} | self._values("bf16")
            for measure in self.study.config.table_measures
        ]
        return pl.DataFrame(rows)

    def ties(self) -> pl.DataFrame:
        rows = [
            {"dataset": dataset, "model": model, "regime": regime, "arithmetic": "simulated"}
            | {"n_queries": 10, "distinct_scores": 77.25, "mean_group": 2.5, "n_undefined": 0}
            | {"mean_largest_group": 3.5, "largest_group": 11, "share_tied": 0.4}
            | {"share_spurious": 0.3, "share_genuine": 0.1, "share_duplicates": 0.05}
            | {"spearman": 0.98765}
            for dataset, model, regime in self.cells
        ]
        return pl.DataFrame(rows)

    def distribution(self) -> pl.DataFrame:
        values = {"score": np.arange(0, 1, 0.01), "group size": np.arange(1.0, 20)}
        return pl.concat(
            pl.DataFrame({"value": at, "n_candidates": self.rng.integers(0, 99, len(at))}).select(
                pl.lit(regime).alias("regime"), pl.lit(quantity).alias("quantity"), pl.all()
            )
            for regime in self.study.regimes
            for quantity, at in values.items()
        )

    def alternatives(self) -> pl.DataFrame:
        methods = ("input order", "random order", "temperature 2", "HPS", "full FP32")
        rows = [
            {"dtype": dtype, "method": method, "measure": measure, "policy": "input"}
            | self._values(dtype)
            | {"spread": 0.01 if "random" in method else None, "n_queries": 10, "note": ""}
            for dtype in self.low
            for method in methods
            for measure in self.study.config.table_measures
        ]
        return ALL_KINDS["alternatives"].frame(rows)

    def toolkits(self) -> pl.DataFrame:
        rows = [
            {"regime": regime, "toolkit": name, "ties": "some order", "measure": measure}
            | {"value": value, "expected": 0.4, "bias": value and value - 0.4, "note": note}
            for regime in self.study.regimes
            for measure in self.study.config.table_measures
            for name, value, note in (
                ("trec_eval", 0.5, ""),
                ("ranx", None, UNSTABLE),
                ("other_kit", None, "not offered"),
            )
        ]
        return ALL_KINDS["toolkits"].frame(rows)

    def cost(self) -> pl.DataFrame:
        rows = [
            {"dtype": dtype, "device": "cpu", "arithmetic": "simulated", "n_values": 1_000_000}
            | {"forward_seconds": 10.0, "upcast_seconds": 0.001, "share": 0.0001}
            | {"extra_bytes_per_query": 2048.0, "square_seconds": 0.002}
            | {"square_extra_bytes": 2 << 20}
            for dtype in self.low
        ]
        return ALL_KINDS["cost"].frame(rows)

    def pairs(self, dataset: str) -> pl.DataFrame:
        a, *others = self.study.models
        rows = [
            {"dataset": dataset, "regime": regime, "measure": measure, "model_a": a, "model_b": b}
            | {"delta": 0.01, "delta_min": -0.02, "delta_max": 0.04, "delta_sd": 0.01}
            | {"delta_oblivious": -0.01, "certain": False, "p_greater": 0.8}
            | {"p_value": 0.01, "p_holm": 0.02, "ci_low": 0.0, "ci_high": 0.02}
            | {"policy": "input", "n_queries": 10}
            for regime in self.study.regimes
            for measure in self.study.config.table_measures
            for b in others
        ]
        return ALL_KINDS["pairs"].frame(rows)

    def worst(self) -> pl.DataFrame:
        head = {"measure": self.study.config.table_measures[0], "number": 0}
        head |= {"expected": 0.5, "min": 0.25, "max": 0.75, "oblivious": 0.75, "score": 0.5}
        rows = [
            {"dataset": dataset, "model": model, "regime": regime, "query_id": "q1"}
            | head
            | {"query": "what is <b>tied</b>?", "first": 1, "last": 2, "n_relevant": 1}
            | {
                "doc_id": doc_id,
                "grade": grade,
                "fp32_score": 0.501,
                "text": f"<script>alert('{doc_id}')</script> & so",
            }
            for dataset, model, regime in self.cells
            if regime in self.low
            for doc_id, grade in (("d1", 1.0), ("d2", None))
        ]
        return ALL_KINDS["worst"].frame(rows)
