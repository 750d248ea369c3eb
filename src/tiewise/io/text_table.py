r"""Read columns separated by blanks or tabs: fast when nothing is odd, line by line when it is.

The fast way hands the whole text to polars. Whatever polars cannot take as it stands goes through
the careful way, which knows the line of every problem.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from tiewise.errors import Problems
from tiewise.io.problems import LIMIT
from tiewise.io.source import Source, text_of
from tiewise.io.text_layout import Column, Layout

_UNUSUAL = (b"\r", b"\v", b"\f")
_BLOCK = 64 * 2**20
_SMALL_BLOCK = 2**20
_COMMENT = re.compile(rb"^#.*$", re.M)
_INDENTED_HASH = re.compile(rb"^ #", re.M)


@dataclass(frozen=True)
class TextTable:
    """What was read: the rows, a way back from a row to its line, and what was left out."""

    frame: pl.DataFrame
    source: Source
    n_words_after: int

    def where(self, rows: Sequence[int]) -> list[str]:
        """Say ``file:line`` of each row, counting from 0."""
        lines = [number for number, _ in _data_lines(self.source.raw)]
        return [f"{self.source.name}:{lines[row]}" for row in rows]


class _Read(NamedTuple):
    frame: pl.DataFrame
    n_words_after: int


def read_table(source: Source, layout: Layout) -> TextTable:
    """Read a text table; lines that begin with ``#`` are comments, blank lines are skipped.

    Parameters
    ----------
    source : Source
        The text. Columns are separated by any number of blanks or tabs; lines end in LF or CRLF.
    layout : Layout
        The columns.

    Returns
    -------
    TextTable
        The named columns, in the order of the lines.

    Raises
    ------
    InputError
        Every malformed line up to a limit: the file and line, what was found, what is legal.

    Notes
    -----
    The fast way costs about 0.1 s for a million lines, the careful way about 2 s.
    """
    problems = Problems(limit=LIMIT)
    read = list(_read_blocks(text_of(source), layout, source.name, problems))
    problems.stop()
    frame = pl.concat([r.frame for r in read], rechunk=True)
    return TextTable(frame, source, sum(r.n_words_after for r in read))


def first_fields(raw: bytes) -> list[bytes]:
    r"""Return the fields of the first line that is neither blank nor a comment.

    Examples
    --------
    >>> first_fields(b"# by hand\n\nquery-id\tcorpus-id\tscore\n")
    [b'query-id', b'corpus-id', b'score']
    """
    return next((fields for _, fields in _data_lines(raw)), [])


def comment_lines(raw: bytes) -> list[bytes]:
    r"""Return the lines that begin with ``#``.

    Examples
    --------
    >>> comment_lines(b"# by hand\nq#1 Q0 #d 1 1 t\n")
    [b'# by hand']
    """
    # Most files have no hash at all, and one byte is found much faster than a line.
    return _COMMENT.findall(raw) if b"#" in raw else []


def _read_blocks(raw: bytes, layout: Layout, name: str, problems: Problems) -> Iterator[_Read]:
    for start, block in _blocks(raw, _BLOCK):
        if fast := _read_fast(block, layout):
            yield fast
            continue
        # Something is odd: cut smaller, so that it makes a few lines slow, not the file.
        for offset, lines in _blocks(block, _SMALL_BLOCK):
            fast = _read_fast(lines, layout)
            first_line = 1 + (0 if fast else raw.count(b"\n", 0, start + offset))
            yield fast or _read_carefully(lines, layout, name, first_line, problems)
            if problems.full:
                return


def _blocks(raw: bytes, size: int) -> Iterator[tuple[int, bytes]]:
    """Cut a text after lines' ends, with the place of each part."""
    start = 0
    while True:
        cut = raw.find(b"\n", start + size) + 1
        yield start, (raw[start:cut] if cut else raw[start:])
        if not cut:
            return
        start = cut


