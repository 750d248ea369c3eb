"""Real texts for tests of models: short ones, from a package that the default study needs."""

from __future__ import annotations

import importlib.util
import re
from functools import cache
from pathlib import Path

import polars as pl

_TABULAR = "data/icd10c-tabular-April-1-2026.xml"


@cache
def icd_descriptions() -> list[str]:
    """Distinct descriptions of diagnoses, in the order of the classification."""
    origin = importlib.util.find_spec("simple_icd_10_cm").origin
    xml = (Path(origin).parent / _TABULAR).read_text(encoding="utf-8")
    return list(dict.fromkeys(re.findall(r"<desc>([^<&]+)</desc>", xml)))


def small_task(n_queries: int, n_documents: int) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Queries, corpus and candidates: every query with every document."""
    texts = icd_descriptions()[::37]
    queries = _numbered("query_id", "q", texts[:n_queries])
    corpus = _numbered("doc_id", "d", texts[n_queries : n_queries + n_documents])
    return queries, corpus, queries.select("query_id").join(corpus.select("doc_id"), how="cross")


def _numbered(key: str, prefix: str, texts: list[str]) -> pl.DataFrame:
    return pl.DataFrame({key: [f"{prefix}{i}" for i in range(len(texts))], "text": texts})
