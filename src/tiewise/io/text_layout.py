"""The columns of text formats, and how their fields become numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True)
class Column:
    """One column of a text layout.

    Parameters
    ----------
    title : str
        What the column is called in messages.
    name : str, optional
        Its name in the frame; a column without one is checked for being there and dropped.
    parse : callable, optional
        Bytes to a number, ``ValueError`` when it is none; ids are text and have no parser.
    legal : str
        What is legal, for messages.
    """

    title: str
    name: str | None = None
    parse: Callable[[bytes], float | int] | None = None
    dtype: type[pl.DataType] = pl.String
    legal: str = ""


@dataclass(frozen=True)
class Layout:
    """The columns of a text format, and whether words may follow the last one."""

    columns: tuple[Column, ...]
    words_may_follow: bool = False

    @property
    def titles(self) -> str:
        """The columns' titles, as messages show them."""
        return " ".join(c.title for c in self.columns)


_FLOAT = re.compile(rb"[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf(inity)?|nan)", re.I)
_WHOLE = re.compile(rb"[+-]?\d{1,18}")


def parse_float(field: bytes) -> float:
    """Parse a decimal number, ``inf`` or ``nan``, exactly; nothing else that Python would take.

    Examples
    --------
    >>> parse_float(b"1e-5"), parse_float(b"-inf")
    (1e-05, -inf)
    >>> parse_float(b"1_000")
    Traceback (most recent call last):
        ...
    ValueError: b'1_000'
    """
    if not _FLOAT.fullmatch(field):
        raise ValueError(field)
    return float(field)


def parse_whole(field: bytes) -> int:
    """Parse a whole number; ``2.0`` is one.

    Examples
    --------
    >>> parse_whole(b"-2"), parse_whole(b"2.0")
    (-2, 2)
    """
    if _WHOLE.fullmatch(field):
        return int(field)
    value = parse_float(field)
    if not value.is_integer():
        raise ValueError(field)
    return int(value)
