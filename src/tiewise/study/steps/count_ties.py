"""Tie statistics: how many scores are left, and which ties FP32 does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiewise.runs.ties import tie_statistics
from tiewise.store.artifacts import read_provenance, write_artifact
from tiewise.study.layout import RESULTS, Layout
from tiewise.study.reading import read_run

if TYPE_CHECKING:
    from tiewise.study.config import Study


def ties(study: Study, model: str, layout: Layout = RESULTS) -> None:
    """Count the ties of a model's scores in every regime, and those that FP32 does not have."""
    for name, regime in layout.cells(study):
        path = layout.scores(name, model, regime)
        reference = layout.scores(name, model, "fp32") if "fp32" in study.regimes else None
        frame = tie_statistics(read_run(study, path), reference and read_run(study, reference))
        write_artifact(
            frame,
            layout.ties(name, model, regime),
            provenance=read_provenance(path),
            kind="ties",
        )
