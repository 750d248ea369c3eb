"""Check a model's known values, so that wrong weights or prompts score nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tiewise.store.artifacts import write_artifact
from tiewise.study.provenance import provenance
from tiewise.study.reading import trained_at

if TYPE_CHECKING:
    from tiewise.study.config import Study


def check_model(study: Study, *, model: str, weights: list[Path], self_test: Path) -> None:
    """Check the known values of a model; one that is off stops everything that needs the model."""
    from tiewise.models.self_test import check_model

    config, spec = study.config, trained_at(study.models[model], weights)
    found = check_model(spec, device=config.device, arithmetic=config.arithmetic)
    write_artifact(found, self_test, provenance=provenance(study, model=model))
