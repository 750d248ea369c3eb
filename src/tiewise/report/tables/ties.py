"""T-unique, T-groups, T-spearman: how few scores are left, and how far ranks are from FP32's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import polars as pl

from tiewise.report.tables.table import NOTHING, Table, cells, completed, row_labels, shown

if TYPE_CHECKING:
    from tiewise.study.config import Study

_ROWS = ("dataset", "model")


def unique_table(study: Study, ties: pl.DataFrame) -> Table:
    """Lay out the mean number of distinct scores of a query, a column a regime.

    Parameters
    ----------
    study : Study
        The study.
    ties : polars.DataFrame
        Its tie summary.
    """
    return _by_regime(study, ties, "distinct_scores", 1, "Mean number of distinct scores per query")


def spearman_table(study: Study, ties: pl.DataFrame) -> Table:
    """Lay out the mean rank correlation with FP32, a column a regime."""
    table = _by_regime(
        study, ties, "spearman", 4, "Rank correlation with FP32 (Spearman, ties share a rank)"
    )
    undefined = ties.filter(pl.col("n_undefined") > 0)
    notes = tuple(
        f"{dataset} {model} {regime}: undefined for {n} of {total} queries, whose scores are all "
        "equal or have no FP32 to compare with"
        for dataset, model, regime, n, total in undefined.select(
            *_ROWS, "regime", "n_undefined", "n_queries"
        ).iter_rows()
    )
    return Table(table.title, table.tidy, table.wide, notes=(*table.notes, *notes))


def groups_table(study: Study, ties: pl.DataFrame) -> Table:
    """Lay out the sizes of tie groups and the share of candidates in one."""
    rows, notes = completed(cells(study), ties)
    wide = pd.DataFrame(
        {
            "mean size": [shown(v) for v in rows["mean_group"]],
            "largest, mean": [shown(v) for v in rows["mean_largest_group"]],
            "largest": [shown(v, 0) for v in rows["largest_group"]],
            "tied candidates, %": [shown(v, 2, 100) for v in rows["share_tied"]],
        },
        index=row_labels(study, rows, (*_ROWS, "regime")),
    )
    said = [
        "mean size: of groups of two and more, all queries together",
        "largest, mean: the largest group of a query, averaged over queries",
    ]
    if rows.filter(pl.col("n_queries").is_not_null(), pl.col("mean_group").is_null()).height:
        said.append(f"{NOTHING} under mean size: there is no tie")
    tidy = rows.select(
        *rows.columns[:3],
        pl.selectors.starts_with("n_", "share_tied", "mean_"),
        "largest_group",
        "arithmetic",
    )
    return Table("Tie groups", tidy, wide, notes=(*said, *notes))


def origins_table(study: Study, ties: pl.DataFrame) -> Table:
    """Lay out spurious against genuine ties, in percent of candidates."""
    rows, notes = completed(cells(study), ties)
    shares = {
        "tied": "share_tied",
        "spurious": "share_spurious",
        "genuine": "share_genuine",
        "equal texts": "share_duplicates",
    }
    wide = pd.DataFrame(
        {name: [shown(v, 2, 100) for v in rows[column]] for name, column in shares.items()},
        index=row_labels(study, rows, (*_ROWS, "regime")),
    )
    said = [
        "spurious: FP32 tells candidates of the group apart",
        "genuine: FP32 does not",
        "equal texts: another candidate of the group has the same text",
    ]
    if "fp32" not in study.regimes:
        said.append(f"{NOTHING} the study has no FP32 to tell spurious from genuine")
    tidy = rows.select(*rows.columns[:3], *shares.values(), "n_queries", "arithmetic")
    title = "Tied candidates, in percent of all, by origin"
    return Table(title, tidy, wide, notes=(*said, *notes))


def _by_regime(study: Study, ties: pl.DataFrame, column: str, decimals: int, title: str) -> Table:
    rows, notes = completed(cells(study), ties)
    tidy = rows.select(*_ROWS, "regime", column, "n_queries", "arithmetic")
    of_models = rows.select(*_ROWS).unique(maintain_order=True)
    wide = pd.DataFrame(
        {
            regime: [shown(v, decimals) for v in rows.filter(pl.col("regime") == regime)[column]]
            for regime in study.regimes
        },
        index=row_labels(study, of_models, _ROWS),
    )
    return Table(title, tidy, wide, notes=notes)
