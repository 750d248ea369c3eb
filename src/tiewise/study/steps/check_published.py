"""Reproduced against published: a verdict and a reason for each cell."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tiewise.store.artifacts import Kind, read_artifact, read_provenance, write_artifact
from tiewise.study.published import ANY, read_published

if TYPE_CHECKING:
    from tiewise.study.config import Study

EXACT, TIES, TOLERANCE, OUTSIDE, MISSING = VERDICTS = (
    "exact",
    "within tie range",
    "within tolerance",
    "outside",
    "not in this study",
)


KIND = Kind(
    "verdicts",
    {
        "source": pl.String,
        "dataset": pl.String,
        "model": pl.String,
        "regime": pl.String,
        "measure": pl.String,
        "quantity": pl.String,
        "policy": pl.String,
        "published": pl.Float64,
        "tolerance": pl.Float64,
        "n_decimals": pl.Int64,
        "reproduced": pl.Float64,
        "difference": pl.Float64,
        "verdict": pl.String,
        "reason": pl.String,
    },
)


def check_published(study: Study, *, summary: Path, published: list[Path], verdicts: Path) -> None:
    """Compare every published number with the study's own."""
    found = read_artifact(summary)
    rows = [row | compared(row, found) for row in read_published(published).iter_rows(named=True)]
    note = read_provenance(summary)
    write_artifact(KIND.frame(rows), verdicts, provenance=note, kind=KIND)


def compared(cell: Mapping[str, Any], summary: pl.DataFrame) -> dict[str, Any]:
    """Compare a published number with the study's.

    Parameters
    ----------
    cell : mapping
        A row of `read_published`; numbers in percent.
    summary : polars.DataFrame
        The study's averages, from 0 to 1.

    Returns
    -------
    dict
        ``reproduced`` and ``difference`` in percent (None where the study lacks the cell),
        ``verdict`` and ``reason``.
    """
    rows = summary
    for key in ("dataset", "model", "regime", "measure", "policy"):
        if cell[key] != ANY:
            rows = rows.filter(pl.col(key) == cell[key])
        if rows.is_empty():
            reason = f"no {key} {cell[key]}"
            return {"reproduced": None, "difference": None, "verdict": MISSING, "reason": reason}
    row = rows.row(rows[cell["quantity"]].arg_max() or 0, named=True)
    value = 100 * row[cell["quantity"]]
    verdict, reason = _verdict(cell, row, value)
    if ANY in cell.values():
        reason += f"; the largest is that of {row['model']} on {row['dataset']}, {row['measure']}"
    return {
        "reproduced": value,
        "difference": value - cell["published"],
        "verdict": verdict,
        "reason": reason,
    }


def _verdict(cell: Mapping[str, Any], row: Mapping[str, Any], value: float) -> tuple[str, str]:
    published, decimals, tolerance = cell["published"], cell["n_decimals"], cell["tolerance"]
    difference, half = value - published, 0.5 * 10**-decimals
    # A hair more than half a unit: 0.005 is no binary number.
    if abs(difference) <= half * (1 + 1e-9):
        return EXACT, f"to {decimals} decimals"
    said = f"differs by {difference:+.{decimals}f}"
    if (ties := _orders(cell["quantity"], row)) and ties[0] - half <= published <= ties[1] + half:
        low, high = (f"{bound:.{decimals}f}" for bound in ties)
        return TIES, f"{said}: orders of ties alone go from {low} to {high}"
    if abs(difference) <= tolerance:
        return TOLERANCE, f"{said}, at most {tolerance:g}, and more than the order of ties explains"
    return OUTSIDE, f"{said}, more than {tolerance:g}, and than the order of ties explains"


def _orders(quantity: str, row: Mapping[str, Any]) -> tuple[float, float] | None:
    """Say between which values the order of ties can move a quantity, in percent."""
    if quantity == "range" or row["range"] == 0:
        return None  # the range is that of all orders already
    base = row["expected"] if quantity == "bias" else 0.0
    return 100 * (row["min"] - base), 100 * (row["max"] - base)
