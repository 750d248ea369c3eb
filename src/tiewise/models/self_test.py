"""Known values of a model, checked before it may score anything."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import polars as pl

from tiewise.errors import Problems
from tiewise.models.logits import compute_logits
from tiewise.models.scores import score_candidates
from tiewise.models.spec import ModelSpec, SelfTest
from tiewise.precision.regimes import Regime

log = logging.getLogger(__name__)


def check_model(spec: ModelSpec, *, device: str = "auto", arithmetic: str = "auto") -> pl.DataFrame:
    """Run a model on its self-test pairs and compare.

    Parameters
    ----------
    spec : ModelSpec
        The model; without self-tests nothing is run.
    device : str
        Where to run.
    arithmetic : {"auto", "native", "simulated"}
        How a low model dtype is computed.

    Returns
    -------
    polars.DataFrame
        A row a pair: `query`, `document`, `dtype`, `quantity`, `expected`, `found`, `tolerance`,
        `source`.

    Raises
    ------
    InputError
        A value is off by more than its tolerance: wrong weights, prompt, pooling or library; every
        such pair is named, with both numbers.
    """
    frames = [_run(spec, test, device, arithmetic) for test in spec.self_test]
    if not frames:
        log.warning("%s: no self-test in its block", spec.name)
        return pl.DataFrame(schema=_SCHEMA)
    found = pl.concat(frames)
    Problems(_differences(spec, found)).stop()
    log.info("%s: %d known values reproduced", spec.name, found.height)
    return found


_SCHEMA = {
    "query": pl.String,
    "document": pl.String,
    "dtype": pl.String,
    "quantity": pl.String,
    "expected": pl.Float64,
    "found": pl.Float64,
    "tolerance": pl.Float64,
    "source": pl.String,
}


def _run(spec: ModelSpec, test: SelfTest, device: str, arithmetic: str) -> pl.DataFrame:
    if test.instruction is not None:
        spec = spec.model_copy(update={"instruction": test.instruction})
    ids = [str(i) for i in range(len(test.pairs))]
    queries, documents = zip(*test.pairs, strict=True)
    candidates = pl.DataFrame({"query_id": ids, "doc_id": ids})
    logits, _ = compute_logits(
        spec,
        test.dtype,
        queries=pl.DataFrame({"query_id": ids, "text": queries}),
        corpus=pl.DataFrame({"doc_id": ids, "text": documents}),
        candidates=candidates,
        device=device,
        arithmetic=arithmetic,
        progress=False,
    )
    suffix = "-raw" if test.quantity == "logit" else "-hps64"
    scores = score_candidates(spec, logits, candidates, Regime.parse(test.dtype + suffix))
    columns = {
        "query": queries,
        "document": documents,
        "dtype": test.dtype,
        "quantity": test.quantity,
        "expected": test.expected,
        "found": scores["score"],
        "tolerance": test.tolerance,
        "source": test.source,
    }
    return pl.DataFrame(columns, schema=_SCHEMA)


def _differences(spec: ModelSpec, found: pl.DataFrame) -> Iterator[str]:
    # A NaN is compared as larger than every number, and so is off.
    off = (pl.col("found") - pl.col("expected")).abs() > pl.col("tolerance")
    for row in found.filter(off).iter_rows(named=True):
        yield (
            f"{spec.name}: self-test: {row['quantity']} in {row['dtype']} of {row['query']!r} and "
            f"{row['document']!r} is {row['found']:.6g}, but {row['source']} has "
            f"{row['expected']:.6g} (tolerance {row['tolerance']:g})"
        )
