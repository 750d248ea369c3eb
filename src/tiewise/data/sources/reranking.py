"""Reranking data of MTEB 1 on the hub: a query with its positive and its negative texts a line."""

from __future__ import annotations

import gzip
import json
from typing import Any, Literal

import polars as pl
from pydantic import Field

from tiewise.data.normal import Dataset, tables
from tiewise.data.sources.base import Source
from tiewise.errors import InputError, Problems
from tiewise.store.hub import download, verified


class RerankingSource(Source):
    """A file of JSON lines with the keys query, positive and negative.

    Ids are made as MTEB 2 makes them: ``test_query0``, ``apositive_test_query0_00000``,
    ``negative_test_query0_00000``. Every query owns its documents; candidates are its positive
    ones, then its negative ones.
    """

    kind: Literal["reranking"] = Field(description="Which source this is.")
    repo: str = Field(pattern=r"^[\w.-]+/[\w.-]+$", description="Repository, owner/name.")
    revision: str = Field(pattern=r"^[0-9a-f]{40}$", description="Commit, 40 hex digits.")
    file: str = Field(description="Path of the file in the repository, gzip or not.")
    split: str = Field(default="test", description="Begins every id.")

    def read(self) -> Dataset:
        """Download the file if it is not in the cache yet, and read it."""
        rows, digests = self._rows()
        listed = [(f"{self.split}_query{i}", row) for i, row in enumerate(rows)]
        corpus, queries, qrels = tables(
            corpus=((i, "", text) for qid, row in listed for i, text, _ in _documents(qid, row)),
            queries=((qid, row["query"]) for qid, row in listed),
            qrels=((qid, i, grade) for qid, row in listed for i, _, grade in _documents(qid, row)),
        )
        return Dataset(corpus, queries, qrels, {"source": {**self.model_dump(), "sha256": digests}})

    def read_candidates(self) -> pl.DataFrame:
        """List the documents of each query in the order of the file."""
        qrels = self.read().qrels
        return qrels.group_by("query_id", maintain_order=True).agg(doc_ids=pl.col("doc_id"))

    def fetch(self) -> None:
        """Download the file."""
        download(self.repo, self.revision, [self.file], "dataset")

    def _rows(self) -> tuple[list[dict[str, Any]], dict[str, str]]:
        folder = download(self.repo, self.revision, [self.file], "dataset")
        file = folder / self.file
        if not file.is_file():
            raise InputError(f"{self.repo}: no file {self.file}")
        digests = verified(folder, [file])
        raw = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        rows, problems = [], Problems()
        for number, line in enumerate(raw.splitlines(), start=1):
            row = json.loads(line)
            missing = [key for key in ("query", "positive", "negative") if key not in row]
            if missing:
                problems.append(
                    f"{self.file}:{number}: no {', '.join(missing)}; found: {', '.join(row)}"
                )
            rows.append(row)
        problems.stop()
        return rows, digests


def _documents(query: str, row: dict[str, Any]) -> list[tuple[str, str, float]]:
    lists = [("apositive", row["positive"], 1.0), ("negative", row["negative"], 0.0)]
    return [
        (f"{name}_{query}_{i:05d}", text, grade)
        for name, texts, grade in lists
        for i, text in enumerate(texts)
    ]
