"""BEIR qrels: a tab-separated table with the header ``query-id corpus-id score``."""

from __future__ import annotations

import polars as pl

from tiewise.io.checks import check_qrels
from tiewise.io.columns import is_column_name
from tiewise.io.source import Source
from tiewise.io.text_layout import Column, Layout
from tiewise.io.text_table import first_fields, read_table
from tiewise.io.trec import GRADE, warn_of_comments

QRELS = Layout((Column("query-id", "query_id"), Column("corpus-id", "doc_id"), GRADE))


def has_header(raw: bytes) -> bool:
    r"""Tell whether a text begins with a header line of three known column names.

    Examples
    --------
    >>> has_header(b"query-id\tcorpus-id\tscore\n"), has_header(b"q1 0 d1 1\n")
    (True, False)
    """
    fields = [f.decode("utf-8", "replace") for f in first_fields(raw)]
    return len(fields) == 3 and all(map(is_column_name, fields))


def read_beir_qrels(source: Source) -> pl.DataFrame:
    r"""Read three-column qrels with a header.

    Returns
    -------
    polars.DataFrame
        ``query_id, doc_id, grade``, in the order of the lines.

    Raises
    ------
    InputError
        All problems at once, each with its line.

    Examples
    --------
    >>> read_beir_qrels(Source("test.tsv", b"query-id\tcorpus-id\tscore\n1\tMED-10\t2\n")).row(0)
    ('1', 'MED-10', 2.0)
    """
    raw, titles = source.raw, first_fields(source.raw)
    start = raw.rfind(b"\n", 0, raw.index(titles[0])) + 1
    # The header becomes a comment of the same line, so that line numbers stay.
    table = read_table(Source(source.name, raw[:start] + b"#" + raw[start:]), QRELS)
    warn_of_comments(source)
    return check_qrels(table.frame, source.name, table.where)
