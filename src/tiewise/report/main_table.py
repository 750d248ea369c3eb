"""T-main: what each model and regime scores, and how far ties move it."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import polars as pl

QUANTITIES = ["expected", "oblivious", "range", "bias"]
LABELS = ["dataset", "model", "regime"]


def main_table(
    summary: pl.DataFrame, measures: Sequence[str], policy: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Lay out expected, oblivious, range and bias, in percent and percentage points.

    Parameters
    ----------
    summary : polars.DataFrame
        The study's averages.
    measures : sequence of str
        Measures to show, in this order.
    policy : str
        Tie policy of the oblivious value.

    Returns
    -------
    tidy, wide : pandas.DataFrame
        One row a cell and measure; and one row a cell with a block of columns a measure.
    """
    shown = summary.filter(pl.col("policy") == policy, pl.col("measure").is_in(measures))
    tidy = shown.select(
        *LABELS,
        "measure",
        *(pl.col(name) * 100 for name in ("expected", "min", "max", "range", "sd")),
        *(pl.col(name) * 100 for name in ("oblivious", "bias")),
        "policy",
        "arithmetic",
        "n_queries",
    ).to_pandas()
    blocks = {
        measure: tidy[tidy["measure"] == measure].set_index(LABELS)[QUANTITIES]
        for measure in measures
    }
    return tidy, pd.concat(blocks, axis="columns")
