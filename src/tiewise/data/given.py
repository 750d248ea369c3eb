"""Candidates that come with a data set, as a reranking task has them."""

from __future__ import annotations

from typing import Any, Literal

import polars as pl
from pydantic import BaseModel, ConfigDict, Field

from tiewise.data.normal import Dataset
from tiewise.errors import InputError, some


class GivenCandidates(BaseModel):
    """Candidates that the source lists for each query, in their order."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["given"] = Field(description="Which first stage this is.")
    k: int | None = Field(default=None, ge=1, description="Take only the first so many.")


def given_candidates(
    how: GivenCandidates, listed: pl.DataFrame, dataset: Dataset, name: str
) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Bring listed candidates into the normal form.

    Parameters
    ----------
    how : GivenCandidates
        How many to take.
    listed : polars.DataFrame
        Columns query_id, doc_ids (list of strings).
    dataset : Dataset
        In the normal form.
    name : str
        The data set's name; begins every problem.

    Returns
    -------
    candidates : polars.DataFrame
        Columns query_id, doc_id, rank (from 1); queries in the data set's order.
    facts : dict
        JSON-ready: what was left out because its query or document is unknown.

    Raises
    ------
    InputError
        A document listed twice for a query, or no candidates at all.
    """
    rows = listed.select(
        pl.col("query_id").cast(pl.String), pl.col("doc_ids").cast(pl.List(pl.String))
    )
    if how.k is not None:
        rows = rows.with_columns(pl.col("doc_ids").list.head(how.k))
    rows = rows.explode("doc_ids", empty_as_null=False).rename({"doc_ids": "doc_id"})
    twice = rows.filter(pl.struct("query_id", "doc_id").is_duplicated()).unique(maintain_order=True)
    if len(twice):
        raise InputError(f"{name}: candidates repeated, {some(twice.iter_rows(), len(twice))}")
    asked = dataset.queries.select("query_id").join(
        rows, on="query_id", how="inner", maintain_order="left_right"
    )
    known = asked.join(dataset.corpus, on="doc_id", how="semi", maintain_order="left")
    if known.is_empty():
        raise InputError(f"{name}: no candidate is a document of the corpus for a judged query")
    ranked = known.with_columns(
        pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("query_id").alias("rank")
    )
    left_out = {
        "candidates_of_unknown_queries": len(rows) - len(asked),
        "candidates_without_a_document": len(asked) - len(known),
        "queries_without_candidates": len(dataset.queries) - known["query_id"].n_unique(),
    }
    return ranked, {**how.model_dump(), "left_out": left_out}
