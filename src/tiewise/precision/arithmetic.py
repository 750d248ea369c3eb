"""Native or simulated: how a model dtype is computed on a device."""

from __future__ import annotations

from typing import Literal

import torch

from tiewise.errors import InputError, did_you_mean
from tiewise.precision.regimes import DTYPES, Dtype

WAYS = ("auto", "native", "simulated")

# An instruction set that multiplies the dtype: any one of them makes native the faster way.
_CPU_INSTRUCTIONS = {
    "bf16": ("amx_bf16", "avx512_bf16", "avx10_1", "bf16", "sve_bf16"),
    "fp16": ("amx_fp16", "avx512_fp16", "avx10_1", "fp16_arith"),
}
_CUDA_CAPABILITY = {"bf16": (8, 0), "fp16": (7, 0)}


def resolve_arithmetic(
    arithmetic: str, dtype: Dtype, device: torch.device | str
) -> Literal["native", "simulated"]:
    """Say how a dtype is computed on a device.

    Parameters
    ----------
    arithmetic : {"auto", "native", "simulated"}
        ``auto`` takes native where the device has instructions for the dtype.
    dtype : str
        A model dtype. FP32 is native everywhere, FP8 is simulated everywhere.
    device : torch.device or str
        Where the model runs.

    Returns
    -------
    {"native", "simulated"}
        Goes into the provenance of everything computed.

    Raises
    ------
    InputError
        The words are not known, or native arithmetic is asked for a dtype that has none.

    Examples
    --------
    >>> resolve_arithmetic("auto", "fp32", "cpu"), resolve_arithmetic("auto", "fp8_e4m3", "cpu")
    ('native', 'simulated')
    """
    if arithmetic not in WAYS:
        raise InputError(f"unknown arithmetic {arithmetic!r}; {did_you_mean(arithmetic, WAYS)}")
    if dtype not in DTYPES:
        raise InputError(f"unknown model dtype {dtype!r}; {did_you_mean(dtype, DTYPES)}")
    if dtype == "fp32":
        return "native"
    if dtype.startswith("fp8"):
        if arithmetic == "native":
            raise InputError(f"{dtype} has no native arithmetic here; use 'simulated' or 'auto'")
        return "simulated"
    if arithmetic == "auto":
        return "native" if has_instructions(dtype, device) else "simulated"
    return "native" if arithmetic == "native" else "simulated"


def has_instructions(dtype: Dtype, device: torch.device | str) -> bool:
    """Whether a device multiplies numbers of a dtype in hardware."""
    device = torch.device(device)
    if device.type == "cuda":
        return torch.cuda.get_device_capability(device) >= _CUDA_CAPABILITY[dtype]
    if device.type == "mps":
        return True
    capabilities = torch.cpu.get_capabilities()
    return any(capabilities.get(name, False) for name in _CPU_INSTRUCTIONS[dtype])
