"""Bring a data set into the normal form."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from tiewise.data.build import build_dataset
from tiewise.store.artifacts import write_artifact
from tiewise.study.layout import RESULTS, Layout
from tiewise.study.provenance import provenance
from tiewise.study.reading import DATA_TABLES

if TYPE_CHECKING:
    from tiewise.study.config import Study

log = logging.getLogger(__name__)


def dataset(study: Study, name: str, layout: Layout = RESULTS) -> None:
    """Bring a data set into the normal form: corpus, queries, qrels."""
    built = build_dataset(study.datasets[name])
    note = provenance(study, dataset=name, facts=built.facts)
    for table in DATA_TABLES:
        frame = getattr(built, table)
        log.info("%s: %d rows in %s", name, frame.height, table)
        write_artifact(frame, layout.data(name, table), provenance=note, kind=table)
