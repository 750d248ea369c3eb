"""F-bits: how number formats spend their bits, and how far apart their numbers are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tiewise.precision.grids import BINARY_GRIDS
from tiewise.report.figures.style import footnote, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("fp32", "bf16", "fp16", "fp8_e4m3", "fp8_e5m2")
INT8_STEP = 1 / 127
"""Spacing of INT8 with the usual scale, which maps 1 to 127."""
FIELDS = {"sign": "#B0B7BF", "exponent": "#E69F00", "fraction": "#56B4E9", "integer": "#009E73"}
STYLES: dict[str, dict[str, Any]] = {
    "fp32": {"color": "#333333"},
    "bf16": {"color": "C0"},
    "fp16": {"color": "C1"},
    "fp8_e4m3": {"color": "C2"},
    "fp8_e5m2": {"color": "C3"},
    "int8": {"color": "C4", "ls": "--"},
}


def bits_figure() -> Figure:
    """Draw the bits of each format, and its spacing between 0 and 1."""
    with style():
        from matplotlib import pyplot

        figure, (layout, spacing) = pyplot.subplots(
            2, 1, figsize=(8, 6.4), height_ratios=(1, 1.5), layout="constrained"
        )
        _layouts(layout)
        _spacings(spacing)
        note = "Few numbers, many ties: in (0.5, 1) FP32 has 8,388,607 numbers, "
        note += "FP16 1,023, BF16 127, FP8 7 or 3; INT8: scale 1/127."
        footnote(figure, note)
    return figure


def _layouts(panel: Axes) -> None:
    from matplotlib.patches import Patch

    rows: dict[str, list[tuple[str, int]]] = {
        name: [
            ("sign", 1),
            ("exponent", BINARY_GRIDS[name].exponent_bits),
            ("fraction", BINARY_GRIDS[name].fraction_bits),
        ]
        for name in FORMATS
    }
    rows["int8"] = [("sign", 1), ("integer", 7)]
    for row, fields in enumerate(rows.values()):
        left = 0
        for kind, width in fields:
            panel.barh(row, width, left=left, height=0.72, color=FIELDS[kind], edgecolor="white")
            for bit in range(left + 1, left + width):
                panel.vlines(bit, row + 0.2, row + 0.36, color="white", lw=0.8)
            panel.text(left + width / 2, row, str(width), ha="center", va="center", fontsize=8)
            left += width
    panel.set_yticks(range(len(rows)), list(rows))
    panel.invert_yaxis()
    panel.set_xticks([])
    panel.grid(visible=False)
    panel.spines[["left", "bottom"]].set_visible(False)
    panel.tick_params(length=0)
    panel.set_title("Bits")
    handles = [Patch(color=colour, label=kind) for kind, colour in FIELDS.items()]
    panel.legend(handles=handles, loc="lower right")


def _spacings(panel: Axes) -> None:
    at = np.linspace(0.001, 0.9995, 4000)
    for name in FORMATS:
        panel.plot(at, BINARY_GRIDS[name].spacing(at), label=name, **STYLES[name])
    panel.plot(at, np.full_like(at, INT8_STEP), label="int8", **STYLES["int8"])
    panel.set_yscale("log")
    panel.set_xlim(0, 1)
    panel.set_xlabel("score")
    panel.set_ylabel("distance to the next number")
    panel.set_title("Spacing of the numbers between 0 and 1")
    panel.legend(ncols=3, loc="lower right")
