"""Tie groups from the blocks of scores that an audit has at hand anyway."""

from __future__ import annotations

import numpy as np
import polars as pl

from tiewise.judging.blocks import Block
from tiewise.judging.pairing import Paired


def tie_groups(paired: Paired) -> pl.DataFrame:
    """List the tie groups of the judged queries, groups of one candidate too.

    Parameters
    ----------
    paired : Paired
        A run and judgements.

    Returns
    -------
    polars.DataFrame
        query_id; score; size, the candidates that share it. Queries in the order of the judgements,
        scores descending.
    """
    groups = pl.concat(_of_block(block) for block in paired.blocks())
    groups = groups.sort("query", maintain_order=True)
    ids = paired.query_ids.gather(groups["query"]).alias("query_id")
    return groups.select(ids, "score", "size")


def tie_counts(groups: pl.DataFrame) -> pl.DataFrame:
    """Count the ties of each query.

    Parameters
    ----------
    groups : polars.DataFrame
        Of `tie_groups`.

    Returns
    -------
    polars.DataFrame
        Columns of `tiewise.tie_statistics`, with the same meaning: query_id, n_candidates,
        n_distinct_scores, largest_tie_group, n_tied, n_tied_at_cut.

    Examples
    --------
    >>> groups = pl.DataFrame({"query_id": ["q", "q"], "score": [0.5, 0.25], "size": [3, 1]})
    >>> tie_counts(groups).row(0)
    ('q', 4, 2, 3, 3, 0)
    """
    size = pl.col("size")
    return groups.group_by("query_id", maintain_order=True).agg(
        n_candidates=size.sum(),
        n_distinct_scores=pl.len().cast(pl.Int64),
        largest_tie_group=size.max(),
        n_tied=size.filter(size > 1).sum(),
        n_tied_at_cut=pl.when(size.last() > 1).then(size.last()).otherwise(0),
    )


def n_tied(groups: pl.DataFrame) -> int:
    """Count the candidates that share their score with another.

    Examples
    --------
    >>> n_tied(pl.DataFrame({"query_id": ["q", "q"], "score": [0.5, 0.25], "size": [3, 1]}))
    3
    """
    return int(groups["size"].filter(groups["size"] > 1).sum())


def _of_block(block: Block) -> pl.DataFrame:
    n_rows, width = block.scores.shape
    descending = -np.sort(-block.scores, axis=1)
    # Padding is -inf and stands last, behind candidates that may score -inf themselves.
    starts = np.arange(width) < block.n_candidates[:, None]
    starts[:, 1:] &= descending[:, 1:] != descending[:, :-1]
    place = np.flatnonzero(starts)
    row = place // max(width, 1)
    end = np.append(place[1:], n_rows * width)
    end = np.minimum(end, row * width + block.n_candidates[row])
    return pl.DataFrame(
        {
            "query": np.asarray(block.rows)[row],
            # The sum makes -0.0 and 0.0 one number.
            "score": descending.ravel()[place] + 0.0,
            "size": end - place,
        }
    )
