"""TREC runs and qrels: columns of text, separated by blanks or tabs."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl

from tiewise.errors import Problems, some
from tiewise.io.checks import Nonfinite, check_qrels, check_run
from tiewise.io.problems import warn
from tiewise.io.source import Source
from tiewise.io.text_layout import Column, Layout, parse_float, parse_whole
from tiewise.io.text_table import comment_lines, read_table

RUN = Layout(
    (
        Column("query", "query_id"),
        Column("Q0"),
        Column("document", "doc_id"),
        Column("rank", "rank", parse_whole, pl.Int64, "a whole number"),
        Column("score", "score", parse_float, pl.Float64, "a number (legal: 1.5, 1e-5, -inf)"),
        Column("tag"),
    ),
    words_may_follow=True,
)
GRADE = Column("grade", "grade", parse_whole, pl.Int64, "an integer")
QRELS = Layout((Column("query", "query_id"), Column("0"), Column("document", "doc_id"), GRADE))


def read_trec_run(source: Source, *, nonfinite: Nonfinite = "error") -> pl.DataFrame:
    r"""Read a TREC run: ``query Q0 document rank score tag``, words after the tag ignored.

    Parameters
    ----------
    source : Source
        The text.
    nonfinite : {'error', 'last'}
        What to do with NaN scores.

    Returns
    -------
    polars.DataFrame
        ``query_id, doc_id, score, rank``, in the order of the lines.

    Raises
    ------
    InputError
        All problems at once, each with its line.

    Examples
    --------
    >>> read_trec_run(Source("run.txt", b"007 Q0 NA 1 1e-5 me\n")).row(0)
    ('007', 'NA', 1e-05, 1)
    >>> read_trec_run(Source("run.txt", b"q Q0 d 1 1,5 me\n"))
    Traceback (most recent call last):
        ...
    tiewise.errors.InputError: run.txt:1: score '1,5' is not a number (legal: 1.5, 1e-5, -inf)
    """
    table = read_table(source, RUN)
    warn_of_comments(source)
    if table.n_words_after:
        warn(
            f"{source.name}: words after the run tag, ignored as trec_eval does: "
            f"{table.n_words_after}; is there a blank inside an id?"
        )
    return check_run(table.frame, source.name, table.where, nonfinite=nonfinite)


def read_trec_qrels(source: Source) -> pl.DataFrame:
    r"""Read TREC qrels: ``query 0 document grade``, the grade an integer.

    Returns
    -------
    polars.DataFrame
        ``query_id, doc_id, grade``, in the order of the lines.

    Raises
    ------
    InputError
        All problems at once, each with its line. A grade such as 0.2 is refused, since the tools
        of this format cut it to 0.

    Examples
    --------
    >>> read_trec_qrels(Source("qrels.txt", b"q\t0\td  2\r\n")).row(0)
    ('q', 'd', 2.0)
    """
    table = read_table(source, QRELS)
    warn_of_comments(source)
    return check_qrels(table.frame, source.name, table.where)


def warn_of_comments(source: Source) -> None:
    """Count the comment lines of a text, for none is left out in silence."""
    n_comments = len(comment_lines(source.raw))
    if n_comments:
        warn(f"{source.name}: comment lines (beginning with #), left out: {n_comments}")


def write_trec_run(
    run: pl.DataFrame, path: str | os.PathLike[str], *, tag: str = "tiewise"
) -> None:
    """Write a run as TREC text, scores with 17 significant digits, so that no tie is made.

    Parameters
    ----------
    run : polars.DataFrame
        ``query_id, doc_id, score``; written in the order of its rows, except that each query's
        documents stand by descending score. The rank column counts in that order.
    path : path
        The file, replaced if it exists.
    tag : str
        Name of the system, without blanks.

    Raises
    ------
    InputError
        An id or the tag has a blank, which the format cannot say, or a query id begins with ``#``,
        which readers take for a comment.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "run.txt"
    >>> run = pl.DataFrame({"query_id": ["q"] * 2, "doc_id": ["a", "b"], "score": [0.1, 0.3]})
    >>> write_trec_run(run, path, tag="me")
    >>> print(path.read_text())
    q Q0 b 1 0.29999999999999999 me
    q Q0 a 2 0.10000000000000001 me
    <BLANKLINE>
    """
    problems = Problems(filter(None, map(_unwritable, (run["query_id"], run["doc_id"]))))
    if not tag or tag.split() != [tag]:
        problems.append(f"the tag {tag!r} must be one word")
    hashed = run["query_id"].str.starts_with("#")
    if hashed.any():
        problems.append(f"query ids that begin with #: {some(run['query_id'].filter(hashed))}")
    problems.stop()
    ordered = (
        run.with_row_index("row")
        .with_columns(pl.col("row").min().over("query_id"))
        .sort("row", "score", descending=[False, True], maintain_order=True)
        .with_columns(rank=pl.int_range(1, pl.len() + 1).over("row"))
    )
    with Path(path).open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(
            f"{query} Q0 {document} {rank} {score:.17g} {tag}\n"
            for query, document, rank, score in ordered.select(
                "query_id", "doc_id", "rank", "score"
            ).iter_rows()
        )


def _unwritable(ids: pl.Series) -> str | None:
    wrong = ids.filter(ids.str.contains(r"\s") | (ids == "")).unique(maintain_order=True)
    return f"{ids.name} with a blank: {some(wrong)}" if len(wrong) else None
