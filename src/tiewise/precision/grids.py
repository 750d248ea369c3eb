"""Which numbers a format has: the grids of FP32, BF16, FP16, FP8 and of printed decimals.

A score that was computed in a low precision, or printed with few digits, lies on a coarse grid,
and a coarse grid is where spurious ties come from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tiewise.errors import InputError, did_you_mean

FloatArray = npt.NDArray[np.float64]


class Grid(Protocol):
    """A set of numbers and the rule that takes any number to its nearest member."""

    @property
    def name(self) -> str:
        """The grid's one spelling, which `get_grid` parses back."""

    def round(self, values: npt.ArrayLike) -> FloatArray:
        """Take each value to the nearest number of the grid, float64 of the same shape."""


@dataclass(frozen=True)
class BinaryGrid:
    """The numbers of a binary floating point format.

    Parameters
    ----------
    name : str
        The dtype's name, such as ``bf16``.
    exponent_bits, fraction_bits : int
        Widths of the two fields; the sign takes one more bit.
    min_exponent : int
        Exponent of the smallest normal number; below it the spacing stays constant (subnormals).
    largest : float
        The largest finite number.
    has_infinity : bool
        Whether a value beyond the largest becomes infinite; without infinity it becomes NaN.
    """

    name: str
    exponent_bits: int
    fraction_bits: int
    min_exponent: int
    largest: float
    has_infinity: bool = True

    def spacing(self, values: npt.ArrayLike) -> FloatArray:
        """Distance from one number of the format to the next, at the magnitude of each value.

        Examples
        --------
        >>> BF16.spacing([0.5, 0.99, 1.0]).tolist()
        [0.00390625, 0.00390625, 0.0078125]
        """
        values = np.asarray(values, dtype=np.float64)
        exponent = np.where(values == 0, self.min_exponent, np.frexp(values)[1] - 1)
        power = np.maximum(exponent, self.min_exponent) - self.fraction_bits
        return np.asarray(np.ldexp(1.0, power), dtype=np.float64)

    def round(self, values: npt.ArrayLike) -> FloatArray:
        """Round to the nearest number of the format, ties to even, as the hardware does.

        Parameters
        ----------
        values : array_like of float
            Any shape; NaN and infinities pass through where the format has them.

        Returns
        -------
        ndarray of float64
            The rounded values, same shape.

        Examples
        --------
        >>> BF16.round([0.1, 1.00390625, 3.4e38]).tolist()
        [0.10009765625, 1.0, inf]
        >>> get_grid("fp8_e4m3").round([0.3, 464.0, 465.0]).tolist()
        [0.3125, 448.0, nan]
        """
        values = np.asarray(values, dtype=np.float64)
        spacing = self.spacing(values)
        # Dividing by a power of two is exact, so the only rounding is rint's, to even.
        rounded = np.rint(values / spacing) * spacing
        beyond = np.inf if self.has_infinity else np.nan
        return np.where(np.abs(rounded) > self.largest, np.copysign(beyond, values), rounded)

    def numbers(self, low: float = 0.0, high: float = 1.0) -> FloatArray:
        """List the finite numbers of the format in the closed interval, ascending.

        Raises
        ------
        InputError
            For FP32, whose numbers are too many to list.

        Examples
        --------
        >>> len(BF16.numbers(0.5, 1)), len(get_grid("fp16").numbers(0.5, 1))
        (129, 1025)
        >>> get_grid("fp8_e5m2").numbers(1, 2).tolist()
        [1.0, 1.25, 1.5, 1.75, 2.0]
        """
        if self.exponent_bits + self.fraction_bits > 15:
            raise InputError(f"the numbers of {self.name} are too many to list")
        codes = np.arange(2 ** (self.exponent_bits + self.fraction_bits))
        exponent, fraction = codes >> self.fraction_bits, codes & (2**self.fraction_bits - 1)
        significand = fraction + np.where(exponent > 0, 2**self.fraction_bits, 0)
        power = self.min_exponent - self.fraction_bits + np.maximum(exponent - 1, 0)
        positive = np.ldexp(significand.astype(np.float64), power)
        positive = positive[positive <= self.largest]
        both = np.concatenate([-positive[:0:-1], positive])
        return both[(both >= low) & (both <= high)]


