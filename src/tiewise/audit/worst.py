"""The queries whose value depends most on the order of ties, and the tie groups that do it."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from tiewise.measures import parse
from tiewise.runs.score_types import as_score_type

_SHOWN_DOCUMENTS = 12


@dataclass(frozen=True)
class TieGroup:
    """A tie group whose order matters.

    Attributes
    ----------
    score : float
        The score that its candidates share.
    first, last : int
        Its places in the ranking, from 1.
    n_relevant : int
        Candidates with a grade of 1 or more.
    documents : tuple of (str, float or None)
        Candidates and their grades, the best first; at most twelve of them.
    """

    score: float
    first: int
    last: int
    n_relevant: int
    documents: tuple[tuple[str, float | None], ...]

    @property
    def size(self) -> int:
        """Candidates in the group."""
        return self.last - self.first + 1


@dataclass(frozen=True)
class MovedQuery:
    """A query whose value depends on the order of ties.

    Attributes
    ----------
    query_id : str
        The query.
    expected, min, max, oblivious : float
        Of the measure.
    groups : tuple of TieGroup
        Groups of two or more that begin inside the cut-off and hold candidates of unequal gain.
    """

    query_id: str
    expected: float
    min: float
    max: float
    oblivious: float
    groups: tuple[TieGroup, ...]


def worst_queries(
    per_query: pl.DataFrame,
    qrels: pl.DataFrame,
    run: pl.DataFrame,
    measure: str,
    *,
    score_type: str = "float64",
    n: int = 10,
) -> tuple[MovedQuery, ...]:
    """Find the queries with the largest range of a measure.

    Parameters
    ----------
    per_query : polars.DataFrame
        Of `tiewise.evaluate` with ``per_query=True``.
    qrels, run : polars.DataFrame
        Checked.
    measure : str
        One of `per_query`.
    score_type : {'float64', 'float32'}
        What counts as equal.
    n : int
        How many queries.

    Returns
    -------
    tuple of MovedQuery
        At most `n`, the largest range first; none with a range of 0.

    Examples
    --------
    >>> from tiewise import evaluate
    >>> qrels = pl.DataFrame({"query_id": ["q"], "doc_id": ["a"], "grade": [1.0]})
    >>> run = pl.DataFrame({"query_id": ["q"] * 2, "doc_id": ["a", "b"], "score": [0.5, 0.5]})
    >>> table = evaluate(qrels, run, "RR@10", per_query=True)
    >>> worst_queries(table, qrels, run, "RR@10")[0].groups
    (TieGroup(score=0.5, first=1, last=2, n_relevant=1, documents=(('a', 1.0), ('b', None))),)
    """
    moved = (
        per_query.filter(pl.col("measure") == measure, pl.col("range") > 0)
        .sort("range", descending=True, maintain_order=True)
        .head(n)
    )
    cutoff = parse(measure).cutoff
    return tuple(
        MovedQuery(
            query_id=row["query_id"],
            expected=row["expected"],
            min=row["min"],
            max=row["max"],
            oblivious=row["oblivious"],
            groups=_groups(row["query_id"], qrels, run, cutoff, score_type),
        )
        for row in moved.iter_rows(named=True)
    )


def _groups(
    query_id: str, qrels: pl.DataFrame, run: pl.DataFrame, cutoff: int | None, score_type: str
) -> tuple[TieGroup, ...]:
    candidates = run.filter(pl.col("query_id") == query_id)
    judged = qrels.filter(pl.col("query_id") == query_id).select("doc_id", "grade")
    scores = as_score_type(candidates["score"].to_numpy() + 0.0, score_type)
    graded = candidates.with_columns(score=pl.Series(scores)).join(
        judged, on="doc_id", how="left", maintain_order="left"
    )
    groups, above = [], 0
    for _, group in graded.sort("score", descending=True, maintain_order=True).group_by(
        "score", maintain_order=True
    ):
        if cutoff is not None and above >= cutoff:
            break
        # A grade below 1 gains nothing, whatever it is.
        gains = group["grade"].fill_null(0.0).clip(lower_bound=0.0)
        if gains.n_unique() > 1:
            documents = group.sort("grade", descending=True, nulls_last=True, maintain_order=True)
            groups.append(
                TieGroup(
                    score=group["score"][0],
                    first=above + 1,
                    last=above + group.height,
                    n_relevant=int((gains >= 1).sum()),
                    documents=tuple(
                        documents.select("doc_id", "grade").head(_SHOWN_DOCUMENTS).rows()
                    ),
                )
            )
        above += group.height
    return tuple(groups)
