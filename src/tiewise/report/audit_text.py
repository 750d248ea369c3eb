"""An audit on the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tiewise.audit import Audit, TieSummary
from tiewise.audit.toolkits import UNSTABLE
from tiewise.report.page import value


def audit_text(
    audit: Audit, run_name: str, qrels_name: str, *, per_query: bool = False
) -> RenderableType:
    """Lay out an audit for the terminal.

    Parameters
    ----------
    audit : Audit
        What was found.
    run_name, qrels_name : str
        What the run and the judgements are called.
    per_query : bool
        Whether to list every query too.
    """
    return Group(*_parts(audit, f"{run_name} against {qrels_name}", per_query))


def count(part: int, whole: int) -> str:
    """Show a count and its share.

    Examples
    --------
    >>> count(3, 1200)
    '3 of 1,200 (0.25 %)'
    """
    share = 100 * part / whole if whole else 0.0
    return f"{part:,} of {whole:,} ({share:.3g} %)"


def ties_rows(ties: TieSummary) -> dict[str, str]:
    """Say in a few rows how much of a run is tied."""
    rows = {
        "tied candidates": count(ties.n_tied, ties.n_candidates),
        "queries with a tie": count(ties.n_queries_tied, ties.n_queries),
        "largest tie group": f"{ties.largest:,} candidates (query {ties.largest_query!r})"
        if ties.largest > 1
        else "none",
        "tied at the last score": "no query",
    }
    if ties.n_queries_tied_at_cut:
        rows["tied at the last score"] = (
            f"{ties.n_queries_tied_at_cut:,} of {ties.n_queries:,} queries, up to "
            f"{ties.most_tied_at_cut:,} candidates: more with that score may have been cut off "
            "before the run was written"
        )
    return rows


def _parts(audit: Audit, title: str, per_query: bool) -> Iterator[RenderableType]:
    yield Text(title, style="bold")
    yield _measures(audit)
    if per_query:
        yield _queries(audit.per_query, audit.policy)
    sources = " ".join(source.text for source in audit.sources)
    yield from _section("Ties", _rows({**ties_rows(audit.ties), "likely source": sources}))
    yield from _section("What each toolkit would print for this run", _toolkits(audit.toolkits))
    if audit.left_out:
        yield from _section("Left out, or counted as zero", Text("\n".join(audit.left_out)))
    yield from _section("What it means", Text(" ".join(audit.verdict)))


def _section(title: str, body: RenderableType) -> Iterator[RenderableType]:
    yield Text(f"\n{title}", style="bold")
    yield Padding(body, (0, 0, 0, 2))


def _table(*columns: str) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(columns[0], no_wrap=True)
    for column in columns[1:]:
        table.add_column(column, justify="right")
    return table


def _measures(audit: Audit) -> Padding:
    table = _table(
        "measure",
        f"oblivious\n({audit.policy}, {audit.score_type})",
        "expected",
        "min – max",
        "sd",
        "bias",
        "queries\nthat move",
        "constant\nscorer",
    )
    for row in audit.table.iter_rows(named=True):
        table.add_row(
            Text(row["measure"], style="bold"),
            value(row["oblivious"]),
            value(row["expected"]),
            f"{value(row['min'])} – {value(row['max'])}",
            value(row["sd"]),
            f"{row['bias']:+.4f}",
            f"{row['n_queries_moved']:,} of {row['n_queries']:,}",
            value(row["constant"]),
        )
    return Padding(table, (1, 0, 0, 2))


def _queries(per_query: pl.DataFrame, policy: str) -> Padding:
    table = _table(
        "measure", "query", f"oblivious ({policy})", "expected", "min – max", "sd", "bias"
    )
    table.columns[1].justify = "left"
    for row in per_query.iter_rows(named=True):
        table.add_row(
            row["measure"],
            Text(row["query_id"]),
            value(row["oblivious"]),
            value(row["expected"]),
            f"{value(row['min'])} – {value(row['max'])}",
            value(row["sd"]),
            f"{row['bias']:+.4f}",
        )
    return Padding(table, (1, 0, 0, 2))


def _rows(rows: dict[str, str]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for label, text in rows.items():
        table.add_row(label, Text(text))
    return table


def _toolkits(toolkits: pl.DataFrame) -> Table:
    measures = toolkits["measure"].unique(maintain_order=True).to_list()
    table = _table("toolkit", *measures, "order of ties")
    table.columns[-1].justify = "left"
    for (name, ties), rows in toolkits.group_by("toolkit", "ties", maintain_order=True):
        values = [_toolkit_value(row) for row in rows.iter_rows(named=True)]
        table.add_row(str(name), *values, str(ties))
    return table


def _toolkit_value(row: dict[str, Any]) -> str:
    if row["note"] == UNSTABLE:
        return "any"
    return value(row["value"])
