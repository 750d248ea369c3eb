"""Certain and uncertain orders of models: what ties leave open, and apart from it the queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl

from tiewise.report.names import labels
from tiewise.report.tables.table import Table, row_labels, shown

if TYPE_CHECKING:
    from tiewise.study.config import Study

_KEYS = ("dataset", "regime", "measure")


def pairs_table(study: Study, pairs: pl.DataFrame) -> Table:
    """Lay out every pair of models with the bounds of their difference.

    Parameters
    ----------
    study : Study
        The study.
    pairs : polars.DataFrame
        The artifacts' rows of all data sets; without rows in a study of one model.
    """
    title = "Orders of pairs of models, in percentage points"
    if pairs.is_empty():
        return Table(title, pairs, pd.DataFrame(), notes=("no pair: the study has one model",))
    rows = list(pairs.iter_rows(named=True))
    label = labels(study)["model"]
    wide = pd.DataFrame(
        {
            "models": [f"{label[r['model_a']]} – {label[r['model_b']]}" for r in rows],
            "expected": [f"{100 * r['delta']:+.2f}" for r in rows],
            "oblivious": [f"{100 * r['delta_oblivious']:+.2f}" for r in rows],
            "worst – best": [
                f"{100 * r['delta_min']:+.2f} – {100 * r['delta_max']:+.2f}" for r in rows
            ],
            "order": [_order(r) for r in rows],
            "p (greater)": [shown(r["p_greater"], 3) for r in rows],
            "p (queries)": [shown(r["p_holm"], 4) for r in rows],
        },
        index=row_labels(study, pairs, _KEYS),
    )
    notes = (
        "order: certain where no order of ties turns it; turned where expected and oblivious "
        "disagree",
        "p (greater): chance that the first model scores more, all orders of ties equally likely",
        "p (queries): paired randomisation test over queries on expected values, Holm-adjusted",
    )
    return Table(title, pairs, wide, notes=notes)


def _order(row: dict[str, Any]) -> str:
    if row["certain"]:
        return "certain"
    return "turned" if row["delta"] * row["delta_oblivious"] < 0 else "open"
