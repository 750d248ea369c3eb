"""Where the ties of a run most likely come from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from tiewise.precision.grids import BINARY_GRIDS, FP32, BinaryGrid, DecimalGrid, Grid, on_grid

_MAX_DECIMALS = 12
_SAMPLE = 1000
_ENOUGH = 5
"""Distinct scores below which lying on a grid may well be chance: 0.5 and 0.25 lie on all."""
_FEW_POINTS = 0.1
"""A grid explains ties if chance alone would make at least this share of them."""

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TieSource:
    """A likely source of ties.

    Attributes
    ----------
    kind : str
        ``constant``, ``saturated``, the name of a number grid (``bf16``, ``1e-3``),
        ``float32``, ``equal``, or ``none`` where nothing is tied.
    text : str
        A sentence with the evidence.
    """

    kind: str
    text: str


def tie_sources(
    groups: pl.DataFrame, ties: pl.DataFrame, n_tied_float32: int
) -> tuple[TieSource, ...]:
    """Say where the ties of a run most likely come from, the strongest evidence first.

    Parameters
    ----------
    groups : polars.DataFrame
        The run's tie groups, as `tiewise.audit.tie_groups` lists them.
    ties : polars.DataFrame
        The counts of the same groups by query.
    n_tied_float32 : int
        Candidates in ties when scores are kept as float32.

    Returns
    -------
    tuple of TieSource
        Never empty.
    """
    n_tied = int(ties["n_tied"].sum())
    sources = []
    if n_tied:
        finite = groups.filter(pl.col("score").is_finite())
        values = finite["score"].unique().to_numpy()
        sources += [_constant(ties), _saturated(finite), _grid(values, finite, ties)]
        sources += [] if any(sources) else [_equal(ties, len(values))]
    if n_tied_float32 > n_tied:
        sources.append(_float32(n_tied_float32 - n_tied, n_tied))
    found = tuple(s for s in sources if s)
    return found or (TieSource("none", "No two candidates of a query have the same score."),)


def _constant(ties: pl.DataFrame) -> TieSource | None:
    several = ties.filter(pl.col("n_candidates") > 1)
    constant = several.filter(pl.col("n_distinct_scores") == 1)
    if constant.is_empty():
        return None
    return TieSource(
        "constant",
        f"In {constant.height:,} of {several.height:,} queries all candidates have one and the "
        "same score: there the scorer says nothing.",
    )


def _saturated(finite: pl.DataFrame) -> TieSource | None:
    scores = finite["score"]
    if scores.is_empty() or scores.min() < 0 or scores.max() > 1:  # type: ignore[operator]
        return None
    tied = finite.filter(pl.col("size") > 1, pl.col("score").is_in([0.0, 1.0]))
    if tied.is_empty():
        return None
    sums = tied.group_by("score").agg(pl.col("size").sum()).sort("score", descending=True)
    counts = ", ".join(f"{size:,} at {score:g}" for score, size in sums.iter_rows())
    return TieSource(
        "saturated",
        f"Scores are saturated ({counts}): a sigmoid or softmax ran out of numbers there.",
    )


def _grid(values: FloatArray, finite: pl.DataFrame, ties: pl.DataFrame) -> TieSource | None:
    """Find the coarsest grid that holds all scores, if it is coarse enough to make these ties."""
    grid, digits = _coarsest(values) if len(values) >= _ENOUGH else (None, None)
    if grid is None:
        return None
    span = finite.group_by("query_id").agg(pl.col("score").max() - pl.col("score").min())
    n_points = float(span["score"].median() or 0) / _step(grid, values) + 1  # type: ignore[arg-type]
    by_chance = float(ties["n_candidates"].median() or 0) / n_points  # type: ignore[arg-type]
    share_tied = int(ties["n_tied"].sum()) / int(ties["n_candidates"].sum())
    if by_chance < _FEW_POINTS * share_tied:
        return None
    where = f"about {n_points:,.0f} numbers lie between a query's best and worst score"
    if isinstance(grid, DecimalGrid):
        what = "are whole numbers" if not grid.digits else f"have at most {grid.digits} decimals"
        return TieSource(grid.name, f"All scores {what}: {where}.")
    printed = "" if digits is None else f", printed with {digits} decimals"
    return TieSource(grid.name, f"All scores are {grid.name.upper()} numbers{printed}: {where}.")


def _coarsest(values: FloatArray) -> tuple[Grid | None, int | None]:
    decimal = next((d for d in map(DecimalGrid, range(_MAX_DECIMALS)) if _all_on(values, d)), None)
    candidates: list[tuple[Grid, int | None]] = [] if decimal is None else [(decimal, None)]
    for grid in BINARY_GRIDS.values():
        if _all_on(values, grid):
            candidates.append((grid, None))
        elif decimal and _all_printed(values, grid, decimal):
            candidates.append((grid, decimal.digits))
    finest = _step(FP32, values)
    coarse = [pair for pair in candidates if _step(pair[0], values) > finest]
    return max(coarse, key=lambda pair: _step(pair[0], values), default=(None, None))


def _all_on(values: FloatArray, grid: Grid) -> bool:
    return bool(on_grid(values[:_SAMPLE], grid).all() and on_grid(values, grid).all())


def _all_printed(values: FloatArray, grid: BinaryGrid, decimal: DecimalGrid) -> bool:
    """Tell whether all values are numbers of a format that were printed with a few decimals."""
    if _step(grid, values) <= _step(decimal, values):
        return False
    parts = (values[:_SAMPLE], values)
    return all(bool((decimal.round(grid.round(part)) == part).all()) for part in parts)


def _step(grid: Grid, values: FloatArray) -> float:
    if isinstance(grid, DecimalGrid):
        return 10.0**-grid.digits
    assert isinstance(grid, BinaryGrid)
    return float(np.median(grid.spacing(values[:_SAMPLE])))


def _float32(n_more: int, n_tied: int) -> TieSource:
    more = "more candidates" if n_tied else "candidates"
    return TieSource(
        "float32",
        f"{n_more:,} {more} are tied only when scores are kept as float32, as trec_eval 9 and "
        "pytrec_eval do.",
    )


def _equal(ties: pl.DataFrame, n_distinct: int) -> TieSource:
    if n_distinct < _ENOUGH:
        return TieSource("equal", "There are too few scores to tell a grid of numbers from chance.")
    candidates, distinct = (
        float(ties[column].median() or 0)  # type: ignore[arg-type]
        for column in ("n_candidates", "n_distinct_scores")
    )
    return TieSource(
        "equal",
        f"No grid of numbers explains these ties (the median query has {distinct:,g} scores for "
        f"{candidates:,g} candidates): the ranker itself gave equal scores, most likely to "
        "candidates that are alike.",
    )
