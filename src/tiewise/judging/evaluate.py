"""Evaluate a run against judgements, all orders inside tie groups considered."""

from __future__ import annotations

import warnings
from dataclasses import fields

import polars as pl

from tiewise.judging.arrays import evaluate_arrays, evaluate_blocks
from tiewise.judging.request import Measures, QrelsSource, Request, RunSource
from tiewise.measures import TieAware
from tiewise.runs.coverage import Coverage, CoverageWarning
from tiewise.runs.policies import Policy

__all__ = ["average", "coverage", "evaluate", "evaluate_arrays"]


def evaluate(
    qrels: QrelsSource,
    run: RunSource,
    measures: Measures,
    *,
    policy: str | Policy = "trec",
    score_type: str = "float64",
    per_query: bool = False,
    empty: str = "zero",
    missing: str = "zero",
) -> pl.DataFrame:
    """Evaluate a run.

    Parameters
    ----------
    qrels : frame, mapping or path
        Judgements: columns query_id, doc_id, grade; or ``{query_id: {doc_id: grade}}``; or a file
        for `tiewise.read_qrels`. Relevant is a grade of 1 or more.
    run : frame, mapping or path
        Candidates: columns query_id, doc_id, score and perhaps rank, in input order; or
        ``{query_id: {doc_id: score}}``; or a file for `tiewise.read_run`.
    measures : str, Measure, or several
        Such as ``["nDCG@10", "RR@10", "AP@100"]``; names of trec_eval, MTEB and ranx too.
    policy : {"trec", "input", "docid", "rank", "random(seed)"}
        Order of tied candidates for the oblivious value.
    score_type : {"float64", "float32"}
        What counts as an equal score.
    per_query : bool
        One row for each query and measure instead of the average over queries.
    empty : {"zero", "skip"}
        Queries without a relevant document score 0, or are left out.
    missing : {"zero", "skip"}
        Judged queries without candidates score 0, or are left out.

    Returns
    -------
    polars.DataFrame
        Columns measure, query_id (only with `per_query`), expected, min, max, range, sd,
        oblivious, bias, policy, n_queries (that the row speaks of). Rows in the order of
        `measures`, and within one of the first appearance of queries in `qrels`.

    Raises
    ------
    InputError
        Naming every problem of the call.

    Warns
    -----
    CoverageWarning
        With counts and ids of queries that are left out or count as zero.

    Notes
    -----
    Memory is a few times that of the run; see `evaluate_arrays` for the time. The result does not
    depend on the order of queries, nor of documents unless the policy is ``input``.

    Examples
    --------
    >>> qrels = {"q1": {"a": 1}, "q2": {"c": 1}}
    >>> run = {"q1": {"a": 0.5, "b": 0.5}, "q2": {"c": 0.9, "d": 0.1}}
    >>> evaluate(qrels, run, "RR@10").select("expected", "min", "max", "oblivious").rows()
    [(0.875, 0.75, 1.0, 0.75)]
    """
    request = Request(qrels, {"run": run}, measures, policy, score_type, empty, missing)
    paired = request.paired("run", stacklevel=2)
    values = evaluate_blocks(paired.blocks(), request.measures, paired.n_queries)
    keep = request.kept(paired)
    table = pl.concat(
        [
            _rows(name, value, paired.query_ids, request.policy).filter(keep)
            for name, value in values.items()
        ]
    )
    return table if per_query else average(table)


def coverage(qrels: QrelsSource, run: RunSource) -> Coverage:
    """Compare the queries and documents of judgements and a run.

    Parameters
    ----------
    qrels, run
        As for `evaluate`.

    Returns
    -------
    Coverage
        Counts, and ids in the order of the input.

    Raises
    ------
    InputError
        Naming every problem of the input; also if no query of the run has judgements.

    Examples
    --------
    >>> both = coverage({"q1": {"a": 1}, "q2": {"a": 0}}, {"q1": {"b": 1.0}, "q3": {"a": 1.0}})
    >>> both.missing, both.unjudged, both.empty, both.n_relevant_retrieved
    (('q2',), ('q3',), ('q2',), 0)
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CoverageWarning)
        request = Request(qrels, {"run": run}, "RR", "input", "float64", "zero", "zero")
        return request.paired("run", stacklevel=2).coverage


def average(table: pl.DataFrame) -> pl.DataFrame:
    """Average a table of queries.

    Parameters
    ----------
    table : polars.DataFrame
        Of `evaluate` with ``per_query=True``.

    Returns
    -------
    polars.DataFrame
        One row a measure and policy, without query_id. expected, min, max and oblivious are
        means; sd is that of the mean, sqrt(sum sd^2) / Q, as the orders of queries are
        independent. Sums are exactly rounded, so the order of queries does not matter.

    Examples
    --------
    >>> table = evaluate({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}, "RR", per_query=True)
    >>> average(table).select("expected", "sd", "n_queries").rows()
    [(0.75, 0.25, 1)]
    """
    kinds = [f.name for f in fields(TieAware)]
    rows = []
    for (measure, policy), group in table.group_by("measure", "policy", maintain_order=True):
        mean = TieAware(**{kind: group[kind].to_numpy() for kind in kinds}).mean()
        values = {kind: float(getattr(mean, kind)) for kind in kinds}
        rows.append({"measure": measure, **values, "policy": policy, "n_queries": len(group)})
    schema = {c: t for c, t in _SCHEMA.items() if c not in ("query_id", "range", "bias")}
    return _ordered(pl.DataFrame(rows, schema=schema))


_SCHEMA = {
    "measure": pl.String,
    "query_id": pl.String,
    "expected": pl.Float64,
    "min": pl.Float64,
    "max": pl.Float64,
    "range": pl.Float64,
    "sd": pl.Float64,
    "oblivious": pl.Float64,
    "bias": pl.Float64,
    "policy": pl.String,
    "n_queries": pl.Int64,
}


def _rows(name: str, value: TieAware, query_ids: pl.Series, policy: Policy) -> pl.DataFrame:
    values = {f.name: getattr(value, f.name) for f in fields(TieAware)}
    return _ordered(
        pl.DataFrame({"query_id": query_ids, **values}).with_columns(
            measure=pl.lit(name), policy=pl.lit(str(policy)), n_queries=pl.lit(1, pl.Int64)
        )
    )


def _ordered(table: pl.DataFrame) -> pl.DataFrame:
    """Add range and bias, and put the columns in order."""
    full = table.with_columns(
        range=pl.col("max") - pl.col("min"), bias=pl.col("oblivious") - pl.col("expected")
    )
    return full.select(c for c in _SCHEMA if c in full.columns)
