"""F-cutoffs, a page a data set: each measure with its tie range against the cut-off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tiewise.report.figures.cutoffs import (
    BAND,
    NO_CUTOFF,
    OBLIVIOUS,
    legend,
    log_cutoffs,
    with_cutoffs,
)
from tiewise.report.figures.style import footnote, nothing_to_draw, style
from tiewise.report.names import labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tiewise.study.config import Study


def cutoffs_page(study: Study, dataset: str, summary: pl.DataFrame, note: str) -> Figure:
    """Draw a row for each family of measures and a panel for each regime.

    Parameters
    ----------
    study : Study
        The study, whose first tie policy is shown.
    dataset : str
        The data set.
    summary : polars.DataFrame
        The study's averages.
    note : str
        The footer.
    """
    rows = with_cutoffs(
        summary.filter(pl.col("dataset") == dataset, pl.col("policy") == study.config.policies[0])
    )
    cells = rows.partition_by("family", "regime", "model", as_dict=True)
    families = rows["family"].unique(maintain_order=True).to_list()
    cutoffs = sorted(rows["cutoff"].unique())
    note = f"{study.datasets[dataset].title}. {note}"
    if not families:
        return nothing_to_draw(NO_CUTOFF, note)
    with style():
        from matplotlib import pyplot

        width, height = 2.1 * len(study.regimes) + 0.9, 1.9 * len(families) + 1.5
        figure, axes = pyplot.subplots(
            len(families),
            len(study.regimes),
            figsize=(width, height),
            sharex=True,
            sharey="row",
            squeeze=False,
        )
        # Margins in inches: to find them by measuring twenty panels takes longer than to draw.
        figure.subplots_adjust(
            left=0.8 / width,
            right=1 - 0.15 / width,
            bottom=0.8 / height,
            top=1 - 0.7 / height,
            wspace=0.12,
            hspace=0.14,
        )
        for family, line in zip(families, axes, strict=True):
            for regime, panel in zip(study.regimes, line, strict=True):
                for number, model in enumerate(study.models):
                    if (family, regime, model) in cells:
                        _draw(panel, cells[family, regime, model], f"C{number}")
            line[0].set_ylabel(f"{family}@k, %")
        for regime, panel in zip(study.regimes, axes[0], strict=True):
            panel.set_title(regime)
        log_cutoffs(axes[-1], cutoffs)
        legend(figure, list(labels(study)["model"].values()))
        footnote(figure, note)
    return figure


def _draw(panel: Axes, rows: pl.DataFrame, colour: str) -> None:
    low, high, expected, oblivious = (
        100 * rows[name].to_numpy() for name in ("min", "max", "expected", "oblivious")
    )
    cutoffs = rows["cutoff"].to_numpy()
    panel.fill_between(cutoffs, low, high, color=colour, alpha=BAND, lw=0)
    panel.plot(cutoffs, expected, color=colour, lw=1)
    panel.plot(cutoffs, oblivious, **(OBLIVIOUS | {"color": colour}))
