"""A run and judgements brought together, cut into blocks for the kernel."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from tiewise.judging.blocks import BATCH, Block
from tiewise.kernel.documents import Judgements
from tiewise.kernel.ragged import Ragged
from tiewise.kernel.ranking import Ints
from tiewise.runs.coverage import Coverage
from tiewise.runs.policies import Policy
from tiewise.runs.score_types import as_score_type

_PAIR = ["query_id", "doc_id"]


class Paired:
    """Candidates and judgements of the judged queries, as flat arrays.

    Parameters
    ----------
    qrels, run : polars.DataFrame
        As `tiewise.runs.frames.checked` returns them.
    policy : Policy
        Order of tied candidates.
    score_type : {"float64", "float32"}
        What counts as an equal score.

    Attributes
    ----------
    query_ids : polars.Series of String (Q,)
        Judged queries, in the order of the judgements.
    coverage : Coverage
        What the two have in common.
    """

    def __init__(
        self, qrels: pl.DataFrame, run: pl.DataFrame, policy: Policy, score_type: str
    ) -> None:
        queries = qrels.select(pl.col("query_id").unique(maintain_order=True))
        queries = queries.with_row_index("query")
        self.query_ids = queries["query_id"]
        qrels = qrels.join(queries, on="query_id", how="left").sort(
            "query", "grade", descending=[False, True], maintain_order=True
        )
        self._grade = qrels["grade"].to_numpy()
        self._n_judgements = _lengths(qrels, self.n_queries)
        self._first_judgement = np.cumsum(self._n_judgements) - self._n_judgements

        ranked, unjudged = _of_judged_queries(run, queries)
        judged = ranked.join(qrels, on=_PAIR, how="inner").select("row", "grade")
        order = _order(ranked, judged["row"], policy, score_type)
        self._scores = ranked["score"].to_numpy()[order]
        grades = np.full(len(ranked), np.nan)
        grades[judged["row"].to_numpy()] = judged["grade"].to_numpy()
        self._grades = grades[order]
        self._n_candidates = _lengths(ranked, self.n_queries)
        self._first = np.cumsum(self._n_candidates) - self._n_candidates
        self._score_type = score_type
        self.coverage = self._coverage(unjudged)

    @property
    def n_queries(self) -> int:
        """Judged queries."""
        return len(self.query_ids)

    def blocks(self, rows: Ints | None = None) -> Iterator[Block]:
        """Cut the queries into blocks of bounded size, queries of similar length together.

        Parameters
        ----------
        rows : int64 (n,), optional
            Queries wanted, as indices into `query_ids`; default all.
        """
        rows = np.arange(self.n_queries) if rows is None else rows
        order = rows[np.argsort(self._n_candidates[rows], kind="stable")]
        while len(order):
            width = int(self._n_candidates[order[-1]])
            longest = np.sort(order[-max(1, BATCH // max(width, 1)) :])
            order = order[: len(order) - len(longest)]
            yield self._block(longest, width)

    def _block(self, rows: Ints, width: int) -> Block:
        n_candidates = self._n_candidates[rows]
        column = np.arange(width)
        inside = column < n_candidates[:, None]
        flat = np.where(inside, self._first[rows, None] + column, 0)
        scores = as_score_type(np.where(inside, self._scores[flat], -np.inf), self._score_type)
        grades = np.where(inside, self._grades[flat], np.nan)
        listed = Ragged(self._first_judgement[rows], self._n_judgements[rows])
        judgements = Judgements(listed.spread(np.arange(len(rows))), self._grade[listed.number])
        return Block(rows, scores, grades, n_candidates, judgements)

    def _coverage(self, unjudged: pl.Series) -> Coverage:
        n_relevant = np.bincount(
            np.repeat(np.arange(self.n_queries), self._n_judgements)[self._grade >= 1],
            minlength=self.n_queries,
        )
        return Coverage(
            n_queries=self.n_queries,
            unjudged=tuple(unjudged),
            missing=tuple(self.query_ids.filter(pl.Series(self._n_candidates == 0))),
            empty=tuple(self.query_ids.filter(pl.Series(n_relevant == 0))),
            n_candidates=len(self._scores),
            n_judgements=len(self._grade),
            n_judged_retrieved=int(np.sum(~np.isnan(self._grades))),
            n_relevant=int(n_relevant.sum()),
            n_relevant_retrieved=int(np.sum(self._grades >= 1)),
        )


def _of_judged_queries(run: pl.DataFrame, queries: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    """Number the queries of a run and sort by number; split off those without judgements."""
    # A run lists its queries one after another: look up each stretch once, not each row.
    stretches = run.select(pl.col("query_id").rle()).unnest("query_id")
    stretches = stretches.join(
        queries, left_on="value", right_on="query_id", how="left", maintain_order="left"
    )
    query = pl.Series("query", stretches["query"]).repeat_by(stretches["len"]).explode()
    ranked = run.with_columns(query=query)
    unjudged = stretches.filter(pl.col("query").is_null())["value"].unique(maintain_order=True)
    if len(unjudged):
        ranked = ranked.filter(pl.col("query").is_not_null())
    if not ranked["query"].is_sorted():
        ranked = ranked.sort("query", maintain_order=True)
    return ranked.with_row_index("row"), unjudged


def _lengths(frame: pl.DataFrame, n_queries: int) -> Ints:
    return np.bincount(frame["query"].to_numpy(), minlength=n_queries)


def _order(ranked: pl.DataFrame, judged: pl.Series, policy: Policy, score_type: str) -> Ints:
    """Rows of each query in an order that agrees with the policy where that matters.

    That is in tie groups with a judged document: only their rows change places, among themselves.
    """
    order = np.arange(len(ranked))
    if policy.kind == "input":
        return order
    # The sum makes -0.0 and 0.0 one number.
    scores = as_score_type(ranked["score"].to_numpy() + 0.0, score_type)
    group = ranked.select("row", "query").with_columns(score=pl.Series(scores))
    held = group[judged].select("query", "score").unique()
    tied = group.join(held, on=["query", "score"], how="semi", maintain_order="left")
    kept = [c for c in ("query_id", "doc_id", "rank") if c in ranked.columns]
    tied = tied.hstack(ranked[tied["row"]].select(kept))
    before = tied.sort("query", "score", maintain_order=True)
    after = policy.sort(tied).sort("query", "score", maintain_order=True)
    order[before["row"].to_numpy()] = after["row"].to_numpy()
    return order
