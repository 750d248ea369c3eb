"""Tie groups of runs, counted."""

from __future__ import annotations

import polars as pl

from tiewise.errors import SHOWN, InputError, some
from tiewise.runs import frames
from tiewise.runs.score_types import as_score_type, check_score_type


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
