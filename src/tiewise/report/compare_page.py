"""A comparison of runs as a page that can be sent to a colleague."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import polars as pl

from tiewise.audit.standings import Comparison
from tiewise.report.compare_text import order_cell
from tiewise.report.page import render


def compare_page(comparison: Comparison, *, title: str, notes: Sequence[str] = ()) -> str:
    """Render a comparison: rank plots, certain and uncertain orders, differences.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    title : str
        What was compared.
    notes : sequence of str
        Warnings to show as well.

    Returns
    -------
    str
        HTML that loads nothing from elsewhere.
    """
    return render(
        "compare.html",
        title=title,
        comparison=comparison,
        level=f"{100 * comparison.confidence:g} %",
        measures=[_measure(comparison, measure) for measure in comparison.measures],
        notes=notes,
    )


def _measure(comparison: Comparison, measure: str) -> dict[str, Any]:
    standings = comparison.standings.filter(pl.col("measure") == measure)
    pairs = list(comparison.pairs.filter(pl.col("measure") == measure).iter_rows(named=True))
    cells = {(row["run_a"], row["run_b"]): row for row in pairs}
    names = standings["run"].to_list()
    low, high = _axis(standings)
    return {
        "name": measure,
        "bands": [_band(row) for row in standings.iter_rows(named=True)],
        "low": low,
        "high": high,
        "names": names,
        "matrix": [[_cell(cells[a, b]) if (a, b) in cells else None for b in names] for a in names],
        "pairs": pairs,
    }


def _band(row: dict[str, Any]) -> dict[str, Any]:
    sampling = None if row["ci_low"] is None else (row["ci_low"], row["ci_high"])
    columns = ("min", "max", "expected", "oblivious")
    return {"label": row["run"], "sampling": sampling, **{c: row[c] for c in columns}}


def _cell(row: dict[str, Any]) -> dict[str, Any]:
    return {"text": order_cell(row), "certain": row["certain"]}


def _axis(standings: pl.DataFrame) -> tuple[float, float]:
    """Ends of an axis around all that is drawn, so that four steps between them are round."""
    ends = standings.select("min", "max", "ci_low", "ci_high", "oblivious")
    values = [v for row in ends.iter_rows() for v in row if v is not None]
    low = math.floor(10 * min(values)) / 10
    length = 0.2 * max(1, math.ceil((max(values) - low) / 0.2))
    if max(values) <= 1:
        low = max(0.0, min(low, 1 - length))
    return low, low + length
