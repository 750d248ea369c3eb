"""Choose the documents that models rank for each query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiewise.data.candidates import build_candidates
from tiewise.store.artifacts import write_artifact
from tiewise.study.layout import RESULTS, Layout
from tiewise.study.provenance import provenance
from tiewise.study.reading import read_dataset

if TYPE_CHECKING:
    from tiewise.study.config import Study


def candidates(study: Study, name: str, layout: Layout = RESULTS) -> None:
    """Choose the documents that models rank for each query of a data set."""
    chosen, facts = build_candidates(study.datasets[name], read_dataset(name, layout))
    note = provenance(study, dataset=name, facts=facts)
    write_artifact(chosen, layout.data(name, "candidates"), provenance=note, kind="candidates")
