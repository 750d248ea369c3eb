"""F-scores: where scores fall in each regime, and how large tie groups are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tiewise.report.figures.style import footnote, style
from tiewise.report.names import labels
from tiewise.study.steps.count_scores import BIN

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tiewise.study.config import Study

BINS = 40
"""Bins of a histogram at most."""
SIZES = ((1, 1), (2, 2), (3, 4), (5, 8), (9, 16), (17, 32), (33, 64), (65, None))
"""Bins of tie-group sizes: no tie, then powers of two."""


def scores_figure(study: Study, distributions: Mapping[str, pl.DataFrame], note: str) -> Figure:
    """Draw a column for each model: its scores, and its candidates by size of their tie group.

    Parameters
    ----------
    study : Study
        The study.
    distributions : mapping of str to polars.DataFrame
        Each model's distribution.
    note : str
        The footer.
    """
    with style():
        from matplotlib import pyplot

        figure, axes = pyplot.subplots(
            2,
            len(distributions),
            figsize=(max(6.4, 3.2 * len(distributions) + 0.6), 5.6),
            squeeze=False,
            layout="constrained",
        )
        for (model, counts), (above, below) in zip(distributions.items(), axes.T, strict=True):
            title = f"{labels(study)['model'][model]}, {study.models[model].scoring}"
            above.set_title(title, fontsize=9)
            _histogram(above, counts, list(study.regimes))
            _sizes(below, counts, list(study.regimes))
        axes[0, 0].set_ylabel("share of candidates, %")
        axes[1, 0].set_ylabel("share of candidates, %")
        handles, names = axes[0, 0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper left", ncols=min(6, len(names)))
        footnote(figure, note)
    return figure


def _histogram(panel: Axes, counts: pl.DataFrame, regimes: list[str]) -> None:
    scores = counts.filter(pl.col("quantity") == "score")
    values = scores["value"].to_numpy()
    # Few wide bins read better than many; each is of whole bins of the artifact.
    width = BIN * math.ceil((values.max() - values.min() + BIN) / (BINS * BIN))
    edges = (
        np.arange(math.floor(values.min() / width), math.floor(values.max() / width) + 2) * width
    )
    for number, regime in enumerate(regimes):
        rows = scores.filter(pl.col("regime") == regime)
        total = max(1, int(rows["n_candidates"].sum()))
        heights, _ = np.histogram(
            rows["value"] + BIN / 2, bins=edges, weights=100 * rows["n_candidates"] / total
        )
        panel.stairs(heights, edges, color=f"C{number}", lw=1.2, label=regime)
    panel.set_xlabel("score")


def _sizes(panel: Axes, counts: pl.DataFrame, regimes: list[str]) -> None:
    sizes = counts.filter(pl.col("quantity") == "group size")
    width = 0.8 / len(regimes)
    for number, regime in enumerate(regimes):
        rows = sizes.filter(pl.col("regime") == regime)
        total = max(1, int(rows["n_candidates"].sum()))
        inside = [pl.col("value").is_between(low, high or np.inf) for low, high in SIZES]
        shares = [100 * int(rows.filter(each)["n_candidates"].sum()) / total for each in inside]
        at = np.arange(len(SIZES)) + (number - (len(regimes) - 1) / 2) * width
        panel.bar(at, shares, width=width, color=f"C{number}")
    panel.set_xticks(range(len(SIZES)), [_name(*size) for size in SIZES], fontsize=7, rotation=35)
    panel.set_xlabel("candidates with the same score")
    panel.set_yscale("log")
    panel.set_ylim(0.01, 130)
    panel.set_yticks([0.01, 0.1, 1, 10, 100], ["0.01", "0.1", "1", "10", "100"])
    panel.grid(visible=False, axis="x")


def _name(low: int, high: int | None) -> str:
    if high is None:
        return f"{low}+"
    return str(low) if low == high else f"{low}–{high}"
