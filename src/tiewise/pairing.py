"""A run and judgements brought together, cut into blocks for the kernel."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from tiewise.arrays import BATCH, Block
from tiewise.measures.documents import Judgements
from tiewise.measures.ragged import Ragged
from tiewise.policies import Policy
from tiewise.ties import Ints, as_score_type


class Paired:
    """Candidates and judgements of the judged queries, as flat arrays.

    Parameters
    ----------
    qrels, run : polars.DataFrame
        As `tiewise.frames.checked` returns them.
    policy : Policy
        Order of tied candidates.

    Attributes
    ----------
    query_ids : polars.Series of String (Q,)
        Judged queries, in the order of the judgements.
    n_candidates : int64 (Q,)
        Candidates of each, possibly 0.
    """

    def __init__(self, qrels: pl.DataFrame, run: pl.DataFrame, policy: Policy) -> None:
        queries = qrels.select(pl.col("query_id").unique(maintain_order=True))
        queries = queries.with_row_index("query")
        self.query_ids = queries["query_id"]
        ranked = run.join(queries, on="query_id", how="inner", maintain_order="left")
        ranked = policy.sort(ranked).with_row_index("row")
        self.scores = ranked["score"].to_numpy()
        query = ranked["query"].to_numpy()
        self.n_candidates = np.bincount(query, minlength=self.n_queries)
        self._first = np.cumsum(self.n_candidates) - self.n_candidates

        judged = ranked.join(qrels, on=["query_id", "doc_id"], how="inner").select("row", "grade")
        self.grades = np.full(len(self.scores), np.nan)
        self.grades[judged["row"].to_numpy()] = judged["grade"].to_numpy()

        listed = qrels.join(queries, on="query_id", how="left").sort(
            "query", "grade", descending=[False, True]
        )
        self._grade = listed["grade"].to_numpy()
        self._n_judgements = np.bincount(listed["query"].to_numpy(), minlength=self.n_queries)
        self._first_judgement = np.cumsum(self._n_judgements) - self._n_judgements

    @property
    def n_queries(self) -> int:
        """Judged queries."""
        return len(self.query_ids)

    def blocks(self, score_type: str) -> Iterator[Block]:
        """Cut the queries into blocks of bounded size, queries of similar length together."""
        order = np.argsort(self.n_candidates, kind="stable")
        while len(order):
            width = int(self.n_candidates[order[-1]])
            rows = np.sort(order[-max(1, BATCH // max(width, 1)) :])
            order = order[: len(order) - len(rows)]
            yield self._block(rows, width, score_type)

    def _block(self, rows: Ints, width: int, score_type: str) -> Block:
        n_candidates = self.n_candidates[rows]
        column = np.arange(width)
        inside = column < n_candidates[:, None]
        flat = np.where(inside, self._first[rows, None] + column, 0)
        scores = np.where(inside, self.scores[flat], -np.inf)
        grades = np.where(inside, self.grades[flat], np.nan)
        judgements = Ragged(self._first_judgement[rows], self._n_judgements[rows])
        return Block(
            rows,
            as_score_type(scores, score_type),
            grades,
            n_candidates,
            Judgements(judgements.spread(np.arange(len(rows))), self._grade[judgements.number]),
        )