def _read_fast(raw: bytes, layout: Layout) -> _Read | None:
    text = raw.replace(b"\t", b" ")
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n")
    if any(c in text for c in _UNUSUAL):
        return None
    read = _parse_csv(text, layout)
    if read is None or read.n_words_after:
        # Only now pay for several passes over the text: most files have single blanks.
        read = _parse_csv(_single_blanks(text), layout)
    return read


def _single_blanks(text: bytes) -> bytes:
    while b"  " in text:
        text = text.replace(b"  ", b" ")
    text = text.replace(b" \n", b"\n").removesuffix(b" ")
    if not _INDENTED_HASH.search(text):  # only at the very start of a line is it a comment
        text = text.replace(b"\n ", b"\n").removeprefix(b" ")
    while b"\n\n" in text:
        text = text.replace(b"\n\n", b"\n")
    return text.removeprefix(b"\n")


def _parse_csv(text: bytes, layout: Layout) -> _Read | None:
    names = {f"column_{i}": column for i, column in enumerate(layout.columns, 1)}
    comments = comment_lines(text)
    schema: dict[str, type[pl.DataType]] = {n: c.dtype for n, c in names.items()}
    for i in range(len(names) + 1, len(first_fields(text)) + 1):
        schema[f"column_{i}"] = pl.String  # polars takes the number of columns from line 1
    try:
        frame = pl.read_csv(
            text,
            separator=" ",
            has_header=False,
            quote_char=None,
            comment_prefix="#" if comments else None,
            truncate_ragged_lines=True,
            schema=schema,
            columns=list(names),
        )
    except (pl.exceptions.PolarsError, ValueError):
        return None
    if sum(frame.null_count().row(0)) > 0:
        return None
    n_blanks = text.count(b" ") - sum(comment.count(b" ") for comment in comments)
    n_words_after = n_blanks - frame.height * (len(names) - 1)
    if n_words_after and not layout.words_may_follow:
        return None
    return _Read(frame.select(**{c.name: n for n, c in names.items() if c.name}), n_words_after)


def _data_lines(raw: bytes, first_line: int = 1) -> Iterator[tuple[int, list[bytes]]]:
    for number, line in enumerate(io.BytesIO(raw), first_line):
        fields = line.split()
        if fields and not line.startswith(b"#"):
            yield number, fields


def _read_carefully(
    raw: bytes, layout: Layout, name: str, first_line: int, problems: Problems
) -> _Read:
    n_words_after, rows = 0, []
    for number, fields in _data_lines(raw, first_line):
        try:
            rows.append(_parse(fields, layout))
            n_words_after += len(fields) - len(layout.columns)
        except ValueError as error:
            problems.append(f"{name}:{number}: {error}")
            if problems.full:
                break
    kept = [c for c in layout.columns if c.name]
    values = list(zip(*rows, strict=True)) or [()] * len(kept)
    series = [pl.Series(c.name, v, c.dtype) for c, v in zip(kept, values, strict=True)]
    return _Read(pl.DataFrame(series), n_words_after)


def _parse(fields: list[bytes], layout: Layout) -> list[str | float | int]:
    wanted, found = len(layout.columns), len(fields)
    if found < wanted or (found > wanted and not layout.words_may_follow):
        raise ValueError(f"{found} columns, not {wanted} ({layout.titles})")
    row: list[str | float | int] = []
    for column, field in zip(layout.columns, fields, strict=False):
        if column.name:
            row.append(_value(column, field, extra=found - wanted, titles=layout.titles))
    return row


def _value(column: Column, field: bytes, *, extra: int, titles: str) -> str | float | int:
    try:
        text = field.decode("utf-8")
    except UnicodeDecodeError as error:
        bad = field[error.start]
        raise ValueError(f"{column.title} {field!r}: byte 0x{bad:02x} is not UTF-8") from None
    if column.parse is None:
        return text
    try:
        return column.parse(field)
    except ValueError:
        hint = f"; is there a blank inside an id? columns: {titles}" if extra > 0 else ""
        raise ValueError(f"{column.title} {text!r} is not {column.legal}{hint}") from None
