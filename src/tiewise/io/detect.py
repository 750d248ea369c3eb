"""Tell the format of an input by its content."""

from __future__ import annotations

import re
from typing import Literal

from tiewise.io import beir_tsv, parquet
from tiewise.io.source import Source

_JSON = re.compile(rb'\s*(\{\s*["}]|\[\s*["\[{])')
Format = Literal["parquet", "json", "beir-tsv", "trec"]


def detect(source: Source) -> Format:
    r"""Tell the format of an input by its first bytes; its name does not matter.

    Returns
    -------
    {'parquet', 'json', 'beir-tsv', 'trec'}
        Text that is none of the others is taken for TREC, whose reader names what is wrong.

    Examples
    --------
    >>> detect(Source("x", b' {"q1": {}}')), detect(Source("x", b"query-id\tcorpus-id\tscore\n"))
    ('json', 'beir-tsv')
    """
    # A query id may begin with a bracket, so a bracket alone makes no JSON.
    raw = source.raw
    if raw.startswith(parquet.MAGIC):
        return "parquet"
    if _JSON.match(raw):
        return "json"
    return "beir-tsv" if beir_tsv.has_header(raw[:4096]) else "trec"
