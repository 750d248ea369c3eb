"""Averages of ties and agreement over queries."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from tiewise.store.artifacts import Kind, read_artifact, read_provenance, write_artifact
from tiewise.study.columns import CELL
from tiewise.study.provenance import derived
from tiewise.study.reading import label

if TYPE_CHECKING:
    from tiewise.study.config import Study


KIND = Kind(
    "tie_summary",
    {
        **CELL,
        "n_queries": pl.Int64,
        "distinct_scores": pl.Float64,
        "mean_group": pl.Float64,
        "mean_largest_group": pl.Float64,
        "largest_group": pl.Int64,
        "share_tied": pl.Float64,
        "share_spurious": pl.Float64,
        "share_genuine": pl.Float64,
        "share_duplicates": pl.Float64,
        "spearman": pl.Float64,
        "n_undefined": pl.Int64,
    },
)


def summarise_ties(
    study: Study, *, ties: list[Path], agreement: list[Path], tie_summary: Path
) -> None:
    """Average ties and agreement over queries: one row a data set, model and regime."""
    rows = []
    for (name, model, regime), *paths in zip(study.cells, ties, agreement, strict=True):
        cell = {"dataset": name, "model": model, "regime": regime}
        arithmetic = read_provenance(paths[0])["arithmetic"]
        rows.append(label(over_queries(*map(read_artifact, paths)), **cell, arithmetic=arithmetic))
    write_artifact(pl.concat(rows), tie_summary, provenance=derived(study, ties), kind=KIND)


def over_queries(ties: pl.DataFrame, agreement: pl.DataFrame) -> pl.DataFrame:
    """Average the tie statistics and the agreement of one cell.

    Parameters
    ----------
    ties : polars.DataFrame
        Of `tiewise.tie_statistics`; spurious and genuine ties may be missing, where the study has
        no FP32.
    agreement : polars.DataFrame
        Columns query_id, spearman, n_duplicates.

    Returns
    -------
    polars.DataFrame
        One row: n_queries; means over queries of distinct scores, of the largest group, of the
        shares of candidates that are tied, tied spuriously, tied in FP32 too, and tied with an
        equal text; mean size of a tie group; size of the largest; mean Spearman correlation and
        n_undefined, the queries that have none.
    """
    joined = ties.join(agreement, on="query_id", how="left", maintain_order="left")
    size = pl.col("n_candidates")
    known = "n_spurious" in ties.columns
    spurious, genuine = (
        (pl.col(f"n_{kind}") / size).mean() if known else pl.lit(None, pl.Float64)
        for kind in ("spurious", "genuine")
    )
    return joined.select(
        n_queries=pl.len().cast(pl.Int64),
        distinct_scores=pl.col("n_distinct_scores").mean(),
        # Null, not 0, where there is no group: a mean of nothing.
        mean_group=pl.col("n_tied").sum() / pl.col("n_tie_groups").sum().replace(0, None),
        mean_largest_group=pl.col("largest_tie_group").mean(),
        largest_group=pl.col("largest_tie_group").max(),
        share_tied=pl.col("share_tied").mean(),
        share_spurious=spurious,
        share_genuine=genuine,
        share_duplicates=(pl.col("n_duplicates") / size).mean(),
        spearman=pl.col("spearman").mean(),
        n_undefined=pl.col("spearman").null_count().cast(pl.Int64),
    )
