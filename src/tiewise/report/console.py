"""What a command says: its result on standard output or in a file, the rest on standard error."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tiewise.errors import InputError

if TYPE_CHECKING:
    import polars as pl
    from rich.console import RenderableType

_PLAIN_WIDTH = 120
"""Columns of text that goes to a file or a pipe, where there is no terminal to ask."""


def plain_text(shown: RenderableType) -> str:
    r"""Render for a file or a pipe: no colours, no control codes, a fixed width.

    Examples
    --------
    >>> plain_text("[bold]nDCG@10[/bold]")
    'nDCG@10\n'
    """
    from rich.console import Console

    console = Console(
        width=_PLAIN_WIDTH, color_system=None, force_terminal=False, legacy_windows=False
    )
    with console.capture() as captured:
        console.print(shown)
    return "".join(f"{line.rstrip()}\n" for line in captured.get().splitlines())


class Notes:
    """Warnings of a command: said on standard error when they come, and kept."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, texts: Sequence[str]) -> None:
        """Say each text once."""
        for text in texts:
            if text not in self.said:
                self.said.append(text)
                typer.echo(f"warning: {text}", err=True)


@contextmanager
def speaking() -> Iterator[Notes]:
    """Say warnings and refusals of input on standard error; a refusal is exit code 2."""
    notes = Notes()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        notes.say([str(message)])

    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = show
        try:
            yield notes
        except InputError as error:
            typer.echo(f"error: {error}", err=True)
            raise typer.Exit(2) from None


def write_rows(rows: pl.DataFrame, output: Path | None, *, tsv: bool) -> None:
    """Write rows as tab-separated values, or as one JSON object a line."""
    write(rows.write_csv(separator="\t") if tsv else rows.write_ndjson(), output)


def write_text(shown: RenderableType, output: Path | None) -> None:
    """Show what is laid out; plain where it does not go to a terminal."""
    from rich.console import Console

    if output is None and sys.stdout.isatty():
        Console().print(shown)
    else:
        write(plain_text(shown), output)


def write(text: str, output: Path | None) -> None:
    """Write a file whole or not at all, or print.

    Raises
    ------
    InputError
        The file cannot be written.
    """
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    from tiewise.store.artifacts import writing

    with writing(output) as part:
        part.write_text(text, encoding="utf-8")
