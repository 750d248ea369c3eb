"""Qrels by the name that the package `ir_datasets` gives them."""

from __future__ import annotations

import polars as pl

from tiewise.errors import InputError

PREFIX = "irds:"


def read_irds_qrels(name: str) -> pl.DataFrame:
    """Read the qrels of an `ir_datasets` data set, which that package downloads once.

    Parameters
    ----------
    name : str
        ``irds:`` and the data set's id, such as ``irds:beir/scifact/test``.

    Returns
    -------
    polars.DataFrame
        ``query_id, doc_id, relevance``.

    Raises
    ------
    InputError
        `ir_datasets` is not installed, does not know the id, or has no qrels for it.
    """
    try:
        import ir_datasets
    except ImportError:
        raise InputError(
            f"{name}: needs the package ir_datasets (pip install ir_datasets)"
        ) from None
    identifier = name.removeprefix(PREFIX)
    try:
        dataset = ir_datasets.load(identifier)
    except KeyError:
        raise InputError(f"{name}: ir_datasets knows no data set {identifier!r}") from None
    if not dataset.has_qrels():
        raise InputError(f"{name}: this data set of ir_datasets has no qrels")
    rows = [(q.query_id, q.doc_id, q.relevance) for q in dataset.qrels_iter()]
    return pl.DataFrame(rows, schema=["query_id", "doc_id", "relevance"], orient="row")
