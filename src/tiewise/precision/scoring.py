"""Scoring functions in a named score dtype: sigmoid, softmax, dot product, cosine.

Libraries choose the dtype of the last step by themselves, and choose differently from version to
version; here the caller names it. Every function computes in FP32 (float64 when that is asked)
and rounds its result once to the score dtype, as a device's kernels do, so a score in BF16 is a
BF16 number. Results are float64 arrays that hold those numbers exactly.

Equal inputs give equal scores wherever they stand in an array: an accidental last bit would break
a genuine tie.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from tiewise.errors import InputError, did_you_mean
from tiewise.precision.grids import BINARY_GRIDS
from tiewise.precision.regimes import ScoreDtype

Array = npt.NDArray[np.floating]
Scores = npt.NDArray[np.float64]

PRODUCTS_AT_ONCE = 1 << 22
"""Products held at a time, in numbers: 16 MiB of FP32."""


def sigmoid(logits: npt.ArrayLike, score_dtype: ScoreDtype) -> Scores:
    """Probability of relevance of one logit, 1 / (1 + exp(-x)).

    Parameters
    ----------
    logits : array_like of float
        Any shape; NaN stays NaN.
    score_dtype : str
        ``fp64``, ``fp32`` or a low dtype.

    Returns
    -------
    ndarray of float64
        Numbers of the score dtype in [0, 1], same shape.

    Notes
    -----
    The score is exactly 1 from x = 6.2 in BF16, 8.3 in FP16, 16.6 in FP32 and 36.7 in float64.

    Examples
    --------
    >>> sigmoid([4.5, 4.53125, 7.0], "bf16").tolist()
    [0.98828125, 0.98828125, 1.0]
    >>> sigmoid([4.5, 4.53125, 7.0], "fp32").round(4).tolist()
    [0.989, 0.9893, 0.9991]
    """
    return _rounded(expit(_operand(logits, score_dtype)), score_dtype)


def softmax(logits: npt.ArrayLike, score_dtype: ScoreDtype) -> Scores:
    """Probability of the last class, such as that of *yes* in a no/yes pair.

    Parameters
    ----------
    logits : array_like of float, shape (..., n_classes)
        The class whose probability is the score comes last.
    score_dtype : str
        ``fp64``, ``fp32`` or a low dtype.

    Returns
    -------
    ndarray of float64, shape (...)
        Numbers of the score dtype in [0, 1].

    Notes
    -----
    The exponential of a log-softmax, which some code uses instead, rounds twice: in BF16 it is 1
    from a difference of 5.5 on and not 6.2, and so ties more.

    Examples
    --------
    >>> softmax([[1.0, 2.0], [0.0, 7.0]], "bf16").tolist()
    [0.73046875, 1.0]
    """
    work = _operand(logits, score_dtype)
    with np.errstate(invalid="ignore"):  # infinite logits give NaN, which the caller counts
        powers = np.exp(work - work.max(axis=-1, keepdims=True))
        return _rounded(powers[..., -1] / powers.sum(axis=-1), score_dtype)


def dot(
    queries: npt.ArrayLike,
    documents: npt.ArrayLike,
    score_dtype: ScoreDtype,
    pairs: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
) -> Scores:
    """Dot products of paired rows, accumulated in FP32 (float64) and rounded once.

    Parameters
    ----------
    queries : array_like of float, shape (n_queries, n_dimensions)
        Embeddings.
    documents : array_like of float, shape (n_documents, n_dimensions)
        Embeddings.
    score_dtype : str
        ``fp64``, ``fp32`` or a low dtype.
    pairs : pair of array_like of int, shape (n_pairs,) each, optional
        Rows of `queries` and rows of `documents` to multiply; by default row i with row i.

    Returns
    -------
    ndarray of float64, shape (n_pairs,)
        Numbers of the score dtype.

    Notes
    -----
    A matrix product from BLAS would be faster, but the last bits of its entries depend on where
    they stand in the matrix, so identical documents would not tie. This reads memory once.

    Examples
    --------
    >>> dot([[0.6, 0.8]], [[0.8, 0.6], [1.0, 0.0]], "bf16", pairs=([0, 0], [0, 1])).tolist()
    [0.96484375, 0.6015625]
    """
    left, right = _operand(queries, score_dtype), _operand(documents, score_dtype)
    if pairs is None:
        pairs = (np.arange(len(left)), np.arange(len(right)))
    rows, columns = np.asarray(pairs[0]), np.asarray(pairs[1])
    products = np.empty(len(rows), dtype=left.dtype)
    step = max(1, PRODUCTS_AT_ONCE // max(1, left.shape[1]))
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        products[part] = (left[rows[part]] * right[columns[part]]).sum(axis=1)
    return _rounded(products, score_dtype)


def normalise(embeddings: npt.ArrayLike, score_dtype: ScoreDtype) -> Scores:
    """Divide each row by its Euclidean norm; the norm and the quotient round once each.

    Parameters
    ----------
    embeddings : array_like of float, shape (n, n_dimensions)
        A zero row stays zero.
    score_dtype : str
        ``fp64``, ``fp32`` or a low dtype.

    Returns
    -------
    ndarray of float64, shape (n, n_dimensions)
        Numbers of the score dtype.

    Examples
    --------
    >>> normalise([[3.0, 4.0]], "fp32").round(6).tolist()
    [[0.6, 0.8]]
    """
    work = _operand(embeddings, score_dtype)
    norms = _rounded(np.sqrt((work * work).sum(axis=1, keepdims=True)), score_dtype)
    return _rounded(work / np.maximum(norms.astype(work.dtype), 1e-12), score_dtype)


def cosine(
    queries: npt.ArrayLike,
    documents: npt.ArrayLike,
    score_dtype: ScoreDtype,
    pairs: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
) -> Scores:
    """Cosines of paired rows: `normalise` both sides, then `dot`; parameters as there.

    Examples
    --------
    >>> cosine([[3.0, 4.0]], [[4.0, 3.0]], "fp32").round(6).tolist()
    [0.96]
    """
    left, right = normalise(queries, score_dtype), normalise(documents, score_dtype)
    return dot(left, right, score_dtype, pairs)


def _operand(values: npt.ArrayLike, score_dtype: ScoreDtype) -> Array:
    """Input rounded to the score dtype, in the dtype that computes."""
    legal = [*BINARY_GRIDS, "fp64"]
    if score_dtype not in legal:
        raise InputError(f"unknown score dtype {score_dtype!r}; {did_you_mean(score_dtype, legal)}")
    if score_dtype in ("fp32", "fp64"):
        return np.asarray(values, dtype=np.float32 if score_dtype == "fp32" else np.float64)
    return BINARY_GRIDS[score_dtype].round(values).astype(np.float32)


def _rounded(values: Array, score_dtype: ScoreDtype) -> Scores:
    if score_dtype in ("fp32", "fp64"):
        return values.astype(np.float64)
    return BINARY_GRIDS[score_dtype].round(values)
