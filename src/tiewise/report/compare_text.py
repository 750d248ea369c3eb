"""A comparison of runs on the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tiewise.audit.standings import Comparison
from tiewise.report.page import value


def compare_text(comparison: Comparison, title: str) -> RenderableType:
    """Lay out a comparison for the terminal.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    title : str
        What was compared.
    """
    return Group(*_parts(comparison, title))


def order_cell(row: dict[str, Any]) -> str:
    """Say in a few characters what ties leave of the order of two runs.

    Examples
    --------
    >>> order_cell({"certain": True, "delta": 0.1, "p_greater": 1.0})
    '>'
    >>> order_cell({"certain": False, "delta": 0.1, "p_greater": 0.625})
    '62.5 %'
    """
    if row["certain"]:
        return ">" if row["delta"] > 0 else "<"
    return f"{100 * row['p_greater']:.3g} %"


def span(low: float | None, high: float | None) -> str:
    """Show an interval, or a dash where there is none.

    Examples
    --------
    >>> span(0.25, 0.5), span(None, None)
    ('0.2500 – 0.5000', '–')
    """
    return "–" if low is None else f"{value(low)} – {value(high)}"


def _parts(comparison: Comparison, title: str) -> Iterator[RenderableType]:
    yield Text(title, style="bold")
    level = f"{100 * comparison.confidence:g} %"
    for measure in comparison.measures:
        standings = comparison.standings.filter(pl.col("measure") == measure)
        pairs = comparison.pairs.filter(pl.col("measure") == measure)
        yield Text(f"\n{measure}", style="bold")
        yield Padding(_standings(standings, pairs, comparison, level), (0, 0, 1, 2))
        yield Padding(_pairs(pairs, standings["run"].to_list(), level), (0, 0, 0, 2))
    yield Text("\nHow to read this", style="bold")
    yield Padding(
        Text(
            "Columns 1, 2, ...: '>' or '<' where the order of the row's run and that column's is "
            "certain whatever the order of ties; else the chance that the row's run scores more, "
            "all orders of ties equally likely. Ties and the sample of queries are two questions: "
            f"p and the {level} intervals speak of the queries alone, on expected values."
        ),
        (0, 0, 0, 2),
    )
    yield Text("\nWhat it means", style="bold")
    yield Padding(Text("\n".join((*comparison.verdict, *comparison.remarks))), (0, 0, 0, 2))


def _table(*columns: str) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(column, justify="left" if column in ("run", "pair") else "right")
    return table


def _standings(
    standings: pl.DataFrame, pairs: pl.DataFrame, comparison: Comparison, level: str
) -> Table:
    names = standings["run"].to_list()
    cells = {(r["run_a"], r["run_b"]): order_cell(r) for r in pairs.iter_rows(named=True)}
    numbers = [str(i) for i, _ in enumerate(names, 1)]
    table = _table(
        "",
        "run",
        f"oblivious\n({comparison.policy})",
        "expected",
        "ties:\nmin – max",
        f"queries:\n{level} interval",
        *numbers,
    )
    for number, row in zip(numbers, standings.iter_rows(named=True), strict=True):
        table.add_row(
            number,
            Text(row["run"]),
            value(row["oblivious"]),
            value(row["expected"]),
            span(row["min"], row["max"]),
            span(row["ci_low"], row["ci_high"]),
            *(cells.get((row["run"], name), "") for name in names),
        )
    return table


def _pairs(pairs: pl.DataFrame, names: list[str], level: str) -> Table:
    number = {name: i for i, name in enumerate(names, 1)}
    table = _table(
        "pair", "difference", "ties: min – max", "certain", "p (Holm)", f"queries: {level} interval"
    )
    for row in pairs.iter_rows(named=True):
        table.add_row(
            f"{number[row['run_a']]} – {number[row['run_b']]}",
            f"{row['delta']:+.4f}",
            f"{row['delta_min']:+.4f} – {row['delta_max']:+.4f}",
            "yes" if row["certain"] else "no",
            value(row["p_holm"]),
            "–" if row["ci_low"] is None else f"{row['ci_low']:+.4f} – {row['ci_high']:+.4f}",
        )
    return table
