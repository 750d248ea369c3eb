"""What judgements and a run have in common, and what an evaluation leaves out."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from tiewise import frames
from tiewise.errors import some


class CoverageWarning(UserWarning):
    """Queries that count as zero or are left out of an average."""


@dataclass(frozen=True)
class Coverage:
    """Queries and documents that judgements and a run share, and those they do not.

    Attributes
    ----------
    n_judged_queries, n_run_queries : int
        Queries in the judgements, in the run.
    unjudged : tuple of str
        Queries of the run without judgements: always left out.
    missing : tuple of str
        Judged queries without candidates: score 0, or are left out.
    empty : tuple of str
        Judged queries without a relevant document (grade 1 or more): score 0, or are left out.
    n_relevant, n_relevant_retrieved : int
        Relevant documents, and those of them that are candidates of their query.
    n_judgements, n_judged_retrieved : int
        Judgements, and those of them whose document is a candidate of the query.
    """

    n_judged_queries: int
    n_run_queries: int
    unjudged: tuple[str, ...]
    missing: tuple[str, ...]
    empty: tuple[str, ...]
    n_relevant: int
    n_relevant_retrieved: int
    n_judgements: int
    n_judged_retrieved: int

    def remarks(self, *, empty: str = "zero", missing: str = "zero") -> list[str]:
        """Say in sentences what is left out or counts as zero."""
        fate = {"zero": "score 0", "skip": "are left out"}
        remarks = []
        if self.unjudged:
            remarks.append(
                f"queries of the run without judgements are left out, {some(self.unjudged)}"
            )
        if self.missing:
            remarks.append(
                f"judged queries without candidates {fate[missing]}, {some(self.missing)}"
            )
        if self.empty:
            remarks.append(f"queries without relevant documents {fate[empty]}, {some(self.empty)}")
        if not self.n_judged_retrieved:
            remarks.append("no judged document is a candidate: are the ids of one collection?")
        return remarks


def coverage(qrels: frames.Qrels, run: frames.Run) -> Coverage:
    """Compare the queries and documents of judgements and a run.

    Parameters
    ----------
    qrels, run
        As for `tiewise.evaluate`.

    Returns
    -------
    Coverage
        Counts, and ids in the order of the input.

    Examples
    --------
    >>> both = coverage({"q1": {"a": 1}, "q2": {"a": 0}}, {"q1": {"b": 1.0}, "q3": {"a": 1.0}})
    >>> both.missing, both.unjudged, both.empty, both.n_relevant_retrieved
    (('q2',), ('q3',), ('q2',), 0)
    """
    judgements, candidates = frames.checked([("qrels", qrels), ("run", run)])
    return coverage_of(judgements, candidates)


def coverage_of(qrels: pl.DataFrame, run: pl.DataFrame) -> Coverage:
    """Do the work of `coverage` on frames that are checked already."""
    judged = qrels.group_by("query_id", maintain_order=True).agg((pl.col("grade") >= 1).any())
    ranked = run.select(pl.col("query_id").unique(maintain_order=True))
    found = qrels.join(run, on=["query_id", "doc_id"], how="semi")
    relevant = pl.col("grade") >= 1
    return Coverage(
        n_judged_queries=len(judged),
        n_run_queries=len(ranked),
        unjudged=_ids(ranked.join(judged, on="query_id", how="anti", maintain_order="left")),
        missing=_ids(judged.join(ranked, on="query_id", how="anti", maintain_order="left")),
        empty=_ids(judged.filter(~pl.col("grade"))),
        n_relevant=len(qrels.filter(relevant)),
        n_relevant_retrieved=len(found.filter(relevant)),
        n_judgements=len(qrels),
        n_judged_retrieved=len(found),
    )


def _ids(frame: pl.DataFrame) -> tuple[str, ...]:
    return tuple(frame["query_id"])
