"""Logits: what a model hands to its scoring function, for all candidates of a data set."""

from __future__ import annotations

import importlib.metadata
import json
import logging
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import torch
from tqdm import tqdm

from tiewise.errors import InputError, some
from tiewise.models.batches import BatchRule, default_rule
from tiewise.models.engine import Engine, Forward
from tiewise.models.inputs import Served, n_empty_documents, prepare_inputs
from tiewise.models.loading import load_adapter, resolve_device
from tiewise.models.shards import SHARD_SIZE, ShardStore, forward_shards, joined
from tiewise.models.spec import ModelSpec
from tiewise.precision.arithmetic import resolve_arithmetic
from tiewise.precision.regimes import Dtype

log = logging.getLogger(__name__)

LIBRARIES = ("torch", "transformers", "tokenizers")


def compute_logits(
    spec: ModelSpec,
    dtype: Dtype,
    *,
    queries: pl.DataFrame,
    corpus: pl.DataFrame,
    candidates: pl.DataFrame,
    dataset: str | None = None,
    arithmetic: str = "auto",
    device: str = "auto",
    batch_rule: BatchRule | None = None,
    shards: str | os.PathLike[str] | None = None,
    shard_size: int = SHARD_SIZE,
    part: tuple[int, int] = (0, 1),
    progress: bool | None = None,
) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Run a model once over a data set's candidates: it serves every regime of the model dtype.

    Parameters
    ----------
    spec : ModelSpec
        The model.
    dtype : str
        Model dtype.
    queries : polars.DataFrame
        Columns `query_id`, `text`.
    corpus : polars.DataFrame
        Columns `doc_id`, `text`; title and text already joined.
    candidates : polars.DataFrame
        Columns `query_id`, `doc_id`; other columns are ignored.
    dataset : str, optional
        Name of the data set, for which the model may have its own instruction.
    arithmetic : {"auto", "native", "simulated"}
        How a low model dtype is computed.
    device : str
        ``auto``, ``cpu``, ``cuda``, ``cuda:N`` or ``mps``.
    batch_rule : BatchRule, optional
        How inputs are put into batches; by default a token budget for the device.
    shards : path, optional
        Folder for finished shards. A call that was killed goes on after its last whole shard
        when it is repeated with the same folder; the caller removes the folder in the end.
    shard_size : int
        Inputs of a shard, roughly: a query is never divided.
    part : pair of int
        ``(i, n)`` does every n-th shard from the i-th on, and returns the rows they serve. The
        tables of all n parts together are the whole, so n devices can share a data set.
    progress : bool, optional
        Whether to show a bar on standard error; by default on a terminal only.

    Returns
    -------
    logits : polars.DataFrame
        For a bi-encoder a row a text, of the queries and then the documents among the candidates:
        `side` ("query" or "document"), `id`, `embedding`. For a reranker a row a candidate, in the
        candidates' order: `query_id`, `doc_id`, `logits`. The last column is an array of Float32
        of fixed length, which holds low-precision values exactly.
    facts : dict
        JSON-ready provenance. All of it repeats with the run, but for `cost` (seconds, speed).

    Raises
    ------
    InputError
        Ids that are not in the tables or twice in them, or a model that cannot be loaded.

    Notes
    -----
    Equal inputs are run once, so that identical documents tie, as they must; a fixed batch rule
    runs every row. Memory beside the result is that of a shard's texts and of one batch.
    """
    place = resolve_device(device)
    rule = batch_rule or default_rule(place)
    inputs = prepare_inputs(
        spec, queries, corpus, candidates, dataset=dataset, distinct=rule.rule == "tokens"
    )
    resolved = resolve_arithmetic(arithmetic, dtype, place)
    facts = _provenance(spec, dtype, dataset, resolved, place, rule)
    chosen = list(enumerate(inputs.shards(shard_size)))[part[0] :: part[1]]
    if not chosen:
        raise InputError(f"part {part[0] + 1} of {part[1]} has no shard; take fewer parts")
    store = ShardStore(Path(shards), _fingerprint(spec, facts)) if shards is not None else None
    engine = Engine(load_adapter(spec, dtype, place), dtype, resolved, rule)

    served = inputs.serve([places for _, places in chosen])
    size = sum(len(places) for _, places in chosen)
    started = time.perf_counter()
    with _progress(size, f"{spec.name} {dtype}", progress) as done:
        forward = joined(forward_shards(engine, inputs, chosen, store=store, done=done))
    seconds = time.perf_counter() - started

    frame = served.rows.with_columns(_values(forward, served, spec))
    nonfinite = _nonfinite(forward, served)
    facts |= {
        "shard_size": shard_size,
        "part": f"{part[0] + 1}/{part[1]}",
        "n_rows": frame.height,
        "n_distinct_inputs": size,
        "n_empty_documents": n_empty_documents(corpus, candidates),
        "n_truncated": int(forward.truncated[served.place].sum()),
        "n_nonfinite": sum(nonfinite.values()),
        "nonfinite": nonfinite,
        "cost": {
            "seconds": seconds,
            "inputs_per_second": size / seconds,
            "tokens_per_second": forward.n_tokens / seconds,
            "threads": torch.get_num_threads(),
        },
    }
    _report(spec, dtype, facts)
    return frame, facts


def _provenance(
    spec: ModelSpec,
    dtype: Dtype,
    dataset: str | None,
    arithmetic: str,
    device: torch.device,
    rule: BatchRule,
) -> dict[str, Any]:
    name = f" ({torch.cuda.get_device_name(device)})" if device.type == "cuda" else ""
    return {
        "model_source": spec.source.pinned,
        "kind": spec.kind,
        "instruction": spec.instruction_for(dataset) or None,
        "dtype": dtype,
        "arithmetic": arithmetic,
        "device": device.type + name,
        "batch_rule": str(rule),
        "attention": "sdpa",
        "model_libraries": {name: importlib.metadata.version(name) for name in LIBRARIES},
    }


def _fingerprint(spec: ModelSpec, facts: dict[str, Any]) -> str:
    """All that outputs depend on beside the inputs."""
    return json.dumps([spec.model_dump(mode="json"), facts], sort_keys=True)


def _values(forward: Forward, served: Served, spec: ModelSpec) -> pl.Series:
    dtype = pl.Array(pl.Float32, forward.outputs.shape[1])
    name = "logits" if spec.is_reranker else "embedding"
    return pl.Series(name, forward.outputs[served.place], dtype=dtype)


def _nonfinite(forward: Forward, served: Served) -> dict[str, int]:
    """Count rows with NaN or infinite values, by query or, of a bi-encoder, by text."""
    bad = np.asarray(~np.isfinite(forward.outputs).all(axis=1))[served.place]
    rows = served.rows.filter(bad)
    names = rows["query_id"] if "query_id" in rows.columns else rows["side"] + " " + rows["id"]
    return dict(sorted(names.value_counts().rows()))


@contextmanager
def _progress(total: int, what: str, asked: bool | None) -> Iterator[Callable[[int], object]]:
    shown = sys.stderr.isatty() if asked is None else asked
    with tqdm(total=total, desc=what, unit="input", disable=not shown) as bar:
        yield bar.update


def _report(spec: ModelSpec, dtype: str, facts: dict[str, Any]) -> None:
    cost = facts["cost"]
    log.info(
        "%s in %s (%s): %d inputs in %.1f s, %.0f a second",
        *(spec.name, dtype, facts["arithmetic"]),
        *(facts["n_distinct_inputs"], cost["seconds"], cost["inputs_per_second"]),
    )
    if facts["n_truncated"]:
        log.info("%d rows were cut to %d tokens", facts["n_truncated"], spec.max_length)
    if facts["n_empty_documents"]:
        log.info("%d documents are empty", facts["n_empty_documents"])
    if facts["n_nonfinite"]:
        names = some([f"{name}: {n}" for name, n in facts["nonfinite"].items()])
        log.warning("%d rows have NaN or infinite values: %s", facts["n_nonfinite"], names)
