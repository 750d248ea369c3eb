"""The queries whose value depends most on the order of ties, with the texts of the tied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tiewise.audit.worst import MovedQuery, worst_queries
from tiewise.store.artifacts import Kind, read_artifact, write_artifact
from tiewise.study.provenance import derived
from tiewise.study.reading import read_qrels, read_run, read_texts

if TYPE_CHECKING:
    from tiewise.study.config import Study

AT_LEAST, IN_ALL = 3, 10
"""Queries of a data set, and of a study with few data sets."""


KIND = Kind(
    "worst",
    {
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
)


def find_worst(
    study: Study,
    *,
    corpus: list[Path],
    queries: list[Path],
    qrels: list[Path],
    candidates: list[Path],
    metrics: list[Path],
    scores: list[Path],
    worst: Path,
) -> None:
    """Find the queries of each data set with the largest range of the first table measure."""
    n = max(AT_LEAST, IN_ALL // len(study.datasets))
    judged = dict(zip(study.cells, metrics, strict=True))
    scored = dict(zip(study.cells, scores, strict=True))
    tables = zip(study.datasets, corpus, queries, qrels, candidates, strict=True)
    rows = [
        row for name, *paths in tables for row in _Moved(study, name, paths, judged, scored).rows(n)
    ]
    note = derived(study, metrics)
    write_artifact(KIND.frame(rows), worst, provenance=note, kind=KIND)


class _Moved:
    """The queries of one data set, and how far ties move them in each cell."""

    def __init__(
        self,
        study: Study,
        name: str,
        tables: Sequence[Path],
        metrics: Mapping[tuple[str, str, str], Path],
        scores: Mapping[tuple[str, str, str], Path],
    ) -> None:
        self._study, self._name, self._metrics, self._scores = study, name, metrics, scores
        corpus, queries, *judgements = tables
        self._texts = read_texts(study, name, corpus)
        self._queries = dict(read_artifact(queries).select("query_id", "text").rows())
        self._qrels = read_qrels(study, name, *judgements)
        self._measure = study.config.table_measures[0]

    def rows(self, n: int) -> Iterator[dict[str, Any]]:
        """Give a row for each tied document of the n queries that move most."""
        chosen = self._widest(n).select("model", "regime", "query_id")
        for number, (model, regime, query_id) in enumerate(chosen.iter_rows()):
            asked = pl.col("query_id") == query_id
            [moved] = worst_queries(
                self._first_policy(model, regime).filter(asked),
                self._qrels.filter(asked),
                self._run(model, regime).filter(asked),
                self._measure,
                score_type=self._study.config.score_type,
            )
            head = {"dataset": self._name, "model": model, "regime": regime}
            head |= {"measure": self._measure, "number": number, "query": self._queries[query_id]}
            exact = self._fp32_scores(model, query_id)
            yield from (
                head | row | {"fp32_score": exact.get(row["doc_id"])}
                for row in _rows(moved, self._texts)
            )

    def _widest(self, n: int) -> pl.DataFrame:
        """Choose for each query the cell in which its range is largest, then the widest n."""
        cells = [
            self._first_policy(model, regime)
            .filter(pl.col("measure") == self._measure, pl.col("range") > 0)
            .select("query_id", "range", model=pl.lit(model), regime=pl.lit(regime))
            for model in self._study.models
            for regime in self._study.regimes
        ]
        ordered = pl.concat(cells).sort("range", descending=True, maintain_order=True)
        return ordered.unique("query_id", keep="first", maintain_order=True).head(n)

    def _first_policy(self, model: str, regime: str) -> pl.DataFrame:
        columns = ["measure", "policy", "query_id", "expected", "min", "max", "range", "oblivious"]
        table = read_artifact(self._metrics[self._name, model, regime], columns)
        return table.filter(pl.col("policy") == self._study.config.policies[0])

    def _run(self, model: str, regime: str) -> pl.DataFrame:
        return read_run(self._study, self._scores[self._name, model, regime])

    def _fp32_scores(self, model: str, query_id: str) -> dict[str, float]:
        """Read a query's scores in FP32, which tell spurious ties apart; none without FP32."""
        if "fp32" not in self._study.regimes:
            return {}
        scores = self._run(model, "fp32").filter(pl.col("query_id") == query_id)
        return dict(scores.select("doc_id", "score").iter_rows())


def _rows(moved: MovedQuery, texts: pl.DataFrame) -> Iterator[dict[str, Any]]:
    ids = [document for group in moved.groups for document, _ in group.documents]
    text = dict(texts.filter(pl.col("doc_id").is_in(ids)).rows())
    values = {key: getattr(moved, key) for key in ("expected", "min", "max", "oblivious")}
    for group in moved.groups:
        places = {"score": group.score, "first": group.first, "last": group.last}
        for document, grade in group.documents:
            yield {"query_id": moved.query_id, **values, **places} | {
                "n_relevant": group.n_relevant,
                "doc_id": document,
                "grade": grade,
                "text": text[document],
            }
