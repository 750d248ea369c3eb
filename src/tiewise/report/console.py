"""What is laid out for a terminal, as plain text."""

from __future__ import annotations

from rich.console import Console, RenderableType

_PLAIN_WIDTH = 120
"""Columns of text that goes to a file or a pipe, where there is no terminal to ask."""


def plain_text(shown: RenderableType) -> str:
    r"""Render for a file or a pipe: no colours, no control codes, a fixed width.

    Examples
    --------
    >>> plain_text("[bold]nDCG@10[/bold]")
    'nDCG@10\n'
    """
    console = Console(
        width=_PLAIN_WIDTH, color_system=None, force_terminal=False, legacy_windows=False
    )
    with console.capture() as captured:
        console.print(shown)
    return "".join(f"{line.rstrip()}\n" for line in captured.get().splitlines())
