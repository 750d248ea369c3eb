"""What a model or BM25 reads of a document: its title and text, joined."""

from __future__ import annotations

from typing import Literal

import polars as pl

TextJoin = Literal["strip", "plain", "newline"]


def document_texts(corpus: pl.DataFrame, join: TextJoin = "strip") -> pl.Series:
    """Join title and text into what a model reads.

    Parameters
    ----------
    corpus : polars.DataFrame
        Columns title, text.
    join : {"strip", "plain", "newline"}
        ``strip``: title, blank, text without blanks around, or the text alone where there is no
        title (MTEB 2). ``plain``: title, blank, text as they are (MTEB 1). ``newline``: title, line
        break, text as they are (MTEB's BM25).

    Returns
    -------
    polars.Series
        String, one a document, in the corpus's order.

    Examples
    --------
    >>> corpus = pl.DataFrame({"title": ["", "Lung"], "text": ["Cough ", "Air"]})
    >>> document_texts(corpus).to_list()
    ['Cough', 'Lung Air']
    """
    between = "\n" if join == "newline" else " "
    joined = pl.concat_str("title", "text", separator=between)
    if join == "strip":
        whole = pl.when(pl.col("title") == "").then("text").otherwise(joined)
        joined = whole.str.strip_chars()
    return corpus.select(joined.alias("text")).to_series()
