"""Low precision on any device: compute in FP32, round every result to the low dtype's grid.

Processors without instructions for a dtype emulate it element by element, many times slower than
FP32. Rounding in bulk after each operation costs little and gives the same tie statistics; it
also serves formats that no device at hand computes in, such as FP8.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only
from torch.utils.weak import WeakIdKeyDictionary

from tiewise.precision.regimes import Dtype


@dataclass(frozen=True)
class Format:
    """How a low dtype lives in PyTorch.

    Parameters
    ----------
    carrier : torch.dtype
        Dtype of the stored tensors. It is low itself, so that an upcast which a model asks for (a
        normalisation in FP32, say) remains an upcast.
    grid : torch.dtype
        Dtype whose numbers the values are: the carrier, or a coarser one that PyTorch can convert
        to but not compute in.
    """

    carrier: torch.dtype
    grid: torch.dtype

    def round(self, values: torch.Tensor) -> torch.Tensor:
        """Round once to the grid, ties to even; the result has the carrier's dtype.

        FP8 saturates at its largest number, as FP8 inference does; the wider dtypes overflow.

        Examples
        --------
        >>> FORMATS["fp8_e4m3"].round(torch.tensor([0.3, 1000.0])).tolist()
        [0.3125, 448.0]
        """
        if self.grid == self.carrier:
            return values.to(self.carrier)
        largest = torch.finfo(self.grid).max
        return values.clamp(-largest, largest).to(self.grid).to(self.carrier)


FORMATS: Mapping[Dtype, Format] = {
    "bf16": Format(torch.bfloat16, torch.bfloat16),
    "fp16": Format(torch.float16, torch.float16),
    "fp8_e4m3": Format(torch.bfloat16, torch.float8_e4m3fn),
    "fp8_e5m2": Format(torch.bfloat16, torch.float8_e5m2),
}

_aten = torch.ops.aten

# Results of these are elements of their inputs: there is nothing to round. Views need no entry.
_MOVES = frozenset(
    (
        *(_aten.embedding, _aten.index, _aten.index_select, _aten.gather, _aten.masked_select),
        *(_aten.cat, _aten.stack, _aten.repeat, _aten.flip, _aten.roll, _aten.constant_pad_nd),
        *(_aten.where, _aten.masked_fill, _aten.masked_fill_, _aten.sort, _aten.topk),
        *(_aten.clone, _aten.copy_, _aten._to_copy, _aten.zero_, _aten.fill_),
        *(_aten.empty_like, _aten.zeros_like, _aten.ones_like, _aten.full_like),
        *(_aten.new_empty, _aten.new_zeros, _aten.new_ones, _aten.new_full),
    )
)


class Simulated(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Context in which operations on low-precision tensors run in FP32 and round once.

    Inside, an operation on tensors of the carrier dtype upcasts them, computes in FP32 and rounds
    its floating-point outputs to the grid. Mixed inputs promote as PyTorch promotes, an explicit
    ``dtype=`` is honoured, views and pure data movement pass through, in-place operations write
    back. Under `torch.inference_mode` an operation is what the model wrote (`linear`, `softmax`,
    `scaled_dot_product_attention`), each with one rounding, like the fused kernels of a device.

    Parameters
    ----------
    dtype : str
        A key of `FORMATS`.

    Notes
    -----
    The FP32 copies of parameters are kept for as long as the parameters live and the context is in
    use: memory of two bytes a parameter becomes six. A context may be entered many times.

    Examples
    --------
    >>> x = torch.tensor([1.0, 2**-8], dtype=torch.bfloat16)
    >>> with torch.inference_mode(), Simulated("bf16"):
    ...     x.sum(), x.sum(dtype=torch.float32)
    (tensor(1., dtype=torch.bfloat16), tensor(1.0039))
    """

    def __init__(self, dtype: Dtype) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.format = FORMATS[dtype]
        self._plain = self.format.grid == self.format.carrier
        self._parameters: WeakIdKeyDictionary = WeakIdKeyDictionary()

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Run one operation; PyTorch calls this."""
        kwargs = kwargs or {}
        leaves = tree_leaves((args, kwargs))
        floats = [t for t in leaves if isinstance(t, torch.Tensor) and t.is_floating_point()]
        if func.is_view or func.overloadpacket in _MOVES:
            return self._move(func, args, kwargs, floats)
        if self._plain and torch.Tag.pointwise in func.tags:
            # PyTorch's elementwise kernels compute in FP32 and round once by themselves, at the
            # speed of FP32 on any processor; it is products and attention that need help.
            return func(*args, **kwargs)
        if not any(tensor.dtype == self.format.carrier for tensor in floats):
            return func(*args, **kwargs)
        return self._compute(func, args, kwargs, floats)

    def _move(self, func: Any, args: Any, kwargs: Any, floats: list[torch.Tensor]) -> Any:
        out = func(*args, **kwargs)
        carrier = self.format.carrier
        if not self._plain and any(tensor.dtype != carrier for tensor in floats):
            # The conversion into the carrier rounded to the carrier's own, finer grid.
            for tensor in tree_leaves(out):
                if tensor.dtype == carrier:
                    tensor.copy_(self.format.round(tensor))
        return out

    def _compute(self, func: Any, args: Any, kwargs: Any, floats: list[torch.Tensor]) -> Any:
        args, kwargs, asked = _without_low_dtype(func, args, kwargs, self.format.carrier)
        originals: dict[int, torch.Tensor] = {}  # by identity of the upcast tensor
        upcast: dict[int, torch.Tensor] = {}  # by identity of the original

        def widen(tensor: torch.Tensor) -> torch.Tensor:
            if tensor.dtype != self.format.carrier:
                return tensor
            if id(tensor) not in upcast:
                wide = upcast[id(tensor)] = self._upcast(tensor)
                originals[id(wide)] = tensor
            return upcast[id(tensor)]

        wide_args, wide_kwargs = tree_map_only(torch.Tensor, widen, (args, kwargs))
        out = func(*wide_args, **wide_kwargs)
        rounds = (asked or _promoted(floats)) == self.format.carrier

        def narrow(tensor: torch.Tensor) -> torch.Tensor:
            original = originals.get(id(tensor))
            if original is not None:  # written in place, or through `out=`
                return original.copy_(self.format.round(tensor))
            return self.format.round(tensor) if rounds and tensor.dtype == torch.float32 else tensor

        return tree_map_only(torch.Tensor, narrow, out)

    def _upcast(self, tensor: torch.Tensor) -> torch.Tensor:
        if not isinstance(tensor, torch.nn.Parameter):
            return tensor.float()
        kept: tuple[int, torch.Tensor] | None = self._parameters.get(tensor)  # type: ignore[no-untyped-call]
        if kept is None or kept[0] != tensor._version:  # written since
            kept = self._parameters[tensor] = (tensor._version, tensor.float())
        return kept[1]


def _without_low_dtype(
    func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], carrier: torch.dtype
) -> tuple[tuple[Any, ...], dict[str, Any], torch.dtype | None]:
    """Take the `dtype` asked for out of the arguments, and ask for FP32 in place of the carrier."""
    names = [argument.name for argument in func._schema.arguments]
    asked = kwargs.get("dtype")
    if asked is None and "dtype" in names[: len(args)]:
        asked = args[names.index("dtype")]
    if asked != carrier:
        return args, kwargs, asked
    bound = dict(zip(names, args, strict=False)) | kwargs | {"dtype": torch.float32}
    return (), bound, asked


def _promoted(floats: list[torch.Tensor]) -> torch.dtype:
    """Dtype of a result as PyTorch promotes: scalars count only when there is nothing else."""
    arrays = [tensor.dtype for tensor in floats if tensor.dim()]
    return reduce(torch.promote_types, arrays or [tensor.dtype for tensor in floats])
