"""All tables of a study: artifacts in, CSV, Markdown and LaTeX out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from tiewise.report.footer import study_footer
from tiewise.report.names import TABLES
from tiewise.report.tables.alternatives import alternatives_table, cost_table, toolkits_table
from tiewise.report.tables.main import main_table, retrieval_table, spread_table
from tiewise.report.tables.pairs import pairs_table
from tiewise.report.tables.table import Table
from tiewise.report.tables.ties import groups_table, origins_table, spearman_table, unique_table
from tiewise.report.tables.verdicts import claims_table, verdicts_table
from tiewise.report.tables.write import write_table
from tiewise.store.artifacts import read_artifact
from tiewise.study.layout import RESULTS, Layout
from tiewise.study.reading import label
from tiewise.study.steps.compare_models import KIND as PAIRS

if TYPE_CHECKING:
    from tiewise.study.config import Study


def study_tables(study: Study, layout: Layout = RESULTS) -> dict[str, Table]:
    """Lay out all tables of a study by name, in the order of `TABLES`."""
    summary, ties = read_artifact(layout.summary()), read_artifact(layout.tie_summary())
    tables = {
        "main": main_table(study, summary),
        "retrieval": retrieval_table(study, summary, read_artifact(layout.averages())),
        "spread": spread_table(study, summary),
        "unique": unique_table(study, ties),
        "groups": groups_table(study, ties),
        "origins": origins_table(study, ties),
        "spearman": spearman_table(study, ties),
        "alternatives": alternatives_table(study, _of_models(study, layout.alternatives)),
        "toolkits": toolkits_table(study, _of_models(study, layout.toolkits)),
        "cost": cost_table(study, _of_models(study, layout.cost)),
        "pairs": pairs_table(study, _pairs(study, layout)),
        "verdicts": verdicts_table(study, read_artifact(layout.verdicts())),
        "claims": claims_table(read_artifact(layout.claims())),
    }
    return {name: tables[name] for name in TABLES}


def write_tables(study: Study, layout: Layout = RESULTS) -> None:
    """Write every table in CSV, Markdown and LaTeX."""
    footer = study_footer(study, layout)
    for name, table in study_tables(study, layout).items():
        write_table(table, layout.table(name), footer=footer)


def _of_models(study: Study, path: Callable[[str, str], Path]) -> pl.DataFrame:
    return pl.concat(
        label(read_artifact(path(dataset, model)), dataset=dataset, model=model)
        for dataset in study.datasets
        for model in study.models
    )


def _pairs(study: Study, layout: Layout) -> pl.DataFrame:
    if len(study.models) < 2:
        return PAIRS.frame()
    return pl.concat(read_artifact(layout.pairs(name)) for name in study.datasets)
