"""What a study asked, and where its numbers come from, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from tiewise.store.artifacts import read_artifact, read_provenance
from tiewise.study.layout import Layout

if TYPE_CHECKING:
    from tiewise.study.config import Study


def asked(study: Study) -> dict[str, str]:
    """Say what was asked of a study."""
    config = study.config
    return {
        "models": "; ".join(
            f"{spec.label or name} ({spec.kind}, {spec.scoring})"
            for name, spec in study.models.items()
        ),
        "data sets": "; ".join(spec.title for spec in study.datasets.values()),
        "precision regimes": ", ".join(study.regimes),
        "measures": ", ".join(config.measures),
        "shown in tables": ", ".join(config.table_measures),
        "tie policies": f"{', '.join(config.policies)}; tables and plots show {config.policies[0]}",
        "equal scores": f"compared as {config.score_type}",
        "queries without relevant documents": _FATES[config.empty],
        "judged queries without candidates": _FATES[config.missing],
    }


_FATES = {"zero": "score 0", "skip": "are left out"}


def datasets(study: Study, layout: Layout) -> list[dict[str, Any]]:
    """Describe the data sets: title, description, terms, and counts of what is in them."""
    return [
        {
            "name": name,
            "title": spec.title,
            "description": spec.description,
            "terms": f"{spec.citation} {spec.licence}",
            "counts": _counts(
                read_provenance(layout.data(name, "qrels")).get("facts", {}),
                read_provenance(layout.data(name, "candidates")).get("facts", {}),
                read_artifact(layout.first_stage(name)),
            ),
        }
        for name, spec in study.datasets.items()
    ]


def _counts(
    data: Mapping[str, Any], candidates: Mapping[str, Any], first_stage: pl.DataFrame
) -> str:
    """Name every count that the data steps noted, the zeros too: nothing is left out in silence."""
    parts = [f"{n:,} {_spoken(what)}" for what, n in data.get("counts", {}).items() if _whole(n)]
    parts += [f"{n:,} {_spoken(what)} left out" for what, n in data.get("left_out", {}).items()]
    how = ", ".join(
        f"{key} {candidates[key]}"
        for key in ("kind", "k", "method", "k1", "b")
        if key in candidates
    )
    if how:
        parts.append(f"candidates: {how}")
    if candidates.get("recall") is not None:
        parts.append(f"which hold {100 * candidates['recall']:.1f} % of the relevant documents")
    parts += [
        f"BM25's own order has an expected {one['measure']} of {100 * one['expected']:.2f} % "
        f"({100 * one['min']:.2f} to {100 * one['max']:.2f} by the order of its ties)"
        for one in first_stage.iter_rows(named=True)
    ]
    return "; ".join(parts)


def _whole(value: object) -> bool:
    return isinstance(value, int)


def _spoken(name: str) -> str:
    return name.replace("_", " ")


def provenance(study: Study, note: Mapping[str, Any]) -> dict[str, str]:
    """Say what made the study's numbers.

    Parameters
    ----------
    study : Study
        The study.
    note : mapping
        Provenance of its summary, whose ``cells`` are those of all cells.
    """
    cells = list(note.get("cells", {}).values())
    truncated, nonfinite = (_total(cells, key) for key in ("n_truncated", "n_nonfinite"))
    libraries = ", ".join(f"{name} {v}" for name, v in note["libraries"].items() if v)
    return {
        "study": f"{note['study']}, config {note['config_hash']}",
        "tiewise": f"{note['tiewise']}, commit {note['git_commit'] or 'unknown'}",
        "libraries": f"Python {note['python']}, {libraries}",
        "devices": _each(cells, "device"),
        "arithmetic of low precisions": " and ".join(
            sorted({c["arithmetic"] for c in cells if c.get("dtype") != "fp32"}) or ["none"]
        ),
        "batches": _each(cells, "batch_rule"),
        "models": _each(cells, "model_source"),
        "cut texts": f"{truncated:,} inputs were longer than a model takes (all cells together)",
        "not finite": f"{nonfinite:,} outputs were NaN or infinite (all cells together)",
    }


def _each(cells: Iterable[Mapping[str, Any]], key: str) -> str:
    return ", ".join(sorted({str(cell[key]) for cell in cells if cell.get(key)})) or "unknown"


def _total(cells: Iterable[Mapping[str, Any]], key: str) -> int:
    return sum(int(cell.get(key) or 0) for cell in cells)
