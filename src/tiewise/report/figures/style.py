"""What all figures share: one style, three formats, files that do not change without reason."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tiewise.report.names import FIGURE_SUFFIXES
from tiewise.store.artifacts import writing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LETTERS_PER_INCH = 20
STYLE = Path(__file__).with_name("tiewise.mplstyle")


@contextmanager
def style() -> Iterator[None]:
    """Draw in the project's style and without a display."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    with pyplot.style.context(STYLE):
        yield


def nothing_to_draw(reason: str, note: str) -> Figure:
    """Say in place of a figure why there is none."""
    with style():
        from matplotlib import pyplot

        figure = pyplot.figure(figsize=(6.4, 1.6), layout="constrained")
        figure.text(0.5, 0.6, reason, ha="center")
        footnote(figure, note)
    return figure


def footnote(figure: Figure, note: str) -> None:
    """Write the footer under a figure, in as many lines as its width asks for."""
    lines = textwrap.fill(note, int(_LETTERS_PER_INCH * figure.get_figwidth()))
    figure.supxlabel(lines, fontsize=6.5, color="#666666")


def save(figure: Figure, stem: Path) -> None:
    """Write a figure as ``stem.pdf``, ``stem.svg`` and ``stem.png``."""
    # Without dates the same data give the same bytes.
    undated: dict[str, dict[str, None]] = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}}
    with style():
        from matplotlib import pyplot

        if figure.get_layout_engine() is not None:
            # One layout serves all formats: to find it takes longer than to draw.
            figure.draw_without_rendering()
            figure.set_layout_engine(None)
        for suffix in FIGURE_SUFFIXES:
            with writing(f"{stem}{suffix}") as part:
                figure.savefig(part, format=suffix[1:], metadata=undated.get(suffix))
        pyplot.close(figure)
