"""Rows of a data set's tables from files: Parquet, JSON lines, BEIR's TSV."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Any, cast

import polars as pl

from tiewise.errors import InputError, Problems
from tiewise.io import read_qrels

COLUMNS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "corpus": {"doc_id": ("_id", "id"), "title": ("title",), "text": ("text",)},
    "queries": {"query_id": ("_id", "id"), "text": ("text",)},
    "qrels": {"query_id": ("query-id",), "doc_id": ("corpus-id",), "grade": ("score",)},
    "top_ranked": {"query_id": ("query-id",), "doc_ids": ("corpus-ids", "corpus-id")},
}
"""Our columns of each table, and what files call them. Only a title may be missing."""

BLOCK = 32 * 2**20
"""Bytes of JSON lines that are parsed at a time: the text of a large corpus is held only once."""

SEEN = 1000
"""Lines of a JSON file from which the types of its columns are taken."""


def read_tables(files: Mapping[str, Sequence[Path]]) -> dict[str, pl.DataFrame]:
    """Read corpus, queries and qrels; the problems of all three are raised at once."""
    problems = Problems()
    names = ("corpus", "queries", "qrels")
    frames = {name: problems.attempt(read_table, files[name], name) for name in names}
    problems.stop()
    return frames


def read_table(files: Sequence[Path], table: str) -> pl.DataFrame:
    """Read one table of a data set from its files, one after the other.

    Parameters
    ----------
    files : sequence of pathlib.Path
        Parquet, JSON lines (gzip or not), or for qrels also BEIR's TSV.
    table : str
        A key of `COLUMNS`.

    Returns
    -------
    polars.DataFrame
        The table's columns under our names; ids as the file has them.

    Raises
    ------
    InputError
        A file is missing, is of another format, lacks a column or is damaged: all problems of all
        files at once.
    """
    problems = Problems()
    frames: list[pl.DataFrame] = [problems.attempt(_read, file, table) for file in files]
    problems.stop()
    frame = pl.concat(frames, how="diagonal_relaxed") if len(frames) > 1 else frames[0]
    if table == "top_ranked" and frame.schema["doc_ids"] != pl.List:  # a candidate a row
        frame = frame.group_by("query_id", maintain_order=True).agg("doc_ids")
    return frame


def _read(file: Path, table: str) -> pl.DataFrame:
    name = file.name.removesuffix(".gz")
    if not file.is_file():
        raise InputError(f"{file}: no such file")
    if name.endswith(".parquet"):
        return _read_parquet(file, table)
    if name.endswith((".jsonl", ".json")):
        return _read_json_lines(file, table)
    if name.endswith(".tsv") and table == "qrels":
        return read_qrels(file)
    raise InputError(
        f"{file}: cannot hold {table}; legal: .parquet, .jsonl, .jsonl.gz{_TSV[table]}"
    )


_TSV = {table: ", .tsv" if table == "qrels" else "" for table in COLUMNS}


def _read_parquet(file: Path, table: str) -> pl.DataFrame:
    try:
        found = pl.read_parquet_schema(file)
        spelled = _spelled(found, table, file)
        frame = pl.read_parquet(file, columns=list(spelled))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(f"{file}: not a readable Parquet file: {error}") from None
    return frame.rename(spelled)


def _read_json_lines(file: Path, table: str) -> pl.DataFrame:
    frames: list[pl.DataFrame] = []
    schema: dict[str, Any] | None = None
    spelled: dict[str, str] = {}
    try:
        with _open(file) as lines:
            for block in iter(lambda: lines.readlines(BLOCK), []):
                text = b"".join(block)
                if schema is None:
                    found = pl.read_ndjson(b"".join(block[:SEEN]), infer_schema_length=SEEN).schema
                    spelled = _spelled(found, table, file)
                    if table == "corpus":  # titles may begin later
                        spelled["title"] = "title"
                    schema = _schema(found, spelled)
                frames.append(pl.read_ndjson(text, schema=schema))
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{file}: cannot be read: {error}") from None
    except pl.exceptions.PolarsError as error:
        raise InputError(_bad_lines(file) or f"{file}: not JSON lines: {error}") from None
    if not frames:
        raise InputError(f"{file}: empty")
    return pl.concat(frames).rename(spelled)


def _schema(found: Mapping[str, pl.DataType], spelled: Mapping[str, str]) -> dict[str, Any]:
    """Types to parse a file with of which the first rows were seen."""
    return {name: _type(column, found.get(name, pl.Null())) for name, column in spelled.items()}


def _type(column: str, found: pl.DataType) -> pl.DataType | type[pl.DataType]:
    if column == "grade":
        return pl.Float64
    if column == "doc_ids" and found == pl.List:
        return pl.List(pl.String)
    if column.endswith("_id") and not (found.is_integer() or found == pl.Null):
        return found  # whole numbers lose nothing as strings; what else is no string is refused
    return pl.String


def _open(file: Path) -> IO[bytes]:
    return cast("IO[bytes]", gzip.open(file) if file.suffix == ".gz" else file.open("rb"))


def _bad_lines(file: Path) -> list[str]:
    """Find the lines that are no JSON object: slow, for a file that is known to be damaged."""

    def problems() -> Iterator[str]:
        with _open(file) as lines:
            for number, line in enumerate(lines, start=1):
                try:
                    if line.strip() and not isinstance(json.loads(line), dict):
                        yield f"{file}:{number}: not a JSON object"
                except ValueError as error:
                    yield f"{file}:{number}: not valid JSON: {error}"

    return list(islice(problems(), 100))


def _spelled(found: Iterable[str], table: str, file: Path) -> dict[str, str]:
    """Map the file's columns to ours, or say which are missing."""
    present = list(found)
    spelled, problems = {}, Problems()
    for column, spellings in COLUMNS[table].items():
        name = next((s for s in spellings if s in present), None)
        if name is not None:
            spelled[name] = column
        elif column != "title":
            wanted = " or ".join(spellings)
            problems.append(f"{file}: no column {wanted}; found: {', '.join(present)}")
    problems.stop()
    return spelled
