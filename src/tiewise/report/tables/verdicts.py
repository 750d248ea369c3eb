"""Published against reproduced numbers, and the paper's claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import polars as pl

from tiewise.report.tables.table import Table, row_labels, shown
from tiewise.study.steps.check_published import MISSING

if TYPE_CHECKING:
    from tiewise.study.config import Study


def verdicts_table(study: Study, verdicts: pl.DataFrame) -> Table:
    """Lay out a row for each published number that is in the study.

    Parameters
    ----------
    study : Study
        The study.
    verdicts : polars.DataFrame
        The artifact.
    """
    title = "Published and reproduced, in percent"
    found = verdicts.filter(pl.col("verdict") != MISSING)
    lost = verdicts.height - found.height
    notes = (f"{lost} published numbers are not in this study",) if lost else ()
    if found.is_empty():
        return Table(title, verdicts, pd.DataFrame(), notes=notes or ("nothing is published",))
    wide = pd.DataFrame(
        {
            "published": [
                shown(value, n) for value, n in found.select("published", "n_decimals").iter_rows()
            ],
            "reproduced": [
                shown(value, n) for value, n in found.select("reproduced", "n_decimals").iter_rows()
            ],
            "verdict": found["verdict"].to_list(),
            "reason": found["reason"].to_list(),
        },
        index=row_labels(
            study, found, ("source", "dataset", "model", "regime", "measure", "quantity")
        ),
    )
    return Table(title, verdicts, wide, notes=notes)


def claims_table(claims: pl.DataFrame) -> Table:
    """Lay out the paper's claims and whether they hold."""
    wide = pd.DataFrame(
        {"verdict": claims["verdict"].to_list(), "figures": claims["figures"].to_list()},
        index=pd.MultiIndex.from_arrays(
            [claims[name].to_list() for name in ("number", "claim", "scope")],
            names=["number", "claim", "scope"],
        ),
    )
    return Table("The paper's claims", claims, wide)
