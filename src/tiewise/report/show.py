"""The main table on the terminal, and where everything else lies."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from rich.console import Console
from rich.table import Table

from tiewise.errors import InputError
from tiewise.report.main_table import QUANTITIES


def show(results: Path, console: Console) -> None:
    """Print a finished study's main table and the places of its results.

    Parameters
    ----------
    results : pathlib.Path
        The results folder.
    console : rich.console.Console
        Where to print.

    Raises
    ------
    InputError
        The folder holds no main table.
    """
    path = results / "tables" / "main.csv"
    if not path.is_file():
        raise InputError(f"{path}: no such file; run the study first: make reproduce")
    console.print(_table(pl.read_csv(path, infer_schema_length=None)))
    places = {
        "tables": results / "tables",
        "figures": results / "figures",
        "artifacts": results,
        "logs": results / "logs",
    }
    for name, place in places.items():
        console.print(f"{name:>9}: {place}", highlight=False)


def _table(rows: pl.DataFrame) -> Table:
    measures = rows["measure"].unique(maintain_order=True).to_list()
    policy = rows["policy"][0]
    table = Table(
        title="Expected value, value under one tie order, range over all orders, bias (percent)",
        caption=f"oblivious: tie policy {policy}; tables/main.md has the footer",
        header_style="bold",
    )
    for label in ("data set", "model", "regime"):
        table.add_column(label, overflow="fold")
    for measure in measures:
        for quantity in QUANTITIES:
            table.add_column(f"{measure}\n{quantity}", justify="right")
    for cell, block in rows.group_by("dataset", "model", "regime", maintain_order=True):
        values = {row["measure"]: row for row in block.iter_rows(named=True)}
        numbers = [f"{values[m][q]:.2f}" for m in measures for q in QUANTITIES]
        table.add_row(*map(str, cell), *numbers)
    return table
