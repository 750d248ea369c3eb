"""From scores to tie groups: where each judged document stands, and statistics of the ties."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiewise.errors import SHOWN, InputError, some
from tiewise.runs import frames
from tiewise.scores import PIECE, Floats, Ints, as_score_type, check_score_type, rank_keys


@dataclass(frozen=True, slots=True)
class JudgedDocuments:
    """Judged documents of a batch of queries, each with the tie group it falls into.

    Sorted by query, then by place.

    Attributes
    ----------
    query : int64 (E,)
        Row of the batch.
    grade : float64 (E,)
        Relevance grade.
    above : int64 (E,)
        Candidates with a higher score.
    size : int64 (E,)
        Candidates in the document's tie group, itself included.
    place : int64 (E,)
        Its place, from 1, when each tie group keeps the order of the columns.
    """

    query: Ints
    grade: Floats
    above: Ints
    size: Ints
    place: Ints


def judged_documents(
    scores: Floats, grades: Floats, judged: NDArray[np.bool_], n_candidates: Ints
) -> JudgedDocuments:
    """Find the tie groups of the judged documents.

    Parameters
    ----------
    scores : float64 (Q, D)
        No NaN; columns from ``n_candidates`` on are padding and hold -inf.
    grades : float64 (Q, D)
        Relevance grades.
    judged : bool (Q, D)
        Documents to look up.
    n_candidates : int64 (Q,)
        Candidates of each query; a candidate may score -inf, padding is no candidate.

    Returns
    -------
    JudgedDocuments
        One entry for each true element of `judged`.

    Notes
    -----
    O(Q D log D) time: one sort of 64-bit integers. Memory beyond the result is that of 65,536
    scores, or of one query's.

    Examples
    --------
    >>> scores = np.array([[0.5, 0.9, 0.5, 0.1]])
    >>> grades = np.array([[0.0, 0.0, 1.0, 2.0]])
    >>> judged_documents(scores, grades, grades > 0, np.array([4]))
    JudgedDocuments(query=array([0, 0]), grade=array([1., 2.]), above=array([1, 3]),
                    size=array([2, 1]), place=array([3, 4]))
    """
    n_queries, width = scores.shape
    step = max(1, PIECE // max(width, 1))
    parts = []
    for first in range(0, n_queries if width else 0, step):
        rows = slice(first, first + step)
        parts.append(_judged_of_rows(first, scores[rows], grades[rows], judged[rows]))
    if not parts:
        none = np.empty(0, np.int64)
        return JudgedDocuments(none, np.empty(0), none, none, none)
    query, grade, above, size, place = (np.concatenate(p) for p in zip(*parts, strict=True))
    # Padding is sorted behind the candidates that score -inf: cut it off their tie group.
    size = np.minimum(size, n_candidates[query] - above)
    return JudgedDocuments(query, grade, above, size, place)


def _judged_of_rows(
    first: int, scores: Floats, grades: Floats, judged: NDArray[np.bool_]
) -> tuple[Ints, Floats, Ints, Ints, Ints]:
    n_rows, width = scores.shape
    keys, bits = rank_keys(scores)
    low, start_of_row = (1 << bits) - 1, np.arange(n_rows)[:, None] * width
    # Rows wider than a piece come alone, so that what is found ascends.
    found = np.concatenate(
        [
            np.flatnonzero(judged.ravel()[(keys[:, left : left + PIECE] & low) + start_of_row])
            + left
            for left in range(0, width, PIECE)
        ]
    )
    row, place = np.divmod(found, width)
    grade = grades[row, keys.ravel()[found] & low]
    keys >>= bits
    new_group = np.ones(scores.size + 1, np.bool_)
    inner = new_group[:-1].reshape(scores.shape)[:, 1:]
    np.not_equal(keys[:, 1:], keys[:, :-1], out=inner)
    starts = np.flatnonzero(new_group)
    group = np.searchsorted(starts, found, side="right") - 1
    above = starts[group] - row * width
    size = starts[group + 1] - starts[group]
    return row + first, grade, above, size, place + 1


def tie_statistics(
    run: frames.Run, reference: frames.Run | None = None, *, score_type: str = "float64"
) -> pl.DataFrame:
    """Count the ties of each query of a run.

    Parameters
    ----------
    run : frame or mapping
        Columns query_id, doc_id, score; or ``{query_id: {doc_id: score}}``.
    reference : frame or mapping, optional
        Scores of the same candidates at a higher precision, such as fp32.
    score_type : {"float64", "float32"}
        What counts as an equal score in `run`.

    Returns
    -------
    polars.DataFrame
        One row a query, in the order of first appearance:

        - query_id
        - n_candidates
        - n_distinct_scores: different scores
        - n_tie_groups: scores that at least two candidates share
        - largest_tie_group: candidates that share the commonest score, 1 if there is no tie
        - n_tied: candidates that share their score with another
        - share_tied: n_tied / n_candidates
        - n_tied_at_cut: candidates that share the lowest score, 0 if only one has it: where a run
          was cut at a depth, an unknown number of further candidates may share it too
        - n_spurious, with a reference: tied candidates whose tie group has more than one
          reference score
        - n_genuine, with a reference: the other tied candidates, n_tied - n_spurious

    Raises
    ------
    InputError
        For input that `tiewise.evaluate` refuses too, and for candidates that the reference lacks.

    Examples
    --------
    >>> low, high = {"q": {"a": 0.5, "b": 0.5, "c": 0.5}}, {"q": {"a": 0.51, "b": 0.5, "c": 0.49}}
    >>> tie_statistics(low, high).row(0, named=True)
    {'query_id': 'q', 'n_candidates': 3, 'n_distinct_scores': 1, 'n_tie_groups': 1,
     'largest_tie_group': 3, 'n_tied': 3, 'share_tied': 1.0, 'n_tied_at_cut': 3,
     'n_spurious': 3, 'n_genuine': 0}
    """
    check_score_type(score_type)
    named = [("run", run), *([] if reference is None else [("reference run", reference)])]
    candidates, *others = frames.checked(named)
    # The sum makes -0.0 and 0.0 one number.
    scores = as_score_type(candidates["score"].to_numpy() + 0.0, score_type)
    candidates = candidates.with_columns(score=pl.Series(scores))
    n_reference = pl.lit(1)
    if others:
        candidates = _with_reference(candidates, others[0])
        n_reference = pl.col("reference").n_unique()
    size = pl.col("size")
    tied = size.filter(size > 1)
    groups = candidates.group_by("query_id", "score", maintain_order=True).agg(
        size=pl.len().cast(pl.Int64), n_reference=n_reference
    )
    spurious = size.filter((size > 1) & (pl.col("n_reference") > 1)).sum()
    counts = groups.group_by("query_id", maintain_order=True).agg(
        n_candidates=size.sum(),
        n_distinct_scores=pl.len().cast(pl.Int64),
        n_tie_groups=tied.len().cast(pl.Int64),
        largest_tie_group=size.max(),
        n_tied=tied.sum(),
        share_tied=tied.sum() / size.sum(),
        n_tied_at_cut=size.sort_by("score").first(),
        n_spurious=spurious,
        n_genuine=tied.sum() - spurious,
    )
    counts = counts.with_columns(
        n_tied_at_cut=pl.when(pl.col("n_tied_at_cut") > 1).then("n_tied_at_cut").otherwise(0)
    )
    return counts if others else counts.drop("n_spurious", "n_genuine")


def _with_reference(candidates: pl.DataFrame, reference: pl.DataFrame) -> pl.DataFrame:
    pair = ["query_id", "doc_id"]
    wanted = reference.select(*pair, reference=pl.col("score") + 0.0)
    joined = candidates.join(wanted, on=pair, how="left", maintain_order="left")
    lacking = joined.filter(pl.col("reference").is_null())
    if len(lacking):
        shown = [f"{q} {d}" for q, d in lacking.head(SHOWN).select(pair).iter_rows()]
        raise InputError(
            f"reference run: no score for candidates (query document), {some(shown, len(lacking))}"
        )
    return joined
