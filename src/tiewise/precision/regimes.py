"""Precision regimes: the dtype of the model and the dtype of its scoring function, as one name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from tiewise.errors import InputError, did_you_mean

Dtype = Literal["fp32", "bf16", "fp16", "fp8_e4m3", "fp8_e5m2"]
ScoreDtype = Literal["fp64", "fp32", "bf16", "fp16", "fp8_e4m3", "fp8_e5m2"]

DTYPES: tuple[Dtype, ...] = get_args(Dtype)
"""Legal model dtypes, widest first."""


@dataclass(frozen=True)
class Regime:
    """A precision regime: which dtype the model runs in, and which one its scoring function.

    ========== =================================================================================
    name       meaning, with ``bf16`` standing for any low model dtype
    ========== =================================================================================
    fp32       model and scoring function in FP32
    bf16       model and scoring function in BF16: every score is one of few numbers
    bf16-hps   high-precision scoring: the logits upcast, the scoring function in FP32
    bf16-hps64 the same in float64, because a sigmoid is exactly 1 from 16.6 in FP32 already
    bf16-raw   no scoring function: candidates are ranked by the logit (of a no/yes pair, yes - no)
    ========== =================================================================================

    ``fp32-hps64`` and ``fp32-raw`` exist too; ``fp32-hps`` would be ``fp32`` itself.

    Parameters
    ----------
    name : str
        The one spelling.
    model_dtype : str
        Dtype of weights and activations.
    score_dtype : str
        Dtype in which the scoring function runs and its result is kept.
    raw : bool
        Whether the logit itself is the score. Embeddings have none, so this suits rerankers only.

    Examples
    --------
    >>> Regime.parse("bf16-hps")
    Regime(name='bf16-hps', model_dtype='bf16', score_dtype='fp32', raw=False)
    >>> Regime.parse("fp16").score_dtype
    'fp16'
    """

    name: str
    model_dtype: Dtype
    score_dtype: ScoreDtype
    raw: bool = False

    @staticmethod
    def parse(name: str) -> Regime:
        """Read a regime's name.

        Raises
        ------
        InputError
            The name is none of `REGIMES`; the nearest one is named.

        Examples
        --------
        >>> Regime.parse("bf16-hsp")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        tiewise.errors.InputError: unknown precision regime 'bf16-hsp'; did you mean ...
        """
        if name not in REGIMES:
            raise InputError(f"unknown precision regime {name!r}; {did_you_mean(name, REGIMES)}")
        return REGIMES[name]

    def __str__(self) -> str:
        return self.name


def _all_regimes() -> dict[str, Regime]:
    regimes = []
    for dtype in DTYPES:
        regimes.append(Regime(dtype, dtype, dtype))
        if dtype != "fp32":
            regimes.append(Regime(f"{dtype}-hps", dtype, "fp32"))
        regimes.append(Regime(f"{dtype}-hps64", dtype, "fp64"))
        regimes.append(Regime(f"{dtype}-raw", dtype, "fp32", raw=True))
    return {regime.name: regime for regime in regimes}


REGIMES: dict[str, Regime] = _all_regimes()
"""Every legal regime by name."""
