"""How good the candidates' own order is: what a model that ranks them has to beat."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import polars as pl

from tiewise.judging.evaluate import evaluate
from tiewise.store.artifacts import SCHEMAS, read_artifact, read_provenance, write_artifact
from tiewise.study.layout import RESULTS, Layout
from tiewise.study.reading import options, read_qrels

if TYPE_CHECKING:
    from tiewise.study.config import Study

log = logging.getLogger(__name__)
KIND = "first_stage"


def first_stage(study: Study, name: str, layout: Layout = RESULTS) -> None:
    """Judge BM25's scores of a data set's candidates; given candidates have none, and no rows."""
    path = layout.data(name, "candidates")
    candidates = read_artifact(path)
    found = pl.DataFrame(schema=dict(SCHEMAS[KIND]))
    if "bm25_score" in candidates.columns:
        run = candidates.select("query_id", "doc_id", score="bm25_score")
        qrels = read_qrels(study, name, layout)
        found = evaluate(qrels, run, study.config.table_measures, **options(study))
    for row in found.iter_rows(named=True):
        log.info("%s: BM25's own order: %s", name, row)
    write_artifact(found, layout.first_stage(name), provenance=read_provenance(path), kind=KIND)
