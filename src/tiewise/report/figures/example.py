"""F-example: five documents, three of them tied, and what R@3 is in every order."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

from tiewise.judging.arrays import evaluate_arrays
from tiewise.precision.grids import BF16
from tiewise.report.figures.style import footnote, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DOCUMENTS = ("A", "B", "C", "D", "E")
EXACT = (0.912, 0.8845, 0.8829, 0.8837, 0.401)
RELEVANT = (1, 0, 1, 0, 0)
CUTOFF = 3
TIED = slice(1, 4)
COLOURS = ("#F3F5F7", "#BFE3D4")


def example_figure() -> Figure:
    """Draw the ranking in FP32 and every order of the tied documents, with R@3 of each."""
    low = BF16.round(EXACT).tolist()
    orders = [DOCUMENTS[:1] + order + DOCUMENTS[4:] for order in permutations(DOCUMENTS[TIED])]
    value = evaluate_arrays([low], [RELEVANT], [f"R@{CUTOFF}"])[f"R@{CUTOFF}"]
    by_name = dict(zip(DOCUMENTS, RELEVANT, strict=True))
    with style():
        from matplotlib import pyplot

        figure, panel = pyplot.subplots(figsize=(8.6, 3.5), layout="constrained")
        exact = sorted(zip(EXACT, DOCUMENTS, strict=True), reverse=True)
        _column(panel, 0, [name for _, name in exact], by_name, [f"{s:.4f}" for s, _ in exact])
        panel.text(0, -0.75, "FP32", ha="center", weight="bold")
        for number, order in enumerate(orders, start=1):
            place = number + 0.7
            _column(panel, place, order, by_name, [f"{score:.3f}" for score in low])
            _outline(panel, place)
        middle = (1.7 + len(orders) + 0.7) / 2
        panel.text(
            middle,
            -0.75,
            "BF16: six orders, each equally right",
            ha="center",
            weight="bold",
        )
        panel.axhline(CUTOFF - 0.5, color="#C2410C", lw=1.2, ls=(0, (4, 2)))
        panel.text(
            -1.15,
            CUTOFF - 0.5,
            f"cut-off {CUTOFF}",
            color="#C2410C",
            va="center",
            ha="center",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
        )
        panel.text(-1.15, 5.05, f"R@{CUTOFF}", weight="bold", ha="center")
        panel.text(
            middle,
            5.65,
            f"expected {value.expected[0]:.4f}, from {value.min[0]:.1f} to {value.max[0]:.1f}: "
            f"range {value.range[0]:.1f}",
            ha="center",
        )
        panel.set_xlim(-1.8, len(orders) + 1.5)
        panel.set_ylim(5.9, -1.1)
        panel.axis("off")
        note = "Green: relevant. Outlined: one tie group; B, C and D differ in FP32 only."
        footnote(figure, note)
    return figure


def _column(
    panel: Axes,
    place: float,
    order: tuple[str, ...] | list[str],
    relevant: dict[str, int],
    scores: list[str],
) -> None:
    from matplotlib.patches import FancyBboxPatch

    for row, (name, score) in enumerate(zip(order, scores, strict=True)):
        box = FancyBboxPatch(
            (place - 0.4, row - 0.36),
            0.8,
            0.72,
            boxstyle="round,pad=0,rounding_size=0.08",
            facecolor=COLOURS[relevant[name]],
            edgecolor="#999999",
            lw=0.6,
        )
        panel.add_patch(box)
        panel.text(place - 0.3, row, name, va="center", weight="bold")
        panel.text(place + 0.34, row, score, va="center", ha="right", fontsize=7)
    found = sum(relevant[name] for name in order[:CUTOFF])
    panel.text(place, 5.05, f"{found / sum(RELEVANT):.1f}", ha="center")


def _outline(panel: Axes, place: float) -> None:
    from matplotlib.patches import Rectangle

    first, last = TIED.start, TIED.stop - 1
    panel.add_patch(
        Rectangle(
            (place - 0.46, first - 0.45),
            0.92,
            last - first + 0.9,
            fill=False,
            edgecolor="#0072B2",
            lw=1.4,
        )
    )
