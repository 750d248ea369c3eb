"""Parquet artifacts: written whole or not at all, with their provenance in the schema metadata."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tiewise.errors import InputError, some

PROVENANCE_KEY = "tiewise"
SLICE = 50_000
"""Rows that are written at a time."""

Columns = Mapping[str, pl.DataType | type[pl.DataType]]


@dataclass(frozen=True)
class Kind:
    """A kind of artifact.

    Attributes
    ----------
    name : str
        What messages call it.
    columns : mapping of str to polars.DataType
        Columns that it must have, with their types; it may have more.
    """

    name: str
    columns: Columns

    def frame(self, rows: Iterable[Any] = (), **options: Any) -> pl.DataFrame:
        """Make a frame of rows (dicts; or tuples with ``orient="row"``), by default without any.

        Examples
        --------
        >>> Kind("counts", {"n": pl.Int64}).frame([{"n": 1}]).rows()
        [(1,)]
        """
        return pl.DataFrame(list(rows), schema=dict(self.columns), **options)


def write_artifact(
    frame: pl.DataFrame,
    path: str | os.PathLike[str],
    *,
    provenance: Mapping[str, Any],
    kind: Kind | None = None,
) -> None:
    """Write a frame as a Parquet file (zstd) that is either complete or absent.

    Parameters
    ----------
    frame : polars.DataFrame
        The rows.
    path : path
        Where; missing folders are made.
    provenance : mapping
        What made it; kept as JSON in the schema metadata.
    kind : Kind, optional
        Says what columns it must have. Integers are widened to the stated type; anything else that
        differs is an error.

    Raises
    ------
    InputError
        A column is missing or of another type, or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> write_artifact(pl.DataFrame({"a": [1]}), folder / "a.parquet", provenance={"by": "me"})
    >>> read_provenance(folder / "a.parquet")
    {'by': 'me'}
    """
    if kind is not None:
        frame = _conform(frame, kind, path)
    # pyarrow and not polars writes: only so do pandas and DuckDB see the note in the schema too.
    import pyarrow.parquet as pq

    note = json.dumps(dict(provenance), sort_keys=True)
    schema = frame.head(0).to_arrow().schema.with_metadata({PROVENANCE_KEY: note})
    with writing(path) as part, pq.ParquetWriter(part, schema, compression="zstd") as writer:
        # Slice by slice, so that the text of a large corpus is not held twice.
        for rows in frame.iter_slices(SLICE):
            writer.write_table(rows.to_arrow())


def read_artifact(path: str | os.PathLike[str], columns: list[str] | None = None) -> pl.DataFrame:
    """Read the rows of an artifact.

    Examples
    --------
    >>> read_artifact("no/such.parquet")
    Traceback (most recent call last):
        ...
    tiewise.errors.InputError: no/such.parquet: no such file
    """
    with _reading(path):
        return pl.read_parquet(Path(path), columns=columns)


def read_provenance(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read what made an artifact; empty for a Parquet file of other origin."""
    with _reading(path):
        note = pl.read_parquet_metadata(Path(path)).get(PROVENANCE_KEY, "{}")
    return dict(json.loads(note))


@contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path beside `path` and rename it on success, so no half file is ever seen.

    A full disk, a missing permission or a folder in the way become one `InputError`.
    """
    target = Path(path)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield part
        part.replace(target)
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {_reason(error)}") from error
    finally:
        with suppress(OSError):  # what went wrong above is the message; not this
            part.unlink(missing_ok=True)


def _reason(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "the disk is full; free some space and run the same command again"
    if error.errno in (errno.EACCES, errno.EROFS, errno.EPERM):
        return "no permission to write there"
    return error.strerror or str(error)


@contextmanager
def _reading(path: str | os.PathLike[str]) -> Iterator[None]:
    if not Path(path).is_file():
        raise InputError(f"{path}: no such file")
    try:
        yield
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(f"{path}: not a readable Parquet file: {error}") from error


def _conform(frame: pl.DataFrame, kind: Kind, path: str | os.PathLike[str]) -> pl.DataFrame:
    wanted = kind.columns
    missing = [name for name in wanted if name not in frame.columns]
    if missing:
        raise InputError(f"{path}: a {kind.name} table lacks columns, {some(missing)}")
    frame = frame.with_columns(
        pl.col(name).cast(dtype)
        for name, dtype in wanted.items()
        if frame.schema[name].is_numeric() and dtype in (pl.Int64, pl.Float64)
    )
    wrong = [
        f"{path}: column {name!r} of a {kind.name} table is {frame.schema[name]}, not {dtype}"
        for name, dtype in wanted.items()
        if frame.schema[name] != dtype
    ]
    if wrong:
        raise InputError(wrong)
    return frame
