"""An audit as a page that can be sent to a colleague."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

import polars as pl

from tiewise.audit import Audit
from tiewise.audit.toolkits import UNSTABLE
from tiewise.audit.worst import worst_queries
from tiewise.report.audit_text import ties_rows
from tiewise.report.page import render

_PLOTTED_QUERIES = 25


def audit_page(
    audit: Audit,
    qrels: pl.DataFrame,
    run: pl.DataFrame,
    *,
    run_name: str,
    qrels_name: str,
    notes: Sequence[str] = (),
) -> str:
    """Render an audit: summary, bands, the queries that move most with their tie groups.

    Parameters
    ----------
    audit : Audit
        What was found.
    qrels, run : polars.DataFrame
        What was audited.
    run_name, qrels_name : str
        What the run and the judgements are called.
    notes : sequence of str
        Warnings to show as well.

    Returns
    -------
    str
        HTML that loads nothing from elsewhere.
    """
    measure = audit.table["measure"][0]
    moved = audit.per_query.filter(pl.col("measure") == measure, pl.col("range") > 0)
    plotted = moved.sort("range", descending=True, maintain_order=True).head(_PLOTTED_QUERIES)
    return render(
        "audit.html",
        title=f"Audit of {PurePath(run_name).name}",
        run_name=run_name,
        qrels_name=qrels_name,
        audit=audit,
        measure=measure,
        measures=_bands(audit.table, "measure"),
        top=_top(audit.table),
        queries=_bands(plotted, "query_id"),
        queries_top=_top(plotted),
        n_moved=moved.height,
        worst=worst_queries(audit.per_query, qrels, run, measure, score_type=audit.score_type),
        ties=ties_rows(audit.ties),
        toolkits=_toolkits(audit.toolkits),
        unstable=UNSTABLE,
        notes=notes,
    )


def _bands(table: pl.DataFrame, label: str) -> list[dict[str, Any]]:
    columns = ("min", "max", "expected", "oblivious")
    return [
        {"label": row[label], "sampling": None, **{c: row[c] for c in columns}}
        for row in table.iter_rows(named=True)
    ]


def _top(table: pl.DataFrame) -> float:
    """End of the axis: 1, or beyond it for measures that count."""
    return max(1.0, float(table["max"].max() or 0.0))  # type: ignore[arg-type]


def _toolkits(toolkits: pl.DataFrame) -> list[dict[str, Any]]:
    return [
        {"name": name, "ties": ties, "cells": list(rows.iter_rows(named=True))}
        for (name, ties), rows in toolkits.group_by("toolkit", "ties", maintain_order=True)
    ]
