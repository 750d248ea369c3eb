"""Counts of ties from blocks of scores that an audit has at hand anyway."""

from __future__ import annotations

import numpy as np
import polars as pl

from tiewise.blocks import Block
from tiewise.pairing import Paired


def tie_counts(paired: Paired) -> pl.DataFrame:
    """Count the ties of each judged query that has candidates.

    Parameters
    ----------
    paired : Paired
        A run and judgements.

    Returns
    -------
    polars.DataFrame
        Columns of `tiewise.tie_statistics`, with the same meaning and order of queries as the
        judgements have: query_id, n_candidates, n_distinct_scores, largest_tie_group, n_tied,
        n_tied_at_cut.

    Notes
    -----
    Several times faster than `tiewise.tie_statistics`, which works on any run by itself.
    """
    counts = pl.concat(_of_block(block) for block in paired.blocks()).sort("query")
    counts = counts.filter(pl.col("n_candidates") > 0)
    ids = paired.query_ids.gather(counts["query"]).alias("query_id")
    return counts.select(ids, pl.exclude("query"))


def _of_block(block: Block) -> pl.DataFrame:
    n_rows, width = block.scores.shape
    descending = -np.sort(-block.scores, axis=1)
    # Padding is -inf and stands last, behind candidates that may score -inf themselves.
    starts = np.arange(width) < block.n_candidates[:, None]
    starts[:, 1:] &= (descending[:, 1:] != descending[:, :-1]) | ~starts[:, :-1]
    place = np.flatnonzero(starts)
    row = place // max(width, 1)
    end = np.minimum(np.append(place[1:], n_rows * width), row * width + block.n_candidates[row])
    size = end - place
    last = np.cumsum(np.bincount(row, minlength=n_rows)) - 1
    nonempty = block.n_candidates > 0
    at_cut, largest = np.zeros(n_rows, np.int64), np.zeros(n_rows, np.int64)
    at_cut[nonempty] = size[last[nonempty]]
    np.maximum.at(largest, row, size)
    return pl.DataFrame(
        {
            "query": block.rows,
            "n_candidates": block.n_candidates,
            "n_distinct_scores": np.bincount(row, minlength=n_rows),
            "largest_tie_group": largest,
            "n_tied": np.bincount(row, np.where(size > 1, size, 0), n_rows).astype(np.int64),
            "n_tied_at_cut": np.where(at_cut > 1, at_cut, 0),
        }
    )
