"""How good the candidates' own order is: what a model that ranks them has to beat."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from tiewise.judging.evaluate import evaluate
from tiewise.store.artifacts import Kind, read_artifact, read_provenance, write_artifact
from tiewise.study.columns import JUDGED
from tiewise.study.reading import options, read_qrels

if TYPE_CHECKING:
    from tiewise.study.config import Study

log = logging.getLogger(__name__)
KIND = Kind("first_stage", {**JUDGED, "n_queries": pl.Int64})


def judge_first_stage(
    study: Study, *, dataset: str, qrels: Path, candidates: Path, first_stage: Path
) -> None:
    """Judge BM25's scores of a data set's candidates; given candidates have none, and no rows."""
    ranked, found = read_artifact(candidates), KIND.frame()
    if "bm25_score" in ranked.columns:
        run = ranked.select("query_id", "doc_id", score="bm25_score")
        judgements = read_qrels(study, dataset, qrels, candidates)
        found = evaluate(judgements, run, study.config.table_measures, **options(study))
    for row in found.iter_rows(named=True):
        log.info("%s: BM25's own order: %s", dataset, row)
    write_artifact(found, first_stage, provenance=read_provenance(candidates), kind=KIND)
