"""What HPS costs: time and memory of the upcast, beside the forward passes that it follows."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tiewise.store.artifacts import Kind, read_artifact, read_provenance, write_artifact
from tiewise.study.provenance import derived

if TYPE_CHECKING:
    import torch

    from tiewise.study.config import Study

REPEATS = 7
"""Measurements, of which the shortest counts: others share the machine."""
SQUARE = 1024
"""Candidates and dimensions of the upcast that every study measures, for comparison."""


KIND = Kind(
    "cost",
    {
        "dtype": pl.String,
        "device": pl.String,
        "arithmetic": pl.String,
        "n_values": pl.Int64,
        "forward_seconds": pl.Float64,
        "upcast_seconds": pl.Float64,
        "share": pl.Float64,
        "extra_bytes_per_query": pl.Float64,
        "square_seconds": pl.Float64,
        "square_extra_bytes": pl.Int64,
    },
)


def time_upcast(
    study: Study, *, dataset: str, model: str, candidates: Path, logits: list[Path], cost: Path
) -> None:
    """Time the upcast of a model's logits in every low model dtype, on the study's device."""
    chosen = read_artifact(candidates, ["query_id"])
    rows = [
        _measured(study, path, dtype, chosen)
        for dtype, path in zip(study.dtypes, logits, strict=True)
        if dtype != "fp32"
    ]
    write_artifact(KIND.frame(rows), cost, provenance=derived(study, logits), kind=KIND)


def _measured(study: Study, path: Path, dtype: str, candidates: pl.DataFrame) -> dict[str, Any]:
    import torch

    from tiewise.models.loading import resolve_device
    from tiewise.precision.simulate import FORMATS

    device = resolve_device(study.config.device)
    kept = FORMATS[dtype].grid  # type: ignore[index]
    logits, forward = read_artifact(path), read_provenance(path)["cost"]["seconds"]
    values = torch.from_numpy(logits[logits.columns[-1]].to_numpy().copy()).to(device, kept)
    square = torch.zeros(SQUARE, SQUARE, dtype=kept, device=device)
    upcast = _seconds(lambda: values.to(torch.float32), device)
    n_candidates = candidates.height / candidates["query_id"].n_unique()
    wider = torch.float32.itemsize - kept.itemsize
    return {
        "dtype": dtype,
        "device": device.type,
        "arithmetic": read_provenance(path)["arithmetic"],
        "n_values": values.numel(),
        "forward_seconds": forward,
        "upcast_seconds": upcast,
        "share": upcast / (forward + upcast),
        "extra_bytes_per_query": n_candidates * values.shape[1] * wider,
        "square_seconds": _seconds(lambda: square.to(torch.float32), device),
        "square_extra_bytes": square.numel() * wider,
    }


def _seconds(action: Callable[[], object], device: torch.device) -> float:
    """Take the shortest of several times, of which the first only warms up."""
    times = []
    for _ in range(REPEATS + 1):
        _wait(device)
        started = time.perf_counter()
        action()
        _wait(device)
        times.append(time.perf_counter() - started)
    return min(times[1:])


def _wait(device: torch.device) -> None:
    """Let a device finish what it was given, which it does by itself."""
    import torch

    if device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device.type == "mps":
        torch.mps.synchronize()
