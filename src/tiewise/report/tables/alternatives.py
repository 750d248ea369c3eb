"""T-alternatives, T-cost and toolkits: other ways to deal with ties, and what HPS costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import polars as pl

from tiewise.audit.toolkits import UNSTABLE
from tiewise.report.tables.table import NOTHING, Table, row_labels, shown
from tiewise.study.steps.time_upcast import REPEATS, SQUARE
from tiewise.study.steps.try_alternatives import N_ORDERS

if TYPE_CHECKING:
    from tiewise.study.config import Study

_CELL = ("dataset", "model", "dtype")


def alternatives_table(study: Study, alternatives: pl.DataFrame) -> Table:
    """Lay out every way to deal with ties, with the tie-aware measures of each.

    Parameters
    ----------
    study : Study
        The study.
    alternatives : polars.DataFrame
        The artifact's rows of all models and data sets, with columns dataset and model.
    """
    title = "Ways to deal with ties"
    if alternatives.is_empty():
        return Table(title, alternatives, pd.DataFrame(), notes=(_NO_LOW_DTYPE,))
    keys = [*_CELL, "method"]
    rows = alternatives.select(keys).unique(maintain_order=True)
    blocks = {}
    for measure in study.config.table_measures:
        block = rows.join(
            alternatives.filter(pl.col("measure") == measure),
            on=keys,
            how="left",
            maintain_order="left",
        )
        blocks[measure, "oblivious"] = [
            shown(value, 2, 100) + (f" ± {shown(spread, 2, 100)}" if spread is not None else "")
            for value, spread in block.select("oblivious", "spread").iter_rows()
        ]
        blocks[measure, "expected"] = [
            shown(value, 2, 100) + (f" ± {shown(sd, 2, 100)}" if spread is not None else "")
            for value, sd, spread in block.select("expected", "sd", "spread").iter_rows()
        ]
        for quantity in ("range", "bias"):
            blocks[measure, quantity] = [shown(value, 2, 100) for value in block[quantity]]
    wide = pd.DataFrame(blocks, index=row_labels(study, rows, keys))
    reasons = alternatives.filter(pl.col("note") != "").select("method", "note")
    notes = [
        f"random order: mean ± sd over {N_ORDERS:,} orders under oblivious, the closed form under "
        "expected",
        *(f"{NOTHING} under {method}: {note}" for method, note in sorted(set(reasons.rows()))),
    ]
    return Table(title, alternatives, wide, notes=tuple(notes))


def toolkits_table(study: Study, toolkits: pl.DataFrame) -> Table:
    """Lay out the bias of what each toolkit would print.

    Parameters
    ----------
    study : Study
        The study.
    toolkits : polars.DataFrame
        The artifact's rows of all models and data sets, with columns dataset and model.
    """
    keys = ["dataset", "model", "regime", "measure"]
    rows = toolkits.select(keys).unique(maintain_order=True)
    blocks = {}
    for (name,), block in toolkits.group_by("toolkit", maintain_order=True):
        values = rows.join(block, on=keys, how="left", maintain_order="left")
        blocks[str(name)] = [
            "any" if note == UNSTABLE else shown(bias, 2, 100)
            for bias, note in values.select("bias", "note").iter_rows()
        ]
    reasons = toolkits.filter(pl.col("value").is_null()).select("toolkit", "note")
    dashes = [
        f"{'any' if note == UNSTABLE else NOTHING} under {name}: {note}"
        for name, note in sorted(set(reasons.rows()))
    ]
    rules = [
        f"{n}: {ties}"
        for n, ties in toolkits.select("toolkit", "ties").unique().sort("toolkit").iter_rows()
    ]
    return Table(
        "Bias of what each toolkit would print, in percentage points",
        toolkits,
        pd.DataFrame(blocks, index=row_labels(study, rows, keys)),
        notes=("bias: difference to the expected value", *rules, *dashes),
    )


def cost_table(study: Study, cost: pl.DataFrame) -> Table:
    """Lay out time and memory of the upcast beside the forward passes.

    Parameters
    ----------
    study : Study
        The study.
    cost : polars.DataFrame
        The artifact's rows of all models and data sets, with columns dataset and model.
    """
    title = "What HPS costs"
    if cost.is_empty():
        return Table(title, cost, pd.DataFrame(), notes=(_NO_LOW_DTYPE,))
    wide = pd.DataFrame(
        {
            "forward pass, s": [shown(v, 1) for v in cost["forward_seconds"]],
            "values, M": [shown(v, 2, 1e-6) for v in cost["n_values"]],
            "upcast, ms": [shown(v, 3, 1e3) for v in cost["upcast_seconds"]],
            "share of scoring, %": [shown(v, 4, 100) for v in cost["share"]],
            "extra memory a query, KiB": [
                shown(v, 1, 1 / 1024) for v in cost["extra_bytes_per_query"]
            ],
            f"upcast of {SQUARE} x {SQUARE}, ms": [
                shown(v, 3, 1e3) for v in cost["square_seconds"]
            ],
            "its extra memory, MiB": [shown(v, 1, 2**-20) for v in cost["square_extra_bytes"]],
        },
        index=row_labels(study, cost, _CELL),
    )
    devices = ", ".join(sorted(set(cost["device"])))
    ways = " and ".join(sorted(set(cost["arithmetic"])))
    note = f"measured on {devices}, shortest of {REPEATS} times; forward passes {ways}"
    return Table(title, cost, wide, notes=(note,))


_NO_LOW_DTYPE = "the study has no low model dtype"
