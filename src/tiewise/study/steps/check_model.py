"""Check a model's known values, so that wrong weights or prompts score nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiewise.store.artifacts import write_artifact
from tiewise.study.layout import RESULTS, Layout
from tiewise.study.provenance import provenance

if TYPE_CHECKING:
    from tiewise.study.config import Study


def self_test(study: Study, model: str, layout: Layout = RESULTS) -> None:
    """Check the known values of a model; one that is off stops everything that needs the model."""
    from tiewise.models.self_test import check_model

    config = study.config
    found = check_model(
        layout.located(study.models[model]), device=config.device, arithmetic=config.arithmetic
    )
    write_artifact(found, layout.self_test(model), provenance=provenance(study, model=model))
