"""The line under every table and figure: what study, arithmetic, tie policy and versions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from tiewise.store.artifacts import read_artifact, read_provenance
from tiewise.study.layout import Layout

if TYPE_CHECKING:
    from tiewise.study.config import Study


def study_footer(study: Study, layout: Layout) -> str:
    """Say the footer of a study's tables and figures."""
    summary, note = read_artifact(layout.summary()), read_provenance(layout.summary())
    return footer(summary, note, study.config.policies[0])


def footer(summary: pl.DataFrame, provenance: Mapping[str, Any], policy: str) -> str:
    """Say in one line what a reader must know to cite a number.

    Parameters
    ----------
    summary : polars.DataFrame
        The rows shown, with columns `regime`, `arithmetic` and `n_queries`.
    provenance : mapping
        The summary's provenance.
    policy : str
        Tie policy of the oblivious values shown.
    """
    libraries = provenance["libraries"]
    queries = sorted(set(summary["n_queries"].to_list()))
    parts = [
        f"Study {provenance['study']}",
        f"{'/'.join(map(str, queries))} queries",
        f"low-precision arithmetic {_arithmetic(summary)}",
        f"oblivious under tie policy {policy}",
        f"tiewise {provenance['tiewise']}, torch {libraries['torch']}, "
        f"transformers {libraries['transformers']}",
    ]
    return "; ".join(parts) + "."


def _arithmetic(summary: pl.DataFrame) -> str:
    low = summary.filter(pl.col("regime") != "fp32")
    return " and ".join(sorted(set(low["arithmetic"].to_list()))) or "not used"
