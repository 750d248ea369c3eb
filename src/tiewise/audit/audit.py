"""The audit of one run, as data: tables, counts and two sentences."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import polars as pl

from tiewise.audit.origins import TieSource, tie_sources
from tiewise.audit.tie_groups import n_tied, tie_counts
from tiewise.audit.toolkits import toolkit_values
from tiewise.audit.values import CONSTANT, RunValues, run_values
from tiewise.audit.words import verdict
from tiewise.judging.evaluate import average
from tiewise.judging.request import Measures, QrelsSource, Request, RunSource
from tiewise.runs.coverage import Coverage, CoverageWarning

DEFAULT_MEASURES = ("nDCG@10", "RR@10", "AP@100", "R@100", "P@10")


@dataclass(frozen=True)
class TieSummary:
    """How much of a run is tied, in its judged queries.

    Attributes
    ----------
    n_queries, n_queries_tied : int
        Queries of the run, and those with at least one tie.
    n_candidates, n_tied, n_tied_float32 : int
        Candidates, those that share their score, and those that do when scores are float32.
    largest : int
        Candidates of the largest tie group, 1 if there is none.
    largest_query : str
        Query of that group.
    n_queries_tied_at_cut, most_tied_at_cut : int
        Queries whose lowest score is shared, and by how many candidates at most. Documents with
        the same score may have been cut off before the run was written; nobody can tell from it.
    """

    n_queries: int
    n_queries_tied: int
    n_candidates: int
    n_tied: int
    n_tied_float32: int
    largest: int
    largest_query: str
    n_queries_tied_at_cut: int
    most_tied_at_cut: int

    @property
    def share_tied(self) -> float:
        """Tied candidates as a share of all, from 0 to 1."""
        return self.n_tied / self.n_candidates


@dataclass(frozen=True)
class Audit:
    """What an audit found.

    Attributes
    ----------
    table : polars.DataFrame
        One row a measure: the columns of `tiewise.evaluate`, and ``n_queries_moved`` (queries
        whose value depends on the order of ties) and ``constant`` (expected value of a scorer
        that gives all candidates one score).
    per_query : polars.DataFrame
        The same by query: the columns of `tiewise.evaluate`.
    toolkits : polars.DataFrame
        What each toolkit would print: toolkit, ties, measure, value, note.
    ties : TieSummary
        How much is tied.
    sources : tuple of TieSource
        Where the ties most likely come from.
    coverage : Coverage
        Counts of what the run and the judgements share.
    left_out : tuple of str
        A sentence for everything that is left out or counts as zero.
    verdict : tuple of str
        What it means, in two sentences.
    policy, score_type : str
        As asked for.
    """

    table: pl.DataFrame
    per_query: pl.DataFrame
    toolkits: pl.DataFrame
    ties: TieSummary
    sources: tuple[TieSource, ...]
    coverage: Coverage
    left_out: tuple[str, ...]
    verdict: tuple[str, str]
    policy: str
    score_type: str

    def rows(self, *, per_query: bool = False) -> pl.DataFrame:
        """Return the columns of `tiewise.evaluate`, ``query_id`` null for the average.

        Parameters
        ----------
        per_query : bool
            Whether the rows of the queries come before those of the average.
        """
        columns = self.per_query.columns
        averages = self.table.with_columns(query_id=pl.lit(None, pl.String)).select(columns)
        return pl.concat([self.per_query, averages]) if per_query else averages


def audit(
    qrels: QrelsSource,
    run: RunSource,
    measures: Measures = DEFAULT_MEASURES,
    *,
    policy: str = "trec",
    score_type: str = "float64",
    empty: str = "zero",
    missing: str = "zero",
) -> Audit:
    """Audit a run.

    Parameters
    ----------
    qrels, run
        Frames, nested dictionaries, or files for `tiewise.read_qrels` and `tiewise.read_run`.
    measures : str, Measure, or several
        What to look at; the verdict speaks of the first.
    policy, score_type, empty, missing : str
        As for `tiewise.evaluate`.

    Returns
    -------
    Audit
        Tables, counts and sentences; `tiewise.report` shows them.

    Raises
    ------
    InputError
        Naming every problem of the input.

    Notes
    -----
    Costs about twice as much as `tiewise.evaluate`.

    Examples
    --------
    >>> run = {"q": {"a": 0.5, "b": 0.5, "c": 0.5, "d": 0.25}}
    >>> result = audit({"q": {"a": 1}}, run, ["P@1", "P@2"])
    >>> result.table.select("measure", "oblivious", "min", "max", "n_queries_moved").rows()
    [('P@1', 0.0, 0.0, 1.0, 1), ('P@2', 0.0, 0.0, 0.5, 1)]
    >>> result.ties.share_tied, result.ties.largest
    (0.75, 3)
    """
    request = Request(qrels, {"run": run}, measures, policy, score_type, empty, missing)
    with warnings.catch_warnings():
        # What is left out is a part of the result.
        warnings.simplefilter("ignore", CoverageWarning)
        values = run_values(request)
    per_query = _per_query(values, request)
    table = average(per_query)
    covered = values.coverage
    ties = tie_counts(values.groups["float64"])
    summary = _summarise(ties, n_tied(values.groups["float32"]))
    fates = {"missing": missing, "empty": empty}
    constant = [
        float(values.mean((CONSTANT, "float64"), m, **fates).expected) for m in request.measures
    ]
    return Audit(
        table=table.with_columns(_moved(per_query, table), pl.Series("constant", constant)),
        per_query=per_query,
        toolkits=toolkit_values(values, request, ties["n_candidates"]),
        ties=summary,
        sources=tie_sources(values.groups["float64"], ties, summary.n_tied_float32),
        coverage=covered,
        left_out=tuple(covered.remarks(**fates)) + _unretrieved(covered),
        verdict=verdict(table, summary.n_tied, policy, n_tied_float32=summary.n_tied_float32),
        policy=policy,
        score_type=score_type,
    )


def _per_query(values: RunValues, request: Request) -> pl.DataFrame:
    """Lay out the values of the rule that was asked for as `tiewise.evaluate` does."""
    policy = str(request.policy)
    kept = values.kept(missing=request.missing, empty=request.empty)
    parts = []
    for measure, value in values.by_rule[policy, request.score_type].items():
        columns = ("expected", "min", "max", "range", "sd", "oblivious", "bias")
        part = pl.DataFrame(
            {"query_id": values.query_ids, **{c: getattr(value, c) for c in columns}}
        )
        parts.append(part.filter(kept).select(pl.lit(str(measure)).alias("measure"), pl.all()))
    ends = (pl.lit(policy).alias("policy"), pl.lit(1, pl.Int64).alias("n_queries"))
    return pl.concat(parts).with_columns(*ends)


def _summarise(ties: pl.DataFrame, n_tied_float32: int) -> TieSummary:
    largest = ties.row(ties["largest_tie_group"].arg_max() or 0, named=True)
    at_cut = ties["n_tied_at_cut"]
    return TieSummary(
        n_queries=ties.height,
        n_queries_tied=int((ties["n_tied"] > 0).sum()),
        n_candidates=int(ties["n_candidates"].sum()),
        n_tied=int(ties["n_tied"].sum()),
        n_tied_float32=n_tied_float32,
        largest=largest["largest_tie_group"],
        largest_query=largest["query_id"],
        n_queries_tied_at_cut=int((at_cut > 0).sum()),
        most_tied_at_cut=int(at_cut.max() or 0),  # type: ignore[arg-type]
    )


def _moved(per_query: pl.DataFrame, table: pl.DataFrame) -> pl.Series:
    moved = per_query.group_by("measure").agg(n_queries_moved=(pl.col("range") > 0).sum())
    joined = table.join(moved, on="measure", how="left", maintain_order="left")
    return joined["n_queries_moved"].cast(pl.Int64)


def _unretrieved(covered: Coverage) -> tuple[str, ...]:
    lost = covered.n_relevant - covered.n_relevant_retrieved
    unjudged = covered.n_candidates - covered.n_judged_retrieved
    sentences = {
        f"relevant documents that the run does not list: {lost:,} of {covered.n_relevant:,}": lost,
        f"candidates without a judgement, taken as not relevant: {unjudged:,} of "
        f"{covered.n_candidates:,}": unjudged,
    }
    return tuple(sentence for sentence, count in sentences.items() if count)
