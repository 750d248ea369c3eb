"""What all figures share: one style, three formats, files that do not change without reason."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tiewise.io.artifacts import writing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLE = Path(__file__).with_name("tiewise.mplstyle")
FORMATS = ("pdf", "svg", "png")


@contextmanager
def style() -> Iterator[None]:
    """Draw in the project's style and without a display."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    with pyplot.style.context(STYLE):
        yield


def save(figure: Figure, stem: Path) -> None:
    """Write a figure as ``stem.pdf``, ``stem.svg`` and ``stem.png``."""
    # Without dates the same data give the same bytes.
    undated = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {}}
    with style():
        for suffix in FORMATS:
            with writing(stem.with_suffix(f".{suffix}")) as part:
                figure.savefig(part, format=suffix, metadata=undated[suffix])
