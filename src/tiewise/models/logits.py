"""Logits: what a model hands to its scoring function, for all candidates of a data set."""

from __future__ import annotations

import importlib.metadata
import logging
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from tiewise.errors import InputError, some
from tiewise.models.adapter import Input
from tiewise.models.batches import BatchRule, default_rule
from tiewise.models.bi_encoder import render_text
from tiewise.models.engine import Engine, Forward
from tiewise.models.loading import load_adapter
from tiewise.models.spec import ModelSpec
from tiewise.models.yes_no_lm import render_pair
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
    Equal inputs are run once, so that identical documents tie, as they must.
    """
    import torch

    _check_ids(queries, corpus, candidates)
    adapter = load_adapter(spec, dtype, device)
    resolved = resolve_arithmetic(arithmetic, dtype, adapter.device)
    rule = batch_rule or default_rule(adapter.device)
    engine = Engine(adapter, dtype, resolved, rule)

    prepare = _pairs if spec.is_reranker else _texts
    frame, inputs = prepare(spec, queries, corpus, candidates, dataset)
    distinct = list(dict.fromkeys(inputs))
    started = time.perf_counter()
    forward = _run(engine, distinct, f"{spec.name} {dtype}", progress)
    seconds = time.perf_counter() - started

    place = {one: i for i, one in enumerate(distinct)}
    rows = np.array([place[one] for one in inputs], dtype=np.int64)
    values = pl.Series(forward.outputs[rows], dtype=pl.Array(pl.Float32, forward.outputs.shape[1]))
    frame = frame.with_columns(values.alias("logits" if spec.is_reranker else "embedding"))
    facts = {
        "model_source": spec.source.pinned,
        "kind": spec.kind,
        "instruction": spec.instruction_for(dataset) or None,
        "dtype": dtype,
        "arithmetic": resolved,
        "device": _device_name(adapter.device),
        "batch_rule": str(rule),
        "attention": "sdpa",
        "model_libraries": {name: importlib.metadata.version(name) for name in LIBRARIES},
        "n_rows": frame.height,
        "n_distinct_inputs": len(distinct),
        "n_empty_documents": _n_empty(corpus, candidates),
        "n_truncated": int(forward.truncated[rows].sum()),
        "n_nonfinite": int((~np.isfinite(forward.outputs[rows])).any(axis=1).sum()),
        "cost": {
            "seconds": seconds,
            "inputs_per_second": len(distinct) / seconds,
            "tokens_per_second": forward.n_tokens / seconds,
            "threads": torch.get_num_threads(),
        },
    }
    _report(spec, dtype, facts)
    return frame, facts


def _texts(
    spec: ModelSpec,
    queries: pl.DataFrame,
    corpus: pl.DataFrame,
    candidates: pl.DataFrame,
    dataset: str | None,
) -> tuple[pl.DataFrame, list[Input]]:
    """Rows and inputs of a bi-encoder: the queries and documents that are among the candidates."""
    sides = []
    for side, key, table in (("query", "query_id", queries), ("document", "doc_id", corpus)):
        wanted = candidates.select(pl.col(key).unique(maintain_order=True))
        texts = wanted.join(table.select(key, "text"), on=key, how="left", maintain_order="left")
        sides.append(texts.select(side=pl.lit(side), id=pl.col(key), text=pl.col("text")))
    rows = pl.concat(sides)
    inputs = [render_text(spec, side, text, dataset) for side, _, text in rows.iter_rows()]
    return rows.select("side", "id"), inputs


def _pairs(
    spec: ModelSpec,
    queries: pl.DataFrame,
    corpus: pl.DataFrame,
    candidates: pl.DataFrame,
    dataset: str | None,
) -> tuple[pl.DataFrame, list[Input]]:
    """Rows and inputs of a reranker: the candidates in their order."""
    texts = dict(queries.select("query_id", "text").iter_rows())
    documents = dict(corpus.select("doc_id", "text").iter_rows())
    rows = candidates.select("query_id", "doc_id")
    inputs = [render_pair(spec, texts[q], documents[d], dataset) for q, d in rows.iter_rows()]
    return rows, inputs


def _n_empty(corpus: pl.DataFrame, candidates: pl.DataFrame) -> int:
    used = corpus.join(candidates, on="doc_id", how="semi")
    return used.filter(pl.col("text").str.strip_chars() == "").height


def _run(engine: Engine, inputs: Sequence[Input], what: str, progress: bool | None) -> Forward:
    from tqdm import tqdm

    shown = sys.stderr.isatty() if progress is None else progress
    with tqdm(total=len(inputs), desc=what, unit="input", disable=not shown) as bar:
        return engine.run(inputs, done=bar.update)


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
        log.warning("%d rows have NaN or infinite values", facts["n_nonfinite"])


def _check_ids(queries: pl.DataFrame, corpus: pl.DataFrame, candidates: pl.DataFrame) -> None:
    problems = [] if candidates.height else ["no candidates: there is nothing to score"]
    for key, table, name in (("query_id", queries, "queries"), ("doc_id", corpus, "corpus")):
        repeated = table.filter(pl.col(key).is_duplicated())[key].unique(maintain_order=True)
        if len(repeated):
            problems.append(f"{name}: {key} given more than once, {some(repeated)}")
        unknown = candidates.join(table, on=key, how="anti", maintain_order="left")
        ids = unknown[key].unique(maintain_order=True)
        if len(ids):
            problems.append(f"candidates: {key} not in {name}, {some(ids)}")
    twice = candidates.filter(candidates.select("query_id", "doc_id").is_duplicated())
    if twice.height:
        pairs = twice.select("query_id", "doc_id").unique(maintain_order=True).rows()
        problems.append(f"candidates: a document given more than once for a query, {some(pairs)}")
    if problems:
        raise InputError(problems)


def _device_name(device: Any) -> str:
    import torch

    if device.type == "cuda":
        return f"cuda ({torch.cuda.get_device_name(device)})"
    return str(device.type)
