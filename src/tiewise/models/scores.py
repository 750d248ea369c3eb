"""From logits to scores: a model's scoring function in the score dtype of a precision regime."""

from __future__ import annotations

import logging
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from tiewise.errors import InputError, some
from tiewise.models.spec import ModelSpec
from tiewise.precision import scoring
from tiewise.precision.regimes import Regime

log = logging.getLogger(__name__)


def score_candidates(
    spec: ModelSpec,
    logits: pl.DataFrame,
    candidates: pl.DataFrame,
    regime: Regime,
    *,
    on_nonfinite: Literal["last", "error"] = "last",
) -> pl.DataFrame:
    """Score the candidates of a data set in one precision regime.

    Parameters
    ----------
    spec : ModelSpec
        The model, which names the scoring function.
    logits : polars.DataFrame
        What `compute_logits` returned for the regime's model dtype.
    candidates : polars.DataFrame
        Columns `query_id`, `doc_id`.
    regime : Regime
        The precision regime.
    on_nonfinite : {"last", "error"}
        What to do with NaN or infinite logits: give the candidate the score NaN, which ranks it
        last, or refuse.

    Returns
    -------
    polars.DataFrame
        Columns `query_id`, `doc_id`, `score` (Float64, holding numbers of the score dtype
        exactly), in the candidates' order.

    Raises
    ------
    InputError
        Candidates without logits, a regime that the model cannot have, or non-finite logits when
        they are an error.
    """
    rows = candidates.select("query_id", "doc_id")
    score = _from_logits if spec.is_reranker else _from_embeddings
    scores, finite = score(spec, logits, rows, regime)
    if not finite.all():
        scores = np.where(finite, scores, np.nan)
        _note_nonfinite(spec, rows.filter(~finite), regime, on_nonfinite)
    return rows.with_columns(score=pl.Series(scores, dtype=pl.Float64))


def _from_logits(
    spec: ModelSpec, logits: pl.DataFrame, rows: pl.DataFrame, regime: Regime
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    keys = ["query_id", "doc_id"]
    found = rows.join(logits, on=keys, how="left", maintain_order="left", validate="m:1")
    _require(found, "logits", keys)
    values = found["logits"].to_numpy()
    finite = np.isfinite(values).all(axis=1)
    if spec.scoring == "sigmoid" and values.shape[1] != 1:
        said = f"a sigmoid takes one logit, the model gives {values.shape[1]}; use softmax"
        raise InputError(f"{spec.name}: {said}")
    if spec.scoring == "softmax" and values.shape[1] < 2:
        raise InputError(f"{spec.name}: a softmax takes two or more logits; use sigmoid")
    if regime.raw:
        return _raw(spec, values), finite
    if spec.scoring == "sigmoid":
        return scoring.sigmoid(values[:, 0], regime.score_dtype), finite
    return scoring.softmax(values, regime.score_dtype), finite


def _raw(spec: ModelSpec, values: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    if values.shape[1] > 2:
        raise InputError(f"{spec.name}: {values.shape[1]} logits have no raw score; two or one do")
    last = values[:, -1]
    return np.asarray(last if values.shape[1] == 1 else last - values[:, 0], dtype=np.float64)


def _from_embeddings(
    spec: ModelSpec, logits: pl.DataFrame, rows: pl.DataFrame, regime: Regime
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    if regime.raw:
        said = "has no raw logit; its product is the score itself"
        raise InputError(f"{spec.name}: regime {regime}: a bi-encoder {said}")
    places, sides = [], []
    for side, key in (("query", "query_id"), ("document", "doc_id")):
        texts = logits.filter(pl.col("side") == side).with_row_index("place")
        texts = texts.select(pl.col("id").alias(key), "place", "embedding")
        found = rows.join(texts.drop("embedding"), on=key, how="left", maintain_order="left")
        _require(found, "place", [key])
        places.append(found["place"].to_numpy())
        sides.append(texts["embedding"].to_numpy())
    whole = [np.isfinite(side).all(axis=1) for side in sides]
    finite = whole[0][places[0]] & whole[1][places[1]]
    product = scoring.cosine if spec.scoring == "cosine" else scoring.dot
    with np.errstate(invalid="ignore"):
        scores = product(sides[0], sides[1], regime.score_dtype, (places[0], places[1]))
    return scores, finite


def _require(found: pl.DataFrame, column: str, keys: list[str]) -> None:
    lost = found.filter(pl.col(column).is_null()).select(keys).unique(maintain_order=True)
    if lost.height:
        ids = lost.rows() if len(keys) > 1 else lost[keys[0]]
        raise InputError(f"no model output for the {' and '.join(keys)} of candidates, {some(ids)}")


def _note_nonfinite(spec: ModelSpec, rows: pl.DataFrame, regime: Regime, on_nonfinite: str) -> None:
    counts = rows.group_by("query_id", maintain_order=True).len().rows()
    named = some([f"{query}: {n}" for query, n in counts])
    said = f"{spec.name} {regime}: {rows.height} candidates with NaN or infinite logits, in queries"
    if on_nonfinite == "error":
        raise InputError(f"{said} {named}")
    log.warning("%s %s; ranked last", said, named)
