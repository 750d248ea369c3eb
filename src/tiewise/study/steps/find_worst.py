"""The queries whose value depends most on the order of ties, with the texts of the tied."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import polars as pl

from tiewise.audit.worst import MovedQuery, worst_queries
from tiewise.store.artifacts import SCHEMAS, read_artifact, read_provenance, write_artifact
from tiewise.study.layout import RESULTS, Layout
from tiewise.study.reading import read_qrels, read_run, read_texts

if TYPE_CHECKING:
    from tiewise.study.config import Study

AT_LEAST, IN_ALL = 3, 10
"""Queries of a data set, and of a study with few data sets."""


def worst(study: Study, layout: Layout = RESULTS) -> None:
    """Find the queries of each data set with the largest range of the first table measure."""
    n = max(AT_LEAST, IN_ALL // len(study.datasets))
    rows = [row for name in study.datasets for row in _of_dataset(study, name, n, layout)]
    write_artifact(
        pl.DataFrame(rows, schema=dict(SCHEMAS["worst"])),
        layout.worst(),
        provenance=read_provenance(layout.summary()),
        kind="worst",
    )


def _of_dataset(study: Study, name: str, n: int, layout: Layout) -> Iterator[dict[str, Any]]:
    chosen = _widest(study, name, n, layout)
    if chosen.is_empty():
        return
    measure = study.config.table_measures[0]
    qrels, texts = read_qrels(study, name, layout), read_texts(study, name, layout)
    queries = dict(read_artifact(layout.data(name, "queries")).select("query_id", "text").rows())
    for number, (model, regime, query_id) in enumerate(
        chosen.select("model", "regime", "query_id").iter_rows()
    ):
        asked = pl.col("query_id") == query_id
        [moved] = worst_queries(
            _first_policy(study, name, model, regime, layout).filter(asked),
            qrels.filter(asked),
            read_run(study, layout.scores(name, model, regime)).filter(asked),
            measure,
            score_type=study.config.score_type,
        )
        head = {"dataset": name, "model": model, "regime": regime, "measure": measure}
        head |= {"number": number, "query": queries[query_id]}
        exact = _fp32_scores(study, name, model, query_id, layout)
        yield from (
            head | row | {"fp32_score": exact.get(row["doc_id"])} for row in _rows(moved, texts)
        )


def _widest(study: Study, name: str, n: int, layout: Layout) -> pl.DataFrame:
    """Choose the cell in which a query's range is largest, then the n queries that move most."""
    measure = study.config.table_measures[0]
    cells = [
        _first_policy(study, name, model, regime, layout)
        .filter(pl.col("measure") == measure, pl.col("range") > 0)
        .select("query_id", "range", model=pl.lit(model), regime=pl.lit(regime))
        for model in study.models
        for regime in study.regimes
    ]
    ordered = pl.concat(cells).sort("range", descending=True, maintain_order=True)
    return ordered.unique("query_id", keep="first", maintain_order=True).head(n)


def _first_policy(study: Study, name: str, model: str, regime: str, layout: Layout) -> pl.DataFrame:
    columns = ["measure", "policy", "query_id", "expected", "min", "max", "range", "oblivious"]
    table = read_artifact(layout.metrics(name, model, regime), columns)
    return table.filter(pl.col("policy") == study.config.policies[0])


def _fp32_scores(
    study: Study, name: str, model: str, query_id: str, layout: Layout
) -> dict[str, float]:
    """Read a query's scores in FP32, which tell spurious ties apart; none without FP32."""
    if "fp32" not in study.regimes:
        return {}
    scores = read_run(study, layout.scores(name, model, "fp32")).filter(
        pl.col("query_id") == query_id
    )
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
