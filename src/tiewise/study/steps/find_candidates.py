"""Choose the documents that models rank for each query."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from tiewise.data.candidates import build_candidates
from tiewise.store.artifacts import Kind, write_artifact
from tiewise.study.provenance import provenance
from tiewise.study.reading import read_dataset

if TYPE_CHECKING:
    from tiewise.study.config import Study

KIND = Kind("candidates", {"query_id": pl.String, "doc_id": pl.String, "rank": pl.Int64})


def find_candidates(
    study: Study, *, dataset: str, corpus: Path, queries: Path, qrels: Path, candidates: Path
) -> None:
    """Choose the documents that models rank for each query of a data set."""
    data = read_dataset(corpus, queries, qrels)
    chosen, facts = build_candidates(study.datasets[dataset], data)
    note = provenance(study, dataset=dataset, facts=facts)
    write_artifact(chosen, candidates, provenance=note, kind=KIND)
