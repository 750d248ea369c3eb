"""Runs and qrels as Parquet tables, under the usual column names."""

from __future__ import annotations

import io
import os
from pathlib import Path

import polars as pl

from tiewise.errors import InputError
from tiewise.io.source import Source

MAGIC = b"PAR1"


def read_parquet(source: Source) -> pl.DataFrame:
    """Read a Parquet table.

    Raises
    ------
    InputError
        The file is damaged.

    Examples
    --------
    >>> read_parquet(Source("run.parquet", b"PAR1"))
    Traceback (most recent call last):
        ...
    tiewise.errors.InputError: run.parquet: damaged or truncated Parquet
    """
    try:
        return pl.read_parquet(io.BytesIO(source.raw))
    except (pl.exceptions.PolarsError, OSError):
        raise InputError(f"{source.name}: damaged or truncated Parquet") from None


def write_parquet_run(run: pl.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write a run as Parquet (zstd), scores as float64, in the order of its rows.

    Parameters
    ----------
    run : polars.DataFrame
        ``query_id, doc_id, score`` and perhaps ``rank``.
    path : path
        The file, replaced if it exists.
    """
    run.write_parquet(Path(path), compression="zstd")
