"""Read and write runs and qrels, whatever format they come in."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, TypeAlias

import polars as pl

from tiewise.errors import InputError
from tiewise.io import irds, mteb
from tiewise.io.beir_tsv import read_beir_qrels
from tiewise.io.checks import Nonfinite, check_nonfinite
from tiewise.io.columns import qrels_from_table, run_from_table
from tiewise.io.detect import detect
from tiewise.io.json_nested import load_object
from tiewise.io.parquet import read_parquet, write_parquet_run
from tiewise.io.problems import InputWarning
from tiewise.io.source import read_source
from tiewise.io.trec import read_trec_qrels, read_trec_run, write_trec_run
from tiewise.runs.frames import Run, as_run

Path: TypeAlias = str | os.PathLike[str]

__all__ = ["InputWarning", "read_qrels", "read_run", "write_run"]


def read_run(
    path: Path,
    *,
    nonfinite: Nonfinite = "error",
    subset: str | None = None,
    split: str | None = None,
) -> pl.DataFrame:
    r"""Read a run: TREC text, MTEB predictions, BEIR or ranx JSON, or Parquet, by content.

    Parameters
    ----------
    path : path
        The file, gzip or not, or ``-`` for standard input.
    nonfinite : {'error', 'last'}
        NaN scores are refused, or ranked last with a warning. Infinite scores are legal.
    subset, split : str, optional
        Which run of an MTEB prediction file; needed only where it has several.

    Returns
    -------
    polars.DataFrame
        ``query_id`` and ``doc_id`` String, ``score`` Float64, ``rank`` Int64 where the file has
        it; the rows in the order of the file.

    Raises
    ------
    InputError
        All problems of the file up to a limit, each with its line where there are lines.

    Warns
    -----
    InputWarning
        Something was left out or contradicts: comment lines, words after the run tag, ranks that
        disagree with the scores, NaN scores put last.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.txt"
    >>> _ = path.write_text("q1 Q0 007 1 0.5 me\nq1 Q0 NA 2 0.5 me\n")
    >>> read_run(path).rows()
    [('q1', '007', 0.5, 1), ('q1', 'NA', 0.5, 2)]
    """
    check_nonfinite(nonfinite)
    source = read_source(path)
    form = detect(source)
    if form != "json" and (subset or split):
        raise InputError(f"{source.name}: only an MTEB prediction file has a subset and a split")
    match form:
        case "parquet":
            return run_from_table(read_parquet(source), source.name, nonfinite=nonfinite)
        case "json":
            nested: Mapping[str, Any] = load_object(source)
            if mteb.is_mteb(nested):
                nested = mteb.select_split(nested, source.name, subset=subset, split=split)
            elif subset or split:
                raise InputError(f"{source.name}: flat JSON has neither a subset nor a split")
            return run_from_table(nested, source.name, nonfinite=nonfinite)
        case "beir-tsv":
            raise InputError(f"{source.name}:1: the header of qrels; legal here: a run")
        case _:
            return read_trec_run(source, nonfinite=nonfinite)


def read_qrels(path: Path) -> pl.DataFrame:
    r"""Read qrels: TREC text, BEIR TSV with its header, JSON, Parquet, or `ir_datasets`.

    Parameters
    ----------
    path : path
        The file, gzip or not; ``-`` for standard input; or ``irds:`` and the id of a data set of
        the package `ir_datasets`.

    Returns
    -------
    polars.DataFrame
        ``query_id`` and ``doc_id`` String, ``grade`` Float64; the rows in the order of the file.

    Raises
    ------
    InputError
        All problems of the file up to a limit, each with its line where there are lines.

    Warns
    -----
    InputWarning
        Comment lines were left out, or rows that repeat a judgement merged.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "test.tsv"
    >>> _ = path.write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    >>> read_qrels(path).rows()
    [('q1', 'd1', 1.0)]
    """
    if isinstance(path, str) and path.startswith(irds.PREFIX):
        return qrels_from_table(irds.read_irds_qrels(path), path)
    source = read_source(path)
    match detect(source):
        case "parquet":
            return qrels_from_table(read_parquet(source), source.name)
        case "json":
            return qrels_from_table(load_object(source), source.name)
        case "beir-tsv":
            return read_beir_qrels(source)
        case _:
            return read_trec_qrels(source)


def write_run(run: Run, path: Path, *, tag: str = "tiewise") -> None:
    """Write a run without making ties: Parquet where the name ends in ``.parquet``, else TREC text.

    Parameters
    ----------
    run : frame or mapping
        As for `tiewise.runs.frames.as_run`.
    path : path
        The file, replaced if it exists.
    tag : str
        Name of the system, for TREC text.

    Raises
    ------
    InputError
        The run is not one, or an id cannot be said in TREC text.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.parquet"
    >>> write_run({"q": {"d": 0.1}}, path)
    >>> read_run(path).rows()
    [('q', 'd', 0.1)]
    """
    frame = as_run(run)
    if os.fspath(path).endswith(".parquet"):
        write_parquet_run(frame, path)
    else:
        write_trec_run(frame, path, tag=tag)
