"""Runs without some of their candidates, left out on purpose and by name, never by place."""

from __future__ import annotations

import polars as pl

from tiewise.runs import frames


def judged_only(qrels: frames.Qrels, run: frames.Run) -> pl.DataFrame:
    """Keep the candidates that are judged: the condensed list of ``trec_eval -J``.

    Parameters
    ----------
    qrels, run : frame or mapping
        As for `tiewise.evaluate`.

    Returns
    -------
    polars.DataFrame
        The run without candidates that have no judgement, or a negative grade (trec_eval takes
        that for no judgement). The order of rows is kept.

    Examples
    --------
    >>> judged_only({"q": {"a": 0, "b": -1}}, {"q": {"c": 3.0, "a": 2.0, "b": 1.0}}).rows()
    [('q', 'a', 2.0)]
    """
    judgements, candidates = frames.checked([("qrels", qrels), ("run", run)])
    judged = judgements.filter(pl.col("grade") >= 0)
    return candidates.join(judged, on=["query_id", "doc_id"], how="semi", maintain_order="left")


def drop_self(run: frames.Run) -> pl.DataFrame:
    """Leave out candidates that are the query itself: whose document id is the query's id.

    Leaving out the first candidate instead would remove another document where the two tie.

    Parameters
    ----------
    run : frame or mapping
        As for `tiewise.evaluate`.

    Returns
    -------
    polars.DataFrame
        The run without these candidates. The order of rows is kept.

    Examples
    --------
    >>> drop_self({"7": {"8": 1.0, "7": 1.0}}).rows()
    [('7', '8', 1.0)]
    """
    return frames.as_run(run).filter(pl.col("query_id") != pl.col("doc_id"))
