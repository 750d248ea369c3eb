"""What the known toolkits would print for a run."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl

from tiewise.audit.rules import AVERAGE, TOOLKITS, Toolkit
from tiewise.coverage import Coverage, CoverageWarning
from tiewise.evaluate import evaluate
from tiewise.measures import Measure

_STABLE_UP_TO = 15
"""Candidates up to which the sort of ranx (numba's quicksort) keeps equal scores in order."""

_SCHEMA = {
    "toolkit": pl.String,
    "ties": pl.String,
    "measure": pl.String,
    "value": pl.Float64,
    "note": pl.String,
}


class Setting(NamedTuple):
    """The arguments of `evaluate` that make two averages differ."""

    policy: str = "trec"
    score_type: str = "float64"
    missing: str = "zero"
    empty: str = "zero"


class Averages:
    """Averages of one run under several settings, each computed once, when it is asked for.

    Parameters
    ----------
    qrels, run : polars.DataFrame
        Checked.
    measures : sequence of Measure
        What to compute.
    coverage : Coverage
        Of the two.
    """

    def __init__(
        self,
        qrels: pl.DataFrame,
        run: pl.DataFrame,
        measures: Sequence[Measure],
        coverage: Coverage,
    ) -> None:
        self.qrels, self.run, self.measures, self.coverage = qrels, run, measures, coverage
        self._tables: dict[Setting, pl.DataFrame] = {}

    def add(self, setting: Setting, table: pl.DataFrame) -> None:
        """Keep an average that is there already."""
        self._tables[self._normal(setting)] = table

    def row(self, setting: Setting, measure: Measure) -> dict[str, float]:
        """Return a measure's row of `evaluate`."""
        setting = self._normal(setting)
        if setting not in self._tables:
            self._tables[setting] = self._evaluate(self.qrels, self.measures, setting)
        return _row(self._tables[setting], measure)

    def knowing_only_candidates(self, measure: Measure) -> float:
        """Return the expected value for a tool that sees no judgement but the candidates'."""
        setting = Setting("input", missing="skip")
        return _row(self._evaluate(self._retrieved, [measure], setting), measure)["expected"]

    def constant(self, setting: Setting) -> pl.Series:
        """Return each measure's expected value for a scorer that gives all candidates one score."""
        constant = self.run.select("query_id", "doc_id", score=pl.lit(0.0))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CoverageWarning)
            table = evaluate(
                self.qrels,
                constant,
                self.measures,
                policy="input",
                missing=setting.missing,
                empty=setting.empty,
            )
        return table["expected"].alias("constant")

    @cached_property
    def lengths(self) -> pl.Series:
        """Candidates of each query."""
        return self.run.group_by("query_id").len()["len"]

    @cached_property
    def _retrieved(self) -> pl.DataFrame:
        """The judgements, with those of documents that are no candidates set to 0."""
        ids = ["query_id", "doc_id"]
        found = self.qrels.join(self.run, on=ids, how="left", maintain_order="left")
        grade = pl.when(pl.col("score").is_null()).then(0.0).otherwise("grade")
        return found.select(*ids, grade=grade)

    @cached_property
    def _reachable(self) -> pl.DataFrame:
        """The candidates that some order puts inside the largest cut-off; the others count not."""
        cutoffs = [m.cutoff for m in self.measures if m.cutoff is not None]
        if len(cutoffs) < len(self.measures):
            return self.run
        # float32 keeps the order of scores, but joins some: compare as float32, so none is lost.
        score = pl.col("score").cast(pl.Float32)
        return self.run.filter(score >= score.top_k(max(cutoffs)).min().over("query_id"))

    @cached_property
    def float32_is_exact(self) -> bool:
        """Whether no score changes when it is kept as float32."""
        scores = self.run["score"].to_numpy()
        with np.errstate(over="ignore"):
            return bool((scores.astype(np.float32) == scores).all())

    def _normal(self, setting: Setting) -> Setting:
        """Spell settings alike that give the same average here."""
        return setting._replace(
            score_type="float64" if self.float32_is_exact else setting.score_type,
            missing=setting.missing if self.coverage.missing else "zero",
            empty=setting.empty if self.coverage.empty else "zero",
        )

    def _evaluate(
        self, qrels: pl.DataFrame, measures: Sequence[Measure], setting: Setting
    ) -> pl.DataFrame:
        with warnings.catch_warnings():
            # What is left out has been said once.
            warnings.simplefilter("ignore", CoverageWarning)
            return evaluate(qrels, self._reachable, measures, **setting._asdict())


def toolkit_values(averages: Averages) -> pl.DataFrame:
    """Compute what each toolkit would print.

    Parameters
    ----------
    averages : Averages
        Of the run.

    Returns
    -------
    polars.DataFrame
        One row for each toolkit and measure: toolkit, ties (its rule in words), measure, value
        (null where the toolkit does not have the measure or refuses the run, or where nobody can
        tell), note (the reason).
    """
    rows = [
        (toolkit.name, toolkit.ties, str(measure), *_value(toolkit, measure, averages))
        for toolkit in TOOLKITS
        for measure in averages.measures
    ]
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


def _value(toolkit: Toolkit, measure: Measure, averages: Averages) -> tuple[float | None, str]:
    rule = next((r for r in toolkit.rules if r.covers(measure)), None)
    if rule is None:
        return None, "not offered, or defined otherwise"
    if not toolkit.knows_grades and measure.symbol == "nDCG" and averages.qrels["grade"].max() > 1:  # type: ignore[operator]
        return None, "knows no grades"
    if rule.policy == AVERAGE:
        refusal = _refusal_of_scikit_learn(averages)
        return (None, refusal) if refusal else (averages.knowing_only_candidates(measure), "")
    setting = Setting(rule.policy, rule.score_type, toolkit.missing, toolkit.empty)
    row = averages.row(setting, measure)
    if not toolkit.sorts_stably and row["range"] > 0 and averages.lengths.max() > _STABLE_UP_TO:  # type: ignore[operator]
        return None, "unstable sort: anything from min to max"
    return row["oblivious"], ""


def _refusal_of_scikit_learn(averages: Averages) -> str:
    if (averages.qrels["grade"] < 0).any():
        return "refuses negative grades"
    if (averages.lengths < 2).any():
        return "refuses a query with one candidate"
    if averages.run["score"].is_infinite().any():
        return "refuses infinite scores"
    return ""


def _row(table: pl.DataFrame, measure: Measure) -> dict[str, float]:
    return table.row(by_predicate=pl.col("measure") == str(measure), named=True)
