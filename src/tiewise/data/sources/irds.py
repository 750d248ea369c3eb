"""A data set by the id that the package `ir_datasets` gives it (an optional extra)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import polars as pl
from pydantic import Field

from tiewise.data.normal import KINDS, Dataset
from tiewise.data.sources.base import Source
from tiewise.errors import InputError

SLICE = 50_000
"""Documents that are held as Python objects at a time."""


class IrDatasetsSource(Source):
    """A data set of ir_datasets, which downloads and checks it itself.

    Its own environment variables hold: ``IR_DATASETS_HOME``, ``IR_DATASETS_TMP``.
    """

    kind: Literal["ir_datasets"] = Field(description="Which source this is.")
    id: str = Field(min_length=1, description="Such as beir/scifact/test.")

    def read(self) -> Dataset:
        """Read documents, queries and judgements; errors as of `Source.read`."""
        dataset, version = self._load()
        queries = [(q.query_id, q.default_text()) for q in dataset.queries_iter()]
        qrels = [(q.query_id, q.doc_id, float(q.relevance)) for q in dataset.qrels_iter()]
        facts = {"source": {**self.model_dump(), "package": "ir-datasets", "version": version}}
        return Dataset(
            corpus=pl.concat(_documents(dataset)),
            queries=KINDS["queries"].frame(queries, orient="row"),
            qrels=KINDS["qrels"].frame(qrels, orient="row"),
            facts=facts,
        )

    def fetch(self) -> None:
        """Have ir_datasets download what it has not yet."""
        self.read()

    def _load(self) -> tuple[Any, str]:
        try:
            import ir_datasets
        except ImportError:
            said = "needs the package ir_datasets; run: pip install ir-datasets"
            raise InputError(f"{self.id}: {said}") from None
        try:
            dataset = ir_datasets.load(self.id)
        except KeyError:
            raise InputError(f"{self.id}: ir_datasets knows no data set of this id") from None
        missing = [
            table
            for table in ("docs", "queries", "qrels")
            if not getattr(dataset, f"has_{table}")()
        ]
        if missing:
            raise InputError(f"{self.id}: this data set of ir_datasets has no {', '.join(missing)}")
        return dataset, ir_datasets.__version__


def _documents(dataset: Any) -> Iterator[pl.DataFrame]:
    rows: list[tuple[str, str, str]] = []
    for document in dataset.docs_iter():
        title = getattr(document, "title", "")
        # Where there is no field `text`, the package says what a document's text is.
        text = getattr(document, "text", None)
        rows.append((document.doc_id, title, document.default_text() if text is None else text))
        if len(rows) == SLICE:
            yield _frame(rows)
            rows = []
    yield _frame(rows)


def _frame(rows: list[tuple[str, str, str]]) -> pl.DataFrame:
    return KINDS["corpus"].frame(rows, orient="row")
