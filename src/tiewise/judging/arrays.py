"""The kernel on arrays: scores and gains of many queries in, tie-aware values out; no frames."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from tiewise.judging.blocks import Block, checked_blocks
from tiewise.kernel.ranking import judged_documents
from tiewise.measures import Batch, Judged, Measure, TieAware


def evaluate_arrays(
    scores: ArrayLike,
    gains: ArrayLike,
    measures: str | Measure | Iterable[str | Measure],
    *,
    n_relevant: ArrayLike | None = None,
    ideal_gains: ArrayLike | None = None,
    n_candidates: ArrayLike | None = None,
    score_type: str = "float64",
    sd: bool = True,
) -> dict[str, TieAware]:
    """Evaluate the rankings of Q queries, all orders inside tie groups considered.

    Parameters
    ----------
    scores : array-like (Q, D), any real dtype, torch tensors too
        A row holds the scores of a query's candidates, in input order. Shorter rows are padded
        at their end with -inf.
    gains : array-like (Q, D)
        Relevance grades of the same candidates; a grade below 1 is not relevant, a negative one
        has gain 0, NaN means not judged.
    measures : str, Measure, or several
        Such as ``["nDCG@10", "RR@10"]``.
    n_relevant : array-like of int (Q,), optional
        Relevant documents of each query, retrieved or not, all of grade 1. Default: those in
        `ideal_gains`.
    ideal_gains : array-like (Q, J), optional
        Grades of all judged documents of each query in any order, padded with 0 or NaN.
        Default: `gains`, and what `n_relevant` counts beyond them.
    n_candidates : array-like of int (Q,), optional
        Candidates of each query; the columns behind them are padding. Default: -inf at the end of
        a row is padding. A candidate that scores -inf itself needs this argument.
    score_type : {"float64", "float32"}
        What counts as an equal score.
    sd : bool
        Whether to compute the standard deviation as well.

    Returns
    -------
    dict of str to TieAware
        For each measure, by its one spelling, arrays of shape (Q,). The oblivious value keeps
        tied candidates in the order of the columns.

    Raises
    ------
    InputError
        Naming every problem: NaN scores, shapes that do not fit, unknown measures, counts that
        contradict the gains.

    Notes
    -----
    O(Q D log D) time for the sort of each row, and linear in the places within the cut-off.
    Memory beyond the input and the result is that of a batch of about a million scores.

    Examples
    --------
    >>> result = evaluate_arrays([[2.0, 1.0, 1.0]], [[0, 1, 0]], ["RR@2"])["RR@2"]
    >>> result.expected, result.min, result.max, result.sd
    (array([0.25]), array([0.]), array([0.5]), array([0.25]))
    """
    wanted, blocks, n_queries = checked_blocks(
        scores, gains, measures, n_relevant, ideal_gains, n_candidates, score_type
    )
    return evaluate_blocks(blocks, wanted, n_queries, sd=sd)


def evaluate_blocks(
    blocks: Iterable[Block], measures: list[Measure], n_queries: int, *, sd: bool = True
) -> dict[str, TieAware]:
    """Evaluate measures block by block.

    Parameters
    ----------
    blocks : iterable of Block
        Blocks whose `rows` do not overlap; rows of no block keep the value 0.
    measures : list of Measure
        What to compute.
    n_queries : int
        Rows of the result.
    sd : bool
        Whether to compute the standard deviation as well.

    Returns
    -------
    dict of str to TieAware
        By spelling, arrays of shape (n_queries,).
    """
    kinds = ("expected", "min", "max", "oblivious", *(["sd"] if sd else []))
    values = {m: {kind: np.zeros(n_queries) for kind in kinds} for m in measures}
    for block in blocks:
        batch = batch_of(block, measures)
        for measure, arrays in values.items():
            result = measure.evaluate(batch, sd=sd)
            for kind, array in arrays.items():
                array[block.rows] = getattr(result, kind)
    return {str(m): TieAware(**arrays) for m, arrays in values.items()}


def batch_of(block: Block, measures: list[Measure]) -> Batch:
    """Find the tie groups of the documents that the measures look at."""
    every_judgement = any(isinstance(m, Judged) for m in measures)
    judged = ~np.isnan(block.grades) if every_judgement else block.grades > 0
    found = judged_documents(block.scores, block.grades, judged, block.n_candidates)
    return Batch(found, block.judgements, block.n_candidates)
