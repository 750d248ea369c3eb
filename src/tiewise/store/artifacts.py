"""Parquet artifacts: written whole or not at all, with their provenance in the schema metadata."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import polars as pl

from tiewise.errors import InputError, some

PROVENANCE_KEY = "tiewise"
SLICE = 50_000
"""Rows that are written at a time."""

_JUDGED: Mapping[str, pl.DataType | type[pl.DataType]] = {
    "measure": pl.String,
    "expected": pl.Float64,
    "min": pl.Float64,
    "max": pl.Float64,
    "range": pl.Float64,
    "sd": pl.Float64,
    "oblivious": pl.Float64,
    "bias": pl.Float64,
    "policy": pl.String,
}

SCHEMAS: Mapping[str, Mapping[str, pl.DataType | type[pl.DataType]]] = {
    "corpus": {"doc_id": pl.String, "title": pl.String, "text": pl.String},
    "queries": {"query_id": pl.String, "text": pl.String},
    "qrels": {"query_id": pl.String, "doc_id": pl.String, "grade": pl.Float64},
    "candidates": {"query_id": pl.String, "doc_id": pl.String, "rank": pl.Int64},
    "scores": {"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64},
    "metrics": {"query_id": pl.String, **_JUDGED},
    "first_stage": {**_JUDGED, "n_queries": pl.Int64},
    "summary": {
        "dataset": pl.String,
        "model": pl.String,
        "regime": pl.String,
        "arithmetic": pl.String,
        **_JUDGED,
        "n_queries": pl.Int64,
    },
    "ties": {
        "query_id": pl.String,
        "n_candidates": pl.Int64,
        "n_distinct_scores": pl.Int64,
        "n_tie_groups": pl.Int64,
        "largest_tie_group": pl.Int64,
        "share_tied": pl.Float64,
        "n_tied_at_cut": pl.Int64,
    },
    "agreement": {"query_id": pl.String, "spearman": pl.Float64, "n_duplicates": pl.Int64},
    "distribution": {
        "regime": pl.String,
        "quantity": pl.String,
        "value": pl.Float64,
        "n_candidates": pl.Int64,
    },
    "averages": {
        "group": pl.String,
        "model": pl.String,
        "regime": pl.String,
        "arithmetic": pl.String,
        **_JUDGED,
        "n_datasets": pl.Int64,
        "n_queries": pl.Int64,
    },
    "tie_summary": {
        "dataset": pl.String,
        "model": pl.String,
        "regime": pl.String,
        "arithmetic": pl.String,
        "n_queries": pl.Int64,
        "distinct_scores": pl.Float64,
        "mean_group": pl.Float64,
        "mean_largest_group": pl.Float64,
        "largest_group": pl.Int64,
        "share_tied": pl.Float64,
        "share_spurious": pl.Float64,
        "share_genuine": pl.Float64,
        "share_duplicates": pl.Float64,
        "spearman": pl.Float64,
        "n_undefined": pl.Int64,
    },
    "worst": {
        "dataset": pl.String,
        "model": pl.String,
        "regime": pl.String,
        "measure": pl.String,
        "number": pl.Int64,
        "query_id": pl.String,
        "query": pl.String,
        "expected": pl.Float64,
        "min": pl.Float64,
        "max": pl.Float64,
        "oblivious": pl.Float64,
        "score": pl.Float64,
        "first": pl.Int64,
        "last": pl.Int64,
        "n_relevant": pl.Int64,
        "doc_id": pl.String,
        "grade": pl.Float64,
        "text": pl.String,
        "fp32_score": pl.Float64,
    },
    "alternatives": {
        "dtype": pl.String,
        "method": pl.String,
        **_JUDGED,
        "spread": pl.Float64,
        "n_queries": pl.Int64,
        "note": pl.String,
    },
    "toolkits": {
        "regime": pl.String,
        "toolkit": pl.String,
        "ties": pl.String,
        "measure": pl.String,
        "value": pl.Float64,
        "expected": pl.Float64,
        "bias": pl.Float64,
        "note": pl.String,
    },
    "cost": {
        "dtype": pl.String,
        "device": pl.String,
        "arithmetic": pl.String,
        "n_values": pl.Int64,
        "forward_seconds": pl.Float64,
        "upcast_seconds": pl.Float64,
        "share": pl.Float64,
        "extra_bytes_per_query": pl.Float64,
        "square_seconds": pl.Float64,
        "square_extra_bytes": pl.Int64,
    },
    "pairs": {
        "dataset": pl.String,
        "regime": pl.String,
        "measure": pl.String,
        "model_a": pl.String,
        "model_b": pl.String,
        "delta": pl.Float64,
        "delta_min": pl.Float64,
        "delta_max": pl.Float64,
        "delta_sd": pl.Float64,
        "delta_oblivious": pl.Float64,
        "certain": pl.Boolean,
        "p_greater": pl.Float64,
        "p_value": pl.Float64,
        "p_holm": pl.Float64,
        "ci_low": pl.Float64,
        "ci_high": pl.Float64,
        "policy": pl.String,
        "n_queries": pl.Int64,
    },
    "verdicts": {
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
    "claims": {
        "number": pl.Int64,
        "claim": pl.String,
        "scope": pl.String,
        "verdict": pl.String,
        "figures": pl.String,
    },
}
"""Columns that each kind of artifact must have; it may have more. Logits depend on the model."""


def write_artifact(
    frame: pl.DataFrame,
    path: str | os.PathLike[str],
    *,
    provenance: Mapping[str, Any],
    kind: str | None = None,
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
    kind : str, optional
        A key of `SCHEMAS`: the columns it must have. Integers are widened to the stated type;
        anything else that differs is an error.

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


def _conform(frame: pl.DataFrame, kind: str, path: str | os.PathLike[str]) -> pl.DataFrame:
    wanted = SCHEMAS[kind]
    missing = [name for name in wanted if name not in frame.columns]
    if missing:
        raise InputError(f"{path}: a {kind} table lacks columns, {some(missing)}")
    frame = frame.with_columns(
        pl.col(name).cast(dtype)
        for name, dtype in wanted.items()
        if frame.schema[name].is_numeric() and dtype in (pl.Int64, pl.Float64)
    )
    wrong = [
        f"{path}: column {name!r} of a {kind} table is {frame.schema[name]}, not {dtype}"
        for name, dtype in wanted.items()
        if frame.schema[name] != dtype
    ]
    if wrong:
        raise InputError(wrong)
    return frame
