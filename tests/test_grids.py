"""Number grids, against the hardware types of numpy, ml_dtypes and decimal text."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiewise.errors import InputError
from tiewise.precision.grids import BINARY_GRIDS, DecimalGrid, get_grid, on_grid

REFERENCE = {
    "fp32": np.float32,
    "bf16": ml_dtypes.bfloat16,
    "fp16": np.float16,
    "fp8_e4m3": ml_dtypes.float8_e4m3fn,
    "fp8_e5m2": ml_dtypes.float8_e5m2,
}
SMALL = [name for name in BINARY_GRIDS if name != "fp32"]


@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize("name", BINARY_GRIDS)
def test_rounding_equals_the_reference_type_in_all_magnitudes(name: str) -> None:
    rng = np.random.default_rng(7)
    spread = rng.standard_normal(20_000) * 2.0 ** rng.integers(-160, 140, 20_000)
    near = rng.standard_normal(20_000) * 2.0 ** rng.integers(-20, 20, 20_000)
    # Straight from float32: a float64 source would round twice in the reference's own cast.
    values = np.concatenate([spread, near, [0.0, -0.0, np.inf, -np.inf, np.nan, 464.0, 465.0]])
    values = values.astype(np.float32)
    expected = values.astype(REFERENCE[name]).astype(np.float64)
    np.testing.assert_array_equal(get_grid(name).round(values), expected)


@pytest.mark.parametrize("name", SMALL)
def test_midpoints_go_to_the_even_neighbour(name: str) -> None:
    grid = BINARY_GRIDS[name]
    numbers = grid.numbers(0, 4)
    middles = (numbers[1:] + numbers[:-1]) / 2
    expected = middles.astype(np.float32).astype(REFERENCE[name]).astype(np.float64)
    np.testing.assert_array_equal(grid.round(middles), expected)


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
@pytest.mark.parametrize("name", SMALL)
def test_listed_numbers_are_all_numbers_of_the_type(name: str) -> None:
    kind = REFERENCE[name]
    bits = np.uint8 if np.dtype(kind).itemsize == 1 else np.uint16
    every = np.arange(2 ** (8 * np.dtype(kind).itemsize)).astype(bits).view(kind)
    every = every.astype(np.float64)
    every = np.unique(every[np.isfinite(every)])
    np.testing.assert_array_equal(BINARY_GRIDS[name].numbers(-np.inf, np.inf), every)


def test_counts_in_the_unit_interval() -> None:
    assert len(BINARY_GRIDS["bf16"].numbers()) == 16_257
    assert len(BINARY_GRIDS["fp16"].numbers()) == 15_361
    assert len(BINARY_GRIDS["bf16"].numbers(0.5, 1)) == 129


@pytest.mark.parametrize("name", SMALL)
def test_spacing_is_the_step_to_the_next_number(name: str) -> None:
    numbers = BINARY_GRIDS[name].numbers(0, 100)
    np.testing.assert_array_equal(BINARY_GRIDS[name].spacing(numbers[:-1]), np.diff(numbers))


@given(st.integers(-(10**9), 10**9), st.integers(0, 9))
def test_a_printed_decimal_is_on_its_grid_and_finer_ones(steps: int, digits: int) -> None:
    value = float(f"{steps}e-{digits}")
    for finer in range(digits, 12):
        assert on_grid(value, DecimalGrid(finer))
    is_coarser = steps % 10 == 0
    if digits:
        assert bool(on_grid(value, DecimalGrid(digits - 1))) == is_coarser


def test_decimal_grid_keeps_values_that_float64_cannot_resolve_finer() -> None:
    assert on_grid([1e300, -1e18, np.inf], DecimalGrid(6)).all()


def test_nan_is_on_no_grid_and_infinity_only_where_the_format_has_it() -> None:
    assert not any(on_grid(np.nan, name) for name in [*BINARY_GRIDS, "1e-3"])
    assert on_grid(np.inf, "bf16")
    assert not on_grid(np.inf, "fp8_e4m3")


@pytest.mark.parametrize("name", [*BINARY_GRIDS, "1e-0", "1e-22"])
def test_names_parse_back(name: str) -> None:
    assert get_grid(name).name == name


@pytest.mark.parametrize("name", ["bfloat", "1e-23", "1e3", "x1e-3", ""])
def test_an_unknown_name_is_refused_with_the_legal_ones(name: str) -> None:
    with pytest.raises(InputError, match=r"is not a number format.*bf16"):
        get_grid(name)


def test_fp32_is_not_listed() -> None:
    with pytest.raises(InputError, match="too many"):
        BINARY_GRIDS["fp32"].numbers()
