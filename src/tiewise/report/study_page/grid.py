"""A table as the page lays it out: labels that span columns, and rows that repeat no label."""

from __future__ import annotations

from dataclasses import dataclass

from tiewise.report.tables.table import Table


@dataclass(frozen=True)
class Cell:
    """A value and how it is shown."""

    text: str
    is_number: bool
    is_best: bool


@dataclass(frozen=True)
class Grid:
    """A table for a template.

    Attributes
    ----------
    common : list of str
        Row labels that all rows have: said once, which leaves more of a narrow screen.
    names : list of str
        What the other row labels are.
    heads : list of list of (str, int)
        A list a level of column labels: text, and columns that it spans.
    rows : list of (list of str, list of Cell)
        Row labels, of which those that repeat the row above are empty; and values.
    """

    common: list[str]
    names: list[str]
    heads: list[list[tuple[str, int]]]
    rows: list[tuple[list[str], list[Cell]]]


def grid(table: Table) -> Grid:
    """Lay out a table.

    Examples
    --------
    >>> import pandas as pd, polars as pl
    >>> keys = [("s", "a", "x"), ("s", "a", "y"), ("s", "b", "y")]
    >>> index = pd.MultiIndex.from_tuples(keys, names=["d", "m", "r"])
    >>> wide = pd.DataFrame({"n": ["1", "2", "3"]}, index=index)
    >>> laid = grid(Table("t", pl.DataFrame(), wide))
    >>> laid.common, laid.names, [labels for labels, _ in laid.rows]
    (['s'], ['m', 'r'], [['a', 'x'], ['', 'y'], ['b', 'y']])
    """
    if table.wide.empty:
        return Grid([], [], [], [])
    index = table.wide.index
    levels = [[str(label) for label in index.get_level_values(n)] for n in range(index.nlevels)]
    # The last level always stays: a row needs a name.
    kept = [n for n, labels in enumerate(levels[:-1]) if len(set(labels)) > 1] + [len(levels) - 1]
    columns = table.columns
    return Grid(
        common=[labels[0] for n, labels in enumerate(levels) if n not in kept],
        names=[str(index.names[n]) for n in kept],
        heads=[
            _spans([column.labels[level] for column in columns])
            for level in range(table.wide.columns.nlevels)
        ],
        rows=list(
            zip(
                _sparse(list(zip(*(levels[n] for n in kept), strict=True))),
                _cells(table),
                strict=True,
            )
        ),
    )


def _cells(table: Table) -> list[list[Cell]]:
    columns = [
        [
            Cell(text, column.is_numbers, is_best)
            for text, is_best in zip(column.texts, marks, strict=True)
        ]
        for column, marks in zip(table.columns, _marks(table), strict=True)
    ]
    return [list(row) for row in zip(*columns, strict=True)]


def _marks(table: Table) -> list[list[bool]]:
    if table.best is None:
        return [[False] * len(table.wide)] * table.wide.shape[1]
    return [[bool(mark) for mark in marks] for _, marks in table.best.items()]


def _sparse(keys: list[tuple[str, ...]]) -> list[list[str]]:
    """Empty the labels that repeat those of the row above."""
    rows, above = [], ("",) * len(keys[0])
    for key in keys:
        same = next((n for n in range(len(key)) if key[n] != above[n]), len(key))
        rows.append([label if n >= same else "" for n, label in enumerate(key)])
        above = key
    return rows


def _spans(labels: list[str]) -> list[tuple[str, int]]:
    """Join equal neighbours."""
    spans: list[tuple[str, int]] = []
    for label in labels:
        if spans and spans[-1][0] == label:
            spans[-1] = (label, spans[-1][1] + 1)
        else:
            spans.append((label, 1))
    return spans
