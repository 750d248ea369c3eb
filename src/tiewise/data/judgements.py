"""The judgements that a data set's protocol evaluates with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from tiewise.data.spec import DatasetSpec


def effective_qrels(
    spec: DatasetSpec, qrels: pl.DataFrame, candidates: pl.DataFrame
) -> pl.DataFrame:
    """Return the judgements that the block's protocol evaluates with.

    Parameters
    ----------
    spec : DatasetSpec
        The block; `judgements` decides.
    qrels, candidates : polars.DataFrame
        In the normal form.

    Returns
    -------
    polars.DataFrame
        `qrels` as they are, or, with ``judgements: candidates``, with grade 0 for a document that
        is no candidate: it then counts neither in a denominator nor in an ideal order.
    """
    if spec.judgements == "all":
        return qrels
    among = qrels.join(
        candidates.select("query_id", "doc_id", among=True),
        on=["query_id", "doc_id"],
        how="left",
        maintain_order="left",
    )
    is_lost = pl.col("among").is_null() & (pl.col("grade") > 0)
    return among.with_columns(pl.when(is_lost).then(0.0).otherwise("grade").alias("grade")).drop(
        "among"
    )
