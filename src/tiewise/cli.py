"""The command `tiewise`: a thin shell over the package, one function a command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tiewise.errors import InputError

app = typer.Typer(
    name="tiewise",
    help="How much of a retrieval score is the model, and how much the order of its ties?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@app.callback()
def _several_commands() -> None:
    """Keep `tiewise show` a command of its own while there is no other."""


@app.command()
def show(
    results: Annotated[Path, typer.Argument(help="Results folder of a study.")] = Path("results"),
) -> None:
    """Print a finished study's main table, and where its results lie."""
    from tiewise.report.show import show as print_study

    print_study(results, Console())


def main() -> None:
    """Run the command; wrong input ends it with one message and exit code 2."""
    try:
        app()
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
