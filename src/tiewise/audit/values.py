"""Values of one run under many tie rules, in one pass over its candidates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import polars as pl

from tiewise.audit.tie_groups import tie_groups
from tiewise.judging.arrays import batch_of
from tiewise.judging.pairing import Paired
from tiewise.judging.request import Request
from tiewise.kernel.documents import Judgements
from tiewise.measures import Batch, Measure, TieAware
from tiewise.runs.coverage import Coverage
from tiewise.runs.policies import Policy
from tiewise.runs.score_types import SCORE_TYPES

CONSTANT = "constant"
"""Stands for a scorer that gives all candidates one score."""
RETRIEVED = "retrieved"
"""Stands for a tool that is shown no judgement but those of the candidates."""

Rule = tuple[str, str]
"""A tie policy, or one of the above, and a score type."""
Values = dict[Measure, TieAware]


@dataclass(frozen=True)
class RunValues:
    """A run's values, query by query, under each rule.

    Attributes
    ----------
    query_ids : polars.Series of String (Q,)
        Judged queries.
    coverage : Coverage
        Of the run and the judgements.
    by_rule : dict
        Arrays (Q,) of each measure, by rule.
    groups : dict
        Tie groups, by score type.
    """

    query_ids: pl.Series
    coverage: Coverage
    by_rule: Mapping[Rule, Values]
    groups: Mapping[str, pl.DataFrame]

    def kept(self, *, missing: str, empty: str) -> pl.Series:
        """Mark the queries that an average counts, Boolean (Q,)."""
        skipped = [
            *(self.coverage.missing if missing == "skip" else ()),
            *(self.coverage.empty if empty == "skip" else ()),
        ]
        return ~self.query_ids.is_in(skipped)

    def mean(self, rule: Rule, measure: Measure, *, missing: str, empty: str) -> TieAware:
        """Average a measure over queries."""
        keep = self.kept(missing=missing, empty=empty).to_numpy()
        values = self.by_rule[rule][measure]
        arrays = {f.name: getattr(values, f.name) for f in fields(values)}
        kept = {name: array[keep] for name, array in arrays.items() if array is not None}
        return TieAware(**kept).mean()


def run_values(request: Request) -> RunValues:
    """Evaluate a run under the rule that was asked for, with sd, and under those of the toolkits.

    Parameters
    ----------
    request : Request
        With one run, called ``run``.

    Returns
    -------
    RunValues
        Under that rule, and under document id descending and ascending, `CONSTANT` and
        `RETRIEVED`, each as float64 and as float32.

    Raises
    ------
    InputError
        If no query of the run has judgements.

    Notes
    -----
    To bring run and judgements together costs more than all measures, so it is done once for the
    rules that order ties by document id.
    """
    qrels, run, measures = request.qrels, request.runs["run"], request.measures
    asked = (str(request.policy), request.score_type)
    first = request.paired("run", stacklevel=1)
    pairings = {asked: first}
    exact = float32_is_exact(run)
    kinds = (request.score_type,) if exact else SCORE_TYPES
    by_rule: dict[Rule, Values] = {}
    groups: dict[str, pl.DataFrame] = {}
    for kind in kinds:
        paired = pairings.get(("trec", kind)) or Paired(qrels, run, Policy("trec"), kind)
        rules = {(name, kind): derive for name, derive in _DERIVED.items()}
        by_rule |= _by_rule(paired, measures, rules, asked)
        groups[kind] = tie_groups(paired)
    if exact:
        by_rule |= {(n, k): by_rule[n, kinds[0]] for n in _DERIVED for k in SCORE_TYPES}
        groups = dict.fromkeys(SCORE_TYPES, groups[kinds[0]])
    if asked not in by_rule:
        by_rule |= _by_rule(first, measures, {asked: _as_it_is}, asked)
    return RunValues(first.query_ids, first.coverage, by_rule, groups)


def float32_is_exact(run: pl.DataFrame) -> bool:
    """Tell whether no score changes when it is kept as float32.

    Examples
    --------
    >>> float32_is_exact(pl.DataFrame({"score": [0.5, 0.1]}))
    False
    """
    scores = run["score"].to_numpy()
    with np.errstate(over="ignore"):
        return bool((scores.astype(np.float32) == scores).all())


Derive = Callable[[Batch], Batch]


def _by_rule(
    paired: Paired, measures: Sequence[Measure], rules: Mapping[Rule, Derive], with_sd: Rule
) -> dict[Rule, Values]:
    """Evaluate the batches that rules derive from the pairing's own."""
    kinds = [f.name for f in fields(TieAware)]
    arrays = {
        (rule, measure): {
            kind: np.zeros(paired.n_queries) for kind in kinds if kind != "sd" or rule == with_sd
        }
        for rule in rules
        for measure in measures
    }
    for block in paired.blocks():
        batch = batch_of(block, list(measures))
        for rule, derive in rules.items():
            derived = derive(batch)
            for measure in measures:
                values = measure.evaluate(derived, sd=rule == with_sd)
                for kind, array in arrays[rule, measure].items():
                    array[block.rows] = getattr(values, kind)
    return {rule: {m: TieAware(**arrays[rule, m]) for m in measures} for rule in rules}


def _as_it_is(batch: Batch) -> Batch:
    return batch


def _reversed(batch: Batch) -> Batch:
    """Turn round the order inside every tie group."""
    judged = batch.judged
    place = 2 * judged.above + judged.size + 1 - judged.place
    order = np.lexsort((place, judged.query))
    turned = replace(judged, place=place)
    turned = replace(judged, **{f.name: getattr(turned, f.name)[order] for f in fields(judged)})
    return Batch(turned, batch.judgements, batch.n_candidates)


def _constant(batch: Batch) -> Batch:
    """Put all candidates into one tie group."""
    judged = batch.judged
    one_group = replace(
        judged, above=np.zeros_like(judged.above), size=batch.n_candidates[judged.query]
    )
    return Batch(one_group, batch.judgements, batch.n_candidates)


def _retrieved(batch: Batch) -> Batch:
    """Forget the judgements of documents that are no candidates."""
    query, grade = batch.judged.query, batch.judged.grade
    order = np.lexsort((-grade, query))
    return Batch(batch.judged, Judgements(query[order], grade[order]), batch.n_candidates)


_DERIVED: dict[str, Derive] = {
    "trec": _as_it_is,
    "docid": _reversed,
    CONSTANT: _constant,
    RETRIEVED: _retrieved,
}
