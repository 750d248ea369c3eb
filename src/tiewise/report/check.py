"""Reproduced against published numbers, and the claims, on the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tiewise.errors import InputError
from tiewise.report.tables.table import shown
from tiewise.store.artifacts import read_artifact
from tiewise.study.layout import Layout
from tiewise.study.steps.check_claims import FAILS, HOLDS
from tiewise.study.steps.check_published import EXACT, MISSING, OUTSIDE, TIES, TOLERANCE

STYLES = {
    EXACT: "green",
    TIES: "cyan",
    TOLERANCE: "yellow",
    OUTSIDE: "bold red",
    HOLDS: "green",
    FAILS: "bold red",
}


@dataclass(frozen=True)
class Check:
    """What a finished study says about published numbers and the paper's claims.

    Attributes
    ----------
    verdicts : polars.DataFrame
        A row a published number: source, dataset, model, regime, measure, quantity, published,
        reproduced (null where the study lacks the cell), difference, verdict, reason.
    claims : polars.DataFrame
        A row a claim and scope: number, claim, scope, verdict, figures.
    """

    verdicts: pl.DataFrame
    claims: pl.DataFrame

    @property
    def found(self) -> pl.DataFrame:
        """The verdicts on numbers that the study has."""
        return self.verdicts.filter(pl.col("verdict") != MISSING)

    @property
    def n_outside(self) -> int:
        """Published numbers that the study does not reproduce; any at all is exit code 1."""
        return self.verdicts.filter(pl.col("verdict") == OUTSIDE).height

    @property
    def summary(self) -> str:
        """One sentence on numbers, one on claims."""
        counts = dict(self.found["verdict"].value_counts().rows())
        parts = [f"{counts[v]} {v}" for v in (EXACT, TIES, TOLERANCE, OUTSIDE) if v in counts]
        numbers = f"{self.found.height} published numbers are in this study"
        held = dict(self.claims["verdict"].value_counts().rows())
        said = f"{numbers}: {', '.join(parts)}." if parts else f"No {numbers[2:]}."
        return (
            f"{said} Of the paper's claims {held.get(HOLDS, 0)} hold, {held.get(FAILS, 0)} do "
            f"not, {held.get(MISSING, 0)} are not in this study."
        )


def check(results: Path) -> Check:
    """Read the verdicts of a finished study.

    Parameters
    ----------
    results : pathlib.Path
        The results folder.

    Raises
    ------
    InputError
        The folder holds no verdicts.
    """
    layout = Layout(str(results))
    if not layout.verdicts().is_file():
        raise InputError(f"{layout.verdicts()}: no such file; run the study first: make reproduce")
    return Check(read_artifact(layout.verdicts()), read_artifact(layout.claims()))


def check_text(found: Check) -> RenderableType:
    """Lay out verdicts for the terminal: a row a number, a row a claim, and a summary."""
    return Group(*_parts(found))


def _parts(found: Check) -> Iterator[RenderableType]:
    cells = ["source", "dataset", "model"]
    for (source, dataset, model), rows in found.found.group_by(cells, maintain_order=True):
        yield Text(f"{model} on {dataset}, published in {source}, in percent", style="bold")
        yield _verdicts(rows)
    lost = found.verdicts.filter(pl.col("verdict") == MISSING)
    counts = lost.group_by("source", "reason", maintain_order=True).len()
    for source, reason, n in counts.iter_rows():
        yield Text(f"{n} numbers of {source} are not in this study: {reason}\n")
    yield Text("The paper's claims", style="bold")
    for (number, claim), rows in found.claims.group_by("number", "claim", maintain_order=True):
        yield Text(f"{number}. {claim}")
        for scope, verdict, figures in rows.select("scope", "verdict", "figures").iter_rows():
            said = Text.assemble(f"{scope}: ", (verdict, STYLES.get(verdict, "dim")))
            yield Padding(said.append(f" ({figures})"), (0, 0, 0, 3))
    yield Text(f"\n{found.summary}")


def _verdicts(rows: pl.DataFrame) -> Padding:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("regime", "measure", "quantity"):
        table.add_column(name, no_wrap=True)
    for name in ("published", "reproduced"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict and reason")
    for row in rows.iter_rows(named=True):
        verdict = Text(row["verdict"], style=STYLES.get(row["verdict"], ""))
        table.add_row(
            *(Text(row[name]) for name in ("regime", "measure", "quantity")),
            *(shown(row[name], row["n_decimals"]) for name in ("published", "reproduced")),
            verdict.append(f": {row['reason']}", style="default"),
        )
    return Padding(table, (0, 0, 1, 2))