@dataclass(frozen=True)
class DecimalGrid:
    """The float64 numbers that a text with at most `digits` decimals can say.

    Parameters
    ----------
    digits : int
        Decimals after the point, 0 (integers) to 22.
    """

    digits: int

    @property
    def name(self) -> str:
        """The step between neighbours, ``1e-3`` for three decimals."""
        return f"1e-{self.digits}"

    def round(self, values: npt.ArrayLike) -> FloatArray:
        """Round to the nearest multiple of 10^-digits, as a float64.

        Examples
        --------
        >>> DecimalGrid(2).round([0.123, 7.0]).tolist()
        [0.12, 7.0]
        """
        # The quotient of two exact integers is correctly rounded, so it is the very float64 that a
        # reader makes of the decimal text; multiplying by 10^-digits would miss it by a bit.
        values = np.asarray(values, dtype=np.float64)
        scale = 10.0**self.digits
        steps = values * scale
        # From 2^53 steps on, float64 itself is the coarser grid.
        return np.where(np.abs(steps) < 2.0**53, np.rint(steps) / scale, values)


FP32 = BinaryGrid("fp32", 8, 23, -126, (2 - 2.0**-23) * 2.0**127)
BF16 = BinaryGrid("bf16", 8, 7, -126, (2 - 2.0**-7) * 2.0**127)
FP16 = BinaryGrid("fp16", 5, 10, -14, 65504.0)
FP8_E4M3 = BinaryGrid("fp8_e4m3", 4, 3, -6, 448.0, has_infinity=False)
FP8_E5M2 = BinaryGrid("fp8_e5m2", 5, 2, -14, 57344.0)

BINARY_GRIDS = {grid.name: grid for grid in (FP32, BF16, FP16, FP8_E4M3, FP8_E5M2)}
"""The binary formats by dtype name: IEEE 754 FP32 and FP16, BF16, and the OCP FP8 formats."""

MAX_DIGITS = 22
"""Powers of ten are exact in float64 up to here."""


def get_grid(name: str) -> BinaryGrid | DecimalGrid:
    """Find a grid by name.

    Parameters
    ----------
    name : str
        ``fp32``, ``bf16``, ``fp16``, ``fp8_e4m3``, ``fp8_e5m2``, or ``1e-d`` for d decimals.

    Raises
    ------
    InputError
        If the name is none of these; the message shows the nearest.

    Examples
    --------
    >>> get_grid("1e-4")
    DecimalGrid(digits=4)
    >>> get_grid("bf61")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    tiewise.errors.InputError: 'bf61' is not a number format; did you mean 'bf16'? legal: ...
    """
    if name in BINARY_GRIDS:
        return BINARY_GRIDS[name]
    head, _, digits = name.partition("1e-")
    if not head and digits.isdecimal() and int(digits) <= MAX_DIGITS:
        return DecimalGrid(int(digits))
    legal = [*BINARY_GRIDS, "1e-3"]
    raise InputError(f"{name!r} is not a number format; {did_you_mean(name, legal)}")


def on_grid(values: npt.ArrayLike, grid: str | Grid) -> npt.NDArray[np.bool_]:
    """Tell which values are numbers of a format, exactly.

    Parameters
    ----------
    values : array_like of float
        Any shape.
    grid : str or Grid
        A grid, or its name as `get_grid` reads it.

    Returns
    -------
    ndarray of bool
        Same shape; NaN is on no grid, infinities are on those that have them.

    Examples
    --------
    >>> on_grid([0.1, 0.10009765625, 2.0], "bf16").tolist()
    [False, True, True]
    >>> on_grid([0.1, 0.123], "1e-1").tolist()
    [True, False]
    """
    values = np.asarray(values, dtype=np.float64)
    found = get_grid(grid) if isinstance(grid, str) else grid
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray(found.round(values) == values)
