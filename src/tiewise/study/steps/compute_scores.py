"""Scores of every precision regime: cheap functions of the logits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiewise.store.artifacts import read_artifact, read_provenance, write_artifact
from tiewise.study.layout import RESULTS, Layout

if TYPE_CHECKING:
    from tiewise.study.config import Study


def scores(study: Study, model: str, layout: Layout = RESULTS) -> None:
    """Apply a model's scoring function in the score dtype of each regime."""
    from tiewise.models.scores import score_candidates

    for name in study.datasets:
        chosen = read_artifact(layout.data(name, "candidates"))
        for dtype in study.dtypes:
            path = layout.logits(name, model, dtype)
            output, note = read_artifact(path), read_provenance(path)
            for regime in study.regimes_of(dtype):
                frame = score_candidates(
                    study.models[model],
                    output,
                    chosen,
                    regime,
                    on_nonfinite=study.config.on_nonfinite,
                )
                write_artifact(
                    frame,
                    layout.scores(name, model, regime.name),
                    provenance=note | {"regime": regime.name, "score_dtype": regime.score_dtype},
                    kind="scores",
                )
