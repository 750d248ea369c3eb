"""Bring a data set into the normal form."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from tiewise.data import build
from tiewise.data.normal import KINDS
from tiewise.store.artifacts import write_artifact
from tiewise.study.provenance import provenance

if TYPE_CHECKING:
    from tiewise.study.config import Study

log = logging.getLogger(__name__)


def build_dataset(study: Study, *, dataset: str, corpus: Path, queries: Path, qrels: Path) -> None:
    """Bring a data set into the normal form: corpus, queries, qrels."""
    built = build.build_dataset(study.datasets[dataset])
    note = provenance(study, dataset=dataset, facts=built.facts)
    for (table, kind), path in zip(KINDS.items(), (corpus, queries, qrels), strict=True):
        frame = getattr(built, table)
        log.info("%s: %d rows in %s", dataset, frame.height, table)
        write_artifact(frame, path, provenance=note, kind=kind)
