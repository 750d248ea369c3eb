"""Averages of the measures over data sets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from tiewise.store.artifacts import Kind, read_artifact, read_provenance, write_artifact
from tiewise.study.columns import CELL, JUDGED
from tiewise.study.reading import label

if TYPE_CHECKING:
    from tiewise.study.config import Study

RERANKING, RETRIEVAL = "reranking", "retrieval"
"""Data sets that come with their candidates, and those whose candidates BM25 finds."""


def dataset_groups(study: Study) -> dict[str, list[str]]:
    """Tell data sets that come with candidates from those whose candidates BM25 finds.

    Returns
    -------
    dict of str to list of str
        Names by group, in the study's order; a group without data sets is left out.
    """
    groups: dict[str, list[str]] = {}
    for name, spec in study.datasets.items():
        group = RERANKING if spec.candidates.kind == "given" else RETRIEVAL
        groups.setdefault(group, []).append(name)
    return groups


KIND = Kind(
    "averages",
    {
        "group": pl.String,
        **{name: kind for name, kind in CELL.items() if name != "dataset"},
        **JUDGED,
        "n_datasets": pl.Int64,
        "n_queries": pl.Int64,
    },
)


def average_datasets(study: Study, *, summary: Path, averages: Path) -> None:
    """Average the measures over the data sets of each group, every data set counting the same."""
    rows = read_artifact(summary)
    frames = [
        label(over_datasets(rows.filter(pl.col("dataset").is_in(names))), group=group)
        for group, names in dataset_groups(study).items()
    ]
    note = read_provenance(summary)
    write_artifact(pl.concat(frames), averages, provenance=note, kind=KIND)


def over_datasets(summary: pl.DataFrame) -> pl.DataFrame:
    """Average over data sets: means, and the sd of a mean of independent values.

    Parameters
    ----------
    summary : polars.DataFrame
        Averages over queries, one row a data set, model, regime, measure and policy.

    Returns
    -------
    polars.DataFrame
        The columns of `summary` but dataset, and n_datasets; n_queries is the sum.

    Examples
    --------
    >>> row = {"model": "m", "regime": "bf16", "arithmetic": "native", "measure": "RR"}
    >>> row |= {"policy": "trec", "min": 0.0, "max": 1.0, "range": 1.0, "oblivious": 1.0}
    >>> row |= {"bias": 0.5, "sd": 0.3, "n_queries": 10}
    >>> two = [row | {"dataset": "a", "expected": 0.5}, row | {"dataset": "b", "expected": 0.7}]
    >>> over_datasets(pl.DataFrame(two)).select("expected", "n_datasets", "n_queries").rows()
    [(0.6, 2, 20)]
    """
    keys = ["model", "regime", "arithmetic", "measure", "policy"]
    means = ["expected", "min", "max", "range", "oblivious", "bias"]
    return summary.group_by(keys, maintain_order=True).agg(
        pl.col(means).mean(),
        sd=pl.col("sd").pow(2).sum().sqrt() / pl.len(),
        n_datasets=pl.len().cast(pl.Int64),
        n_queries=pl.col("n_queries").sum(),
    )
