"""What each toolkit would print, and how far that is from the expected value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tiewise.audit import audit
from tiewise.store.artifacts import read_artifact, write_artifact
from tiewise.study.layout import RESULTS, Layout
from tiewise.study.provenance import derived
from tiewise.study.reading import as_run, label, options, read_qrels

if TYPE_CHECKING:
    from tiewise.study.config import Study


def toolkits(study: Study, model: str, layout: Layout = RESULTS) -> None:
    """Compute what each toolkit would print for a model's scores in every regime."""
    for name in study.datasets:
        qrels, frames = read_qrels(study, name, layout), []
        paths = {regime: layout.scores(name, model, regime) for regime in study.regimes}
        for regime, path in paths.items():
            found = audit(
                qrels, as_run(read_artifact(path)), study.config.table_measures, **options(study)
            )
            values = found.toolkits.join(
                found.table.select("measure", "expected"), on="measure", maintain_order="left"
            )
            frames.append(
                label(values.with_columns(bias=pl.col("value") - pl.col("expected")), regime=regime)
            )
        write_artifact(
            pl.concat(frames),
            layout.toolkits(name, model),
            provenance=derived(study, paths.values()),
            kind="toolkits",
        )
