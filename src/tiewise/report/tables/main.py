"""T-main and T-mteb-r: what each model and regime scores, and how far ties move it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd
import polars as pl

from tiewise.report.tables.table import Table, cells, completed, row_labels, shown
from tiewise.study.steps.average_datasets import RERANKING, RETRIEVAL, dataset_groups

if TYPE_CHECKING:
    from tiewise.study.config import Study

QUANTITIES = ("expected", "oblivious", "range", "bias")
LABELS = ("dataset", "model", "regime")
BEST = "bold: the highest expected value of a data set and measure"
_PERCENT = ("expected", "min", "max", "range", "sd", "oblivious", "bias")


def main_table(study: Study, summary: pl.DataFrame) -> Table:
    """Lay out expected, oblivious, range and bias, in percent and percentage points.

    Parameters
    ----------
    study : Study
        The study, whose table measures and first tie policy are shown.
    summary : polars.DataFrame
        The study's averages over queries.

    Returns
    -------
    Table
        Of the data sets that come with candidates; of all where the study has one kind only.
    """
    groups = dataset_groups(study)
    names = groups[RERANKING] if len(groups) > 1 else list(study.datasets)
    return _table(study, summary, names, "Tie-aware measures")


def retrieval_table(study: Study, summary: pl.DataFrame, averages: pl.DataFrame) -> Table:
    """Lay out the same for the data sets that are ranked over BM25, and their average.

    Parameters
    ----------
    study, summary
        As for `main_table`.
    averages : polars.DataFrame
        The study's averages over data sets.
    """
    names = dataset_groups(study).get(RETRIEVAL, [])
    title = "Tie-aware measures over BM25 candidates"
    if not names:
        return Table(title, pl.DataFrame(), pd.DataFrame(), notes=("no data set over BM25",))
    if len(names) > 1:
        average = averages.filter(pl.col("group") == RETRIEVAL)
        average = average.with_columns(dataset=pl.lit(f"average of {len(names)}"))
        summary = pl.concat([summary, average.select(summary.columns)])
        names = [*names, f"average of {len(names)}"]
    return _table(study, summary, names, title)


def spread_table(study: Study, summary: pl.DataFrame) -> Table:
    """Lay out the expected value with its sd over orders of ties, and the worst and best order."""
    tidy, notes = _tidy(study, summary, list(study.datasets))
    rows = tidy.filter(pl.col("measure") == study.config.table_measures[0])
    blocks = {}
    for measure in study.config.table_measures:
        block = tidy.filter(pl.col("measure") == measure)
        blocks[measure, "expected ± sd"] = [
            f"{shown(e)} ± {shown(sd)}" if e is not None else shown(None)
            for e, sd in block.select("expected", "sd").iter_rows()
        ]
        blocks[measure, "min – max"] = [
            f"{shown(low)} – {shown(high)}" if low is not None else shown(None)
            for low, high in block.select("min", "max").iter_rows()
        ]
    wide = pd.DataFrame(blocks, index=row_labels(study, rows, LABELS))
    sd = "sd: standard deviation of the average over random orders of ties"
    return Table(
        "Expected value and its spread over orders of ties", tidy, wide, None, (*notes, sd)
    )


def _tidy(
    study: Study, summary: pl.DataFrame, datasets: Sequence[str]
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    measures = pl.DataFrame({"measure": study.config.table_measures})
    wanted = cells(study, datasets).join(measures, how="cross")
    policy = study.config.policies[0]
    rows, notes = completed(wanted, summary.filter(pl.col("policy") == policy))
    percent = [pl.col(name) * 100 for name in _PERCENT]
    ends = (pl.lit(policy).alias("policy"), "arithmetic", "n_queries")
    return rows.select(*wanted.columns, *percent, *ends), notes


def _table(study: Study, summary: pl.DataFrame, datasets: Sequence[str], title: str) -> Table:
    tidy, notes = _tidy(study, summary, datasets)
    blocks, best = {}, {}
    highest = pl.col("expected").round(2) == pl.col("expected").round(2).max().over("dataset")
    for measure in study.config.table_measures:
        block = tidy.filter(pl.col("measure") == measure)
        for quantity in QUANTITIES:
            blocks[measure, quantity] = [shown(value) for value in block[quantity]]
            marked = block.select(highest.fill_null(False)).to_series()
            best[measure, quantity] = marked.to_list() if quantity == "expected" else False
    first = tidy.filter(pl.col("measure") == study.config.table_measures[0])
    index = row_labels(study, first, LABELS)
    wide = pd.DataFrame(blocks, index=index)
    return Table(title, tidy, wide, pd.DataFrame(best, index=index), (BEST, *notes))
