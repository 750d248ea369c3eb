"""A table before it is written: its numbers in full, and what a reader looks at."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pandas as pd
import polars as pl

from tiewise.report.names import labels

if TYPE_CHECKING:
    from tiewise.study.config import Study

NOTHING = "–"
"""Stands where there is no number; a note under the table says why."""
_NUMBER = re.compile(r"[-+]?(\d[\d.]*|inf)( [±–] [-+]?\d[\d.]*)?$|–$")


@dataclass(frozen=True)
class Column:
    """A column of a table: its labels, of the levels from above, and its texts.

    Attributes
    ----------
    labels : tuple of str
        One or two.
    texts : list of str
        A row each.
    """

    labels: tuple[str, ...]
    texts: list[str]

    @property
    def is_numbers(self) -> bool:
        """Whether most of the texts begin as numbers do, so that they stand on the right.

        Examples
        --------
        >>> Column(("bias",), ["-0.5", "–", "any"]).is_numbers
        True
        >>> Column(("figures",), ["3 of 4 cells"]).is_numbers
        False
        """
        numbers = [text for text in self.texts if _NUMBER.match(text)]
        return 2 * len(numbers) > len(self.texts)


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes
    ----------
    title : str
        What it shows.
    tidy : polars.DataFrame
        Full precision, names as in the config: the CSV.
    wide : pandas.DataFrame
        Texts as a reader looks at them: row labels in the index, column labels of one or two
        levels.
    best : pandas.DataFrame, optional
        Bool, of the shape of `wide`: which values to mark as best.
    notes : tuple of str
        Why numbers are missing, and what marks mean.
    """

    title: str
    tidy: pl.DataFrame
    wide: pd.DataFrame
    best: pd.DataFrame | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def columns(self) -> list[Column]:
        """The columns, without the row labels."""
        named = self.wide.items()
        return [Column(n if isinstance(n, tuple) else (n,), list(texts)) for n, texts in named]


def shown(value: float | None, decimals: int = 2, unit: float = 1.0) -> str:
    """Show a number with some decimals, in a unit, or a dash where there is none.

    Examples
    --------
    >>> shown(0.12345, 2, 100), shown(-0.000001), shown(None), shown(float("inf"))
    ('12.35', '0.00', '–', 'inf')
    """
    if value is None or value != value:
        return NOTHING
    # The sum makes a rounded -0.0 a 0.0: there is no negative nothing.
    return f"{round(value * unit, decimals) + 0.0:.{decimals}f}"


def cells(study: Study, datasets: Sequence[str] | None = None) -> pl.DataFrame:
    """List the data sets, models and regimes that a study asks for, in the config's order."""
    rows = [
        (dataset, model, regime)
        for dataset in (study.datasets if datasets is None else datasets)
        for model in study.models
        for regime in study.regimes
    ]
    return pl.DataFrame(rows, schema=["dataset", "model", "regime"], orient="row")


def completed(wanted: pl.DataFrame, found: pl.DataFrame) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Bring rows into the order wanted; those that are not there get nulls and a note.

    Parameters
    ----------
    wanted : polars.DataFrame
        Key columns, one row a cell.
    found : polars.DataFrame
        The same columns and others.

    Returns
    -------
    rows : polars.DataFrame
        One row a row of `wanted`.
    notes : tuple of str
        The cells that are missing.

    Examples
    --------
    >>> rows, notes = completed(
    ...     pl.DataFrame({"model": ["a", "b"]}), pl.DataFrame({"model": ["b"], "n": [1]})
    ... )
    >>> rows["n"].to_list(), notes
    ([None, 1], ('– no results yet: a',))
    """
    keys = wanted.columns
    marked = found.with_columns(found=True)
    rows = wanted.join(marked, on=keys, how="left", maintain_order="left")
    lost = rows.filter(pl.col("found").is_null()).select(keys)
    names = [" ".join(map(str, row)) for row in lost.unique(maintain_order=True).iter_rows()]
    listed = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return rows.drop("found"), ((f"{NOTHING} no results yet: {listed}",) if names else ())


def row_labels(study: Study, rows: pl.DataFrame, names: Sequence[str]) -> pd.MultiIndex:
    """Make row labels of key columns, with the titles and labels that the blocks give.

    Parameters
    ----------
    study : Study
        The study.
    rows : polars.DataFrame
        With the columns `names`.
    names : sequence of str
        Columns that become levels of the index, in this order.
    """
    spoken = labels(study)
    columns = [[spoken.get(n, {}).get(v, str(v)) for v in rows[n].to_list()] for n in names]
    return pd.MultiIndex.from_arrays(columns, names=[name.replace("_", " ") for name in names])
