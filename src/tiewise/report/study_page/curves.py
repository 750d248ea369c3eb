"""Geometry of the page's plots of tie ranges against the cut-off."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import polars as pl

from tiewise.report.figures.cutoffs import with_cutoffs

WIDTH, HEIGHT = 200, 124
LEFT, RIGHT, TOP, BOTTOM = 38, 12, 8, 20
"""Margins of a panel: room for the labels of its axes."""
APART = 26
"""Distance below which labels of the axis would run into each other."""


@dataclass(frozen=True)
class Curve:
    """One model in a panel: number of its colour, outline of its band, line of its oblivious."""

    colour: int
    band: str
    oblivious: str


@dataclass(frozen=True)
class Spot:
    """A stretch of a panel over which one cut-off's numbers are shown."""

    x: float
    width: float
    tip: str


@dataclass(frozen=True)
class Panel:
    """One regime.

    Attributes
    ----------
    title, label : str
        The regime; what the panel shows, in words.
    curves : list of Curve
        A curve each model.
    spots : list of Spot
        From left to right.
    x_ticks, y_ticks : list of (float, str)
        Places and labels.
    zero : float
        Where the expected value lies.
    """

    title: str
    label: str
    curves: list[Curve]
    spots: list[Spot]
    x_ticks: list[tuple[float, str]]
    y_ticks: list[tuple[float, str]]
    zero: float


@dataclass(frozen=True)
class Row:
    """Panels of one family of measures, which share their vertical axis."""

    family: str
    panels: list[Panel]


def curves(summary: pl.DataFrame, regimes: Sequence[str], models: Mapping[str, str]) -> list[Row]:
    """Lay out the panels of one data set.

    Parameters
    ----------
    summary : polars.DataFrame
        Averages of the data set under one tie policy.
    regimes : sequence of str
        A panel each.
    models : mapping of str to str
        Labels by name, in the order of their colours.

    Returns
    -------
    list of Row
        A row each family of measures with cut-offs.
    """
    rows = with_cutoffs(summary).with_columns(
        *(
            (100 * (pl.col(name) - pl.col("expected"))).alias(f"d_{name}")
            for name in ("min", "max", "oblivious")
        )
    )
    return [
        _row(str(family), of_family, regimes, models)
        for (family,), of_family in rows.group_by("family", maintain_order=True)
    ]


def _row(family: str, rows: pl.DataFrame, regimes: Sequence[str], models: Mapping[str, str]) -> Row:
    cutoffs = sorted(rows["cutoff"].unique())
    x = _x_axis(cutoffs)
    ends = rows.select(pl.max_horizontal(pl.col("d_min").abs(), pl.col("d_max").abs())).to_series()
    reach = max(0.01, float(ends.to_numpy().max()))
    y = _y_axis(reach)
    cells = rows.partition_by("regime", "model", as_dict=True)
    panels = []
    for regime in regimes:
        found = {m: cells[regime, m] for m in models if (regime, m) in cells}
        panels.append(
            Panel(
                title=regime,
                label=_words(family, regime, found, models),
                curves=[_curve(list(models).index(m), part, x, y) for m, part in found.items()],
                spots=_spots(family, regime, found, models, cutoffs, x),
                x_ticks=_ticks(cutoffs, x),
                y_ticks=[(y(v), f"{v:+.2g}" if v else "0") for v in (-reach, 0.0, reach)],
                zero=y(0),
            )
        )
    return Row(family, panels)


Scale = Callable[[float], float]


def _x_axis(cutoffs: Sequence[int]) -> Scale:
    first, last = math.log(cutoffs[0]), math.log(cutoffs[-1])
    length = (WIDTH - LEFT - RIGHT) / ((last - first) or 1)
    return lambda k: round(LEFT + (math.log(k) - first) * length, 1)


def _y_axis(reach: float) -> Scale:
    middle = (HEIGHT - BOTTOM + TOP) / 2
    return lambda value: round(middle - value / reach * (middle - TOP), 1)


def _ticks(cutoffs: Sequence[int], x: Scale) -> list[tuple[float, str]]:
    """Label as many cut-offs as there is room for, the last one always."""
    last = cutoffs[-1]
    kept: list[int] = []
    for k in cutoffs[:-1]:
        if (not kept or x(k) - x(kept[-1]) >= APART) and x(last) - x(k) >= APART:
            kept.append(k)
    return [(x(k), str(k)) for k in [*kept, last]]


def _curve(colour: int, rows: pl.DataFrame, x: Scale, y: Scale) -> Curve:
    places = [x(k) for k in rows["cutoff"]]
    lows, highs, obliviouses = (
        [f"{at},{y(value)}" for at, value in zip(places, rows[f"d_{name}"], strict=True)]
        for name in ("min", "max", "oblivious")
    )
    return Curve(colour, " ".join(highs + lows[::-1]), " ".join(obliviouses))


def _spots(
    family: str,
    regime: str,
    found: Mapping[str, pl.DataFrame],
    models: Mapping[str, str],
    cutoffs: Sequence[int],
    x: Scale,
) -> list[Spot]:
    places = [x(k) for k in cutoffs]
    between = [(a + b) / 2 for a, b in pairwise(places)]
    edges = [LEFT, *between, WIDTH - RIGHT]
    lines: dict[int, list[str]] = {k: [] for k in cutoffs}
    for model, rows in found.items():
        columns = ("cutoff", "expected", "min", "max", "oblivious")
        for cutoff, *values in rows.select(columns).iter_rows():
            expected, low, high, oblivious = (f"{100 * value:.2f}" for value in values)
            said = f"{models[model]}: expected {expected} ({low} to {high}), oblivious {oblivious}"
            lines[cutoff].append(said)
    return [
        Spot(
            round(edges[i], 1),
            round(edges[i + 1] - edges[i], 1),
            "\n".join([f"{family}@{k}, {regime}", *lines[k]]),
        )
        for i, k in enumerate(cutoffs)
    ]


def _words(
    family: str, regime: str, found: Mapping[str, pl.DataFrame], models: Mapping[str, str]
) -> str:
    widest = [
        f"{models[model]} up to {100 * float(rows['range'].max() or 0):.2f}"  # type: ignore[arg-type]
        for model, rows in found.items()
    ]
    return f"Tie range of {family}@k in {regime}: {', '.join(widest)} percentage points"
