"""F-cutoffs: the tie range around the expected value against the cut-off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from tiewise.report.figures.style import footnote, nothing_to_draw, style

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BAND = 0.25
NO_CUTOFF = "No measure of this study has a cut-off."
MOST_WORDS = 2
"""Models up to which each panel says how wide its bands are; more words would hide the bands."""
OBLIVIOUS: dict[str, Any] = {"color": "#333333", "lw": 1.2, "ls": (0, (3, 1.5))}


def cutoffs_figure(
    summary: pl.DataFrame, measures: Sequence[str], policy: str, note: str
) -> Figure:
    """Draw a row of panels for each data set and measure, a panel for each regime.

    A band reaches from the worst to the best order of the tied documents, and the dashed line is
    what a tie-oblivious tool reports, both as a difference to the expected value: next to the
    value itself, which is much the same in every regime, the effect of ties could not be seen.

    Parameters
    ----------
    summary : polars.DataFrame
        The study's averages.
    measures : sequence of str
        Measures whose families are drawn at every cut-off that the study has.
    policy : str
        Tie policy of the oblivious value.
    note : str
        The footer.
    """
    summary = with_cutoffs(summary.filter(pl.col("policy") == policy))
    regimes = summary["regime"].unique(maintain_order=True).to_list()
    known = set(summary["family"])
    families = [f for f in dict.fromkeys(name.partition("@")[0] for name in measures) if f in known]
    if not families:
        return nothing_to_draw(NO_CUTOFF, note)
    rows = [
        (dataset, family)
        for dataset in summary["dataset"].unique(maintain_order=True)
        for family in families
    ]
    with style():
        from matplotlib import pyplot

        figure, axes = pyplot.subplots(
            len(rows),
            len(regimes),
            figsize=(2.1 * len(regimes) + 0.6, 2.1 * len(rows) + 0.9),
            sharex=True,
            sharey="row",
            squeeze=False,
            layout="constrained",
        )
        for (dataset, family), line in zip(rows, axes, strict=True):
            for regime, panel in zip(regimes, line, strict=True):
                _draw(
                    panel,
                    summary.filter(
                        pl.col("dataset") == dataset,
                        pl.col("family") == family,
                        pl.col("regime") == regime,
                    ),
                )
            line[0].set_ylabel(f"{family}@k\n{dataset}")
        for regime, panel in zip(regimes, axes[0], strict=True):
            panel.set_title(regime)
        log_cutoffs(axes[-1], sorted(summary["cutoff"].unique()))
        words = "difference to the expected value, percentage points"
        figure.supylabel(words, fontsize=9)
        footnote(figure, note)
        legend(figure, summary["model"].unique(maintain_order=True).to_list())
    return figure


def with_cutoffs(summary: pl.DataFrame) -> pl.DataFrame:
    """Split measures into family and cut-off; those without a cut-off are left out.

    Rows come family by family, in the order in which the families first appear, and by cut-off.
    """
    family_and_cutoff = pl.col("measure").str.split_exact("@", 1)
    split = summary.with_columns(family_and_cutoff.alias("parts")).with_columns(
        family=pl.col("parts").struct[0],
        cutoff=pl.col("parts").struct[1].cast(pl.Int64),
    )
    found = split.drop("parts").filter(pl.col("cutoff").is_not_null())
    numbers = {name: n for n, name in enumerate(found["family"].unique(maintain_order=True))}
    number = pl.col("family").replace_strict(numbers, return_dtype=pl.Int64)
    return found.sort(number, "cutoff", maintain_order=True)


def _draw(panel: Axes, cell: pl.DataFrame) -> None:
    panel.axhline(0, color="#555555", lw=0.8)
    models = cell["model"].unique(maintain_order=True)
    for number, model in enumerate(models):
        rows = cell.filter(pl.col("model") == model)
        low, high, oblivious = (
            100 * (rows[name] - rows["expected"]).to_numpy() for name in ("min", "max", "oblivious")
        )
        colour = f"C{number}"
        panel.fill_between(rows["cutoff"], low, high, color=colour, alpha=BAND, lw=0)
        panel.plot(rows["cutoff"], oblivious, **(OBLIVIOUS | {"color": colour}))
        if len(models) <= MOST_WORDS:
            panel.annotate(
                _widest(rows),
                xy=(0.98, 0.03 + 0.08 * number),
                xycoords="axes fraction",
                ha="right",
                color=colour,
                fontsize=7,
            )
    panel.margins(y=0.15 + 0.05 * min(len(models), MOST_WORDS))  # room for the words


def _widest(rows: pl.DataFrame) -> str:
    widest = rows.row(rows["range"].arg_max() or 0, named=True)
    if widest["range"] == 0:
        return "range 0 at every k"
    expected = 100 * widest["expected"]
    return f"widest {100 * widest['range']:.2f} at {widest['cutoff']}, expected {expected:.1f}"


def legend(figure: Figure, models: Sequence[str]) -> None:
    """Explain colours, bands and lines above the panels."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Artist] = [Patch(color=f"C{i}", label=model) for i, model in enumerate(models)]
    handles += [
        Line2D([], [], color="#555555", lw=0.8, label="expected over all orders of ties"),
        Patch(color="#555555", alpha=BAND, lw=0, label="worst to best order"),
        Line2D([], [], **OBLIVIOUS, label="what a tie-oblivious tool reports"),
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=4)


def log_cutoffs(bottom: Sequence[Axes], cutoffs: Sequence[int]) -> None:
    """Put cut-offs on a logarithmic axis, each with its tick."""
    for panel in bottom:
        panel.set_xscale("log")
        panel.set_xticks(cutoffs, [str(k) for k in cutoffs])
        panel.minorticks_off()
        panel.set_xlabel("cut-off k")
