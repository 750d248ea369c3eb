"""Score types: which scores count as equal."""

from __future__ import annotations

import numpy as np

from tiewise.errors import InputError, did_you_mean
from tiewise.kernel.ranking import Floats

SCORE_TYPES = ("float64", "float32")
"""What counts as equal: trec_eval 10 compares scores as float64, trec_eval 9 as float32."""


def check_score_type(score_type: str) -> str:
    """Return a legal score type.

    Raises
    ------
    InputError
        For any other, with the nearest legal one.

    Examples
    --------
    >>> check_score_type("float32")
    'float32'
    """
    if score_type not in SCORE_TYPES:
        raise InputError(
            f"score type {score_type!r} is unknown: {did_you_mean(str(score_type), SCORE_TYPES)}"
        )
    return score_type


def as_score_type(scores: Floats, score_type: str) -> Floats:
    """Round scores to the type in which they are compared.

    Examples
    --------
    >>> as_score_type(np.array([0.1 + 1e-12]), "float32") == np.float32(0.1)
    array([ True])
    """
    if check_score_type(score_type) == "float64":
        return scores
    with np.errstate(over="ignore"):
        return scores.astype(np.float32).astype(np.float64)
