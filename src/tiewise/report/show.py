"""The main table on the terminal, and where everything else lies."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from tiewise.errors import InputError
from tiewise.report.tables.main import QUANTITIES


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
    rows = pl.read_csv(path, infer_schema_length=None)
    console.print(f"In percent; oblivious: tie policy {rows['policy'][0]}", highlight=False)
    for cell, block in rows.group_by("dataset", "model", maintain_order=True):
        console.print(_table(" x ".join(map(str, cell)), block))
    places = {
        "tables": results / "tables",
        "figures": results / "figures",
        "artifacts": results,
        "logs": results / "logs",
    }
    for name, place in places.items():
        console.print(f"{name:>9}: {place}", highlight=False)


def _table(title: str, rows: pl.DataFrame) -> Table:
    """Lay out one model on one data set, narrow enough for a terminal of 80 columns."""
    table = Table(title=title, title_justify="left", header_style="bold", box=SIMPLE_HEAD)
    table.add_column("measure", no_wrap=True)
    table.add_column("regime", no_wrap=True)
    for quantity in QUANTITIES:
        table.add_column(quantity, justify="right", no_wrap=True)
    for measure, block in rows.group_by("measure", maintain_order=True):
        for row in block.iter_rows(named=True):
            numbers = [f"{row[quantity]:.2f}" for quantity in QUANTITIES]
            table.add_row(str(measure[0]), row["regime"], *numbers)
        table.add_section()
    return table
