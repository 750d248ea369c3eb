"""What the known toolkits would print for a run."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from tiewise.audit.rules import AVERAGE, TOOLKITS, Toolkit
from tiewise.audit.values import RETRIEVED, RunValues
from tiewise.judging.evaluate import evaluate
from tiewise.judging.request import Request
from tiewise.measures import Measure
from tiewise.runs.coverage import CoverageWarning

_STABLE_UP_TO = 15
"""Candidates up to which the sort of ranx (numba's quicksort) keeps equal scores in order."""

UNSTABLE = "unstable sort: anything from min to max"
"""Note of a value that nobody can tell."""

_SCHEMA = {
    "toolkit": pl.String,
    "ties": pl.String,
    "measure": pl.String,
    "value": pl.Float64,
    "note": pl.String,
}


def toolkit_values(values: RunValues, request: Request, lengths: pl.Series) -> pl.DataFrame:
    """Say what each toolkit would print.

    Parameters
    ----------
    values : RunValues
        Of the run.
    request : Request
        What was asked for.
    lengths : polars.Series
        Candidates of each query of the run.

    Returns
    -------
    polars.DataFrame
        One row for each toolkit and measure: toolkit, ties (its rule in words), measure, value
        (null where the toolkit does not have the measure or refuses the run, or where nobody can
        tell), note (the reason).
    """
    toolkits = _Toolkits(values, request, lengths)
    rows = [
        (toolkit.name, toolkit.ties, str(measure), *toolkits.value(toolkit, measure))
        for toolkit in TOOLKITS
        for measure in request.measures
    ]
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


@dataclass(frozen=True)
class _Toolkits:
    values: RunValues
    request: Request
    lengths: pl.Series

    def value(self, toolkit: Toolkit, measure: Measure) -> tuple[float | None, str]:
        """Value of a measure, or the reason why there is none."""
        rule = next((r for r in toolkit.rules if r.covers(measure)), None)
        if rule is None:
            return None, "not offered, or defined otherwise"
        if measure.symbol == "nDCG" and not toolkit.knows_grades and self.is_graded:
            return None, "knows no grades"
        if rule.policy == AVERAGE:
            return self.of_scikit_learn(measure)
        if not toolkit.sorts_stably:
            return self.of_ranx(measure)
        mean = self.values.mean(
            (rule.policy, rule.score_type), measure, missing=toolkit.missing, empty=toolkit.empty
        )
        return float(mean.oblivious), ""

    @cached_property
    def is_graded(self) -> bool:
        """Whether there is a grade above 1."""
        return bool((self.request.qrels["grade"] > 1).any())

    def of_scikit_learn(self, measure: Measure) -> tuple[float | None, str]:
        if (self.request.qrels["grade"] < 0).any():
            return None, "refuses negative grades"
        if (self.lengths < 2).any():
            return None, "refuses a query with one candidate"
        if self.request.runs["run"]["score"].is_infinite().any():
            return None, "refuses infinite scores"
        rule = (RETRIEVED, "float64")
        return float(self.values.mean(rule, measure, missing="skip", empty="zero").expected), ""

    def of_ranx(self, measure: Measure) -> tuple[float | None, str]:
        values = self.values.by_rule["trec", "float64"][measure]
        if not (values.range > 0).any():
            return float(values.mean().oblivious), ""
        if (self.lengths > _STABLE_UP_TO).any():
            return None, UNSTABLE
        with warnings.catch_warnings():
            # What is left out has been said once.
            warnings.simplefilter("ignore", CoverageWarning)
            table = evaluate(
                self.request.qrels, self.request.runs["run"], [measure], policy="input"
            )
        return table["oblivious"][0], ""
