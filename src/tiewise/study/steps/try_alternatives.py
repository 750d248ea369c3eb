"""Other ways to deal with ties: fixed orders, random orders, other scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tiewise.judging.evaluate import evaluate
from tiewise.judging.orders import random_sums
from tiewise.judging.request import Request
from tiewise.precision.grids import BINARY_GRIDS
from tiewise.precision.regimes import Regime
from tiewise.store.artifacts import Kind, read_artifact, write_artifact
from tiewise.study.columns import JUDGED
from tiewise.study.provenance import derived
from tiewise.study.reading import as_run, options, read_qrels, with_ranks

if TYPE_CHECKING:
    from tiewise.study.config import Study

N_ORDERS = 1000
"""Random orders, each from a seed of its own."""
TEMPERATURES = (2, 4, 8)
"""Powers of two: dividing by them rounds nothing, so only the scoring function differs."""
FIXED_ORDERS = {
    "input order": "input",
    "document id, descending": "trec",
    "document id, ascending": "docid",
    "first-stage rank": "rank",
}


KIND = Kind(
    "alternatives",
    {
        "dtype": pl.String,
        "method": pl.String,
        **JUDGED,
        "spread": pl.Float64,
        "n_queries": pl.Int64,
        "note": pl.String,
    },
)


def try_alternatives(
    study: Study,
    *,
    dataset: str,
    model: str,
    qrels: Path,
    candidates: Path,
    logits: list[Path],
    alternatives: Path,
) -> None:
    """Deal with the ties of a model's low-precision scores in every other way."""
    judgements = read_qrels(study, dataset, qrels, candidates)
    chosen = read_artifact(candidates)
    output = {d: read_artifact(path) for d, path in zip(study.dtypes, logits, strict=True)}
    low = [Regime.parse(dtype) for dtype in study.dtypes if dtype != "fp32"]
    ways = (_Ways(study, model, regime, judgements, chosen, output) for regime in low)
    rows = [row for way in ways for row in way.rows()]
    note = derived(study, logits, n_orders=N_ORDERS)
    write_artifact(KIND.frame(rows), alternatives, provenance=note, kind=KIND)


class _Ways:
    """The ways to deal with ties of one model in one low regime on one data set."""

    def __init__(
        self,
        study: Study,
        model: str,
        regime: Regime,
        qrels: pl.DataFrame,
        candidates: pl.DataFrame,
        logits: Mapping[str, pl.DataFrame],
    ) -> None:
        self._study, self._spec, self._dtype = study, study.models[model], regime.model_dtype
        self._measures = study.config.table_measures
        self._qrels, self._candidates, self._logits = qrels, candidates, logits
        self._low = self._scored(regime.name)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Give a row for each way and measure."""
        ranked = with_ranks(self._low, self._candidates)
        for method, policy in FIXED_ORDERS.items():
            yield from self._judged(method, ranked, policy=policy)
        yield from self._random()
        for method, run in self._other_scores():
            if isinstance(run, str):
                yield from (self._row(method, m) | {"note": run} for m in self._measures)
            else:
                yield from self._judged(method, run)

    def _other_scores(self) -> Iterator[tuple[str, pl.DataFrame | str]]:
        """Give each other way to score, with its scores or the reason why there are none."""
        if self._spec.is_reranker:
            yield "raw logit", self._scored(f"{self._dtype}-raw")
        else:
            yield "raw logit", "a bi-encoder has no logit: its product is the score itself"
        for temperature in TEMPERATURES:
            yield f"temperature {temperature}", self._at(temperature)
        yield "HPS", self._scored(f"{self._dtype}-hps")
        yield "HPS in float64", self._scored(f"{self._dtype}-hps64")
        known = "fp32" in self._logits
        yield "full FP32", self._scored("fp32") if known else "the study has no FP32"

    def _scored(self, name: str, logits: pl.DataFrame | None = None) -> pl.DataFrame:
        from tiewise.models.scores import score_candidates

        regime = Regime.parse(name)
        logits = self._logits[regime.model_dtype] if logits is None else logits
        return as_run(score_candidates(self._spec, logits, self._candidates, regime))

    def _at(self, temperature: int) -> pl.DataFrame:
        """Divide the logits, or a bi-encoder's products, by a temperature in the model dtype."""
        grid = BINARY_GRIDS[self._dtype]
        if not self._spec.is_reranker:
            cooled = grid.round(self._low["score"].to_numpy() / temperature)
            return self._low.with_columns(score=pl.Series(cooled))
        logits = self._logits[self._dtype]
        cooled = grid.round(logits["logits"].to_numpy() / temperature)
        values = pl.Series("logits", cooled.astype(np.float32), dtype=logits.schema["logits"])
        return self._scored(self._dtype, logits.with_columns(values))

    def _judged(self, method: str, run: pl.DataFrame, **changes: str) -> Iterator[dict[str, Any]]:
        chosen = options(self._study) | changes
        for row in evaluate(self._qrels, run, self._measures, **chosen).iter_rows(named=True):
            yield self._row(method, row["measure"]) | row

    def _random(self) -> Iterator[dict[str, Any]]:
        """Put ties into random orders; the mean over them should be the expected value."""
        request = Request(self._qrels, {"run": self._low}, self._measures, **options(self._study))
        paired = request.paired("run", stacklevel=2)
        queries = np.flatnonzero(request.kept(paired).to_numpy())
        for measure, row in zip(
            request.measures, self._judged("random order", self._low), strict=True
        ):
            rng = np.random.default_rng([0, *str(measure).encode()])
            means = random_sums(paired, measure, queries, N_ORDERS, rng) / len(queries)
            oblivious = float(means.mean())
            yield row | {
                "policy": "random",
                "oblivious": oblivious,
                "bias": oblivious - row["expected"],
                "spread": float(means.std(ddof=1)),
            }

    def _row(self, method: str, measure: str) -> dict[str, Any]:
        return {"dtype": self._dtype, "method": method, "measure": measure, "note": ""}
