"""Where a model's scores fall in every regime, and how large its tie groups are."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from tiewise.store.artifacts import Kind, write_artifact
from tiewise.study.provenance import derived
from tiewise.study.reading import label, read_run

if TYPE_CHECKING:
    from tiewise.study.config import Study

BIN = 0.01
"""Width of a bin of scores; a bin begins at a multiple of it."""


KIND = Kind(
    "distribution",
    {
        "regime": pl.String,
        "quantity": pl.String,
        "value": pl.Float64,
        "n_candidates": pl.Int64,
    },
)


def count_scores(study: Study, *, model: str, scores: list[Path], distribution: Path) -> None:
    """Count a model's scores and tie groups by size in every regime, all data sets together."""
    regimes = [regime for _ in study.datasets for regime in study.regimes]
    parts = [
        label(counts(read_run(study, path)), regime=regime)
        for regime, path in zip(regimes, scores, strict=True)
    ]
    note = derived(study, scores)
    write_artifact(_total(parts), distribution, provenance=note, kind=KIND)


def counts(run: pl.DataFrame) -> pl.DataFrame:
    """Count candidates by score and by the size of their tie group.

    Parameters
    ----------
    run : polars.DataFrame
        Columns query_id, doc_id, score.

    Returns
    -------
    polars.DataFrame
        Columns quantity (``score`` or ``group size``), value (where the bin of scores begins, or
        the size) and n_candidates. Infinite scores are in no bin.

    Examples
    --------
    >>> run = pl.DataFrame({"query_id": ["q"] * 3, "score": [0.5, 0.5, 0.123]})
    >>> counts(run).rows()
    [('score', 0.12, 1), ('score', 0.5, 2), ('group size', 1.0, 1), ('group size', 2.0, 2)]
    """
    # The quotient is rounded first: 0.29 / 0.01 is 28.999..., which would fall a bin too low.
    number = (pl.col("score") / BIN).round(6).floor()
    scores = run.filter(pl.col("score").is_finite()).group_by(value=(number * BIN).round(6)).len()
    groups = run.group_by("query_id", pl.col("score") + 0.0).len("value")
    sizes = groups.group_by(pl.col("value").cast(pl.Float64)).agg(len=pl.col("value").sum())
    both = (label(scores, quantity="score"), label(sizes, quantity="group size"))
    return pl.concat(
        part.select("quantity", "value", n_candidates=pl.col("len").cast(pl.Int64)).sort("value")
        for part in both
    )


def _total(parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
    keys = ["regime", "quantity", "value"]
    total = pl.concat(parts).group_by(keys, maintain_order=True).agg(pl.col("n_candidates").sum())
    order = total.select("regime").unique(maintain_order=True)["regime"].to_list()
    return total.sort(
        pl.col("regime").replace_strict({r: i for i, r in enumerate(order)}),
        pl.col("quantity") == "group size",
        "value",
    )
