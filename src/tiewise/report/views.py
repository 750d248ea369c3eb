"""The views of a study, one function a rule: artifacts in, tables and figures out."""

from __future__ import annotations

from pathlib import Path

from tiewise.io.artifacts import read_artifact, read_provenance
from tiewise.report import cutoffs
from tiewise.report import main_table as main
from tiewise.report.figures import save
from tiewise.report.footer import footer
from tiewise.report.tables import write_table
from tiewise.study.config import Study
from tiewise.study.layout import RESULTS, Layout


def main_table(study: Study, layout: Layout = RESULTS) -> None:
    """Write T-main as ``tables/main`` in CSV, Markdown and LaTeX."""
    summary = read_artifact(layout.summary())
    policy = study.config.policies[0]
    tidy, wide = main.main_table(summary, study.config.table_measures, policy)
    note = footer(summary, read_provenance(layout.summary()), policy)
    write_table(tidy, wide, Path(layout.results, "tables", "main"), note=note)


def cutoffs_figure(study: Study, layout: Layout = RESULTS) -> None:
    """Draw F-cutoffs as ``figures/cutoffs`` in PDF, SVG and PNG."""
    summary = read_artifact(layout.summary())
    policy = study.config.policies[0]
    note = footer(summary, read_provenance(layout.summary()), policy)
    figure = cutoffs.cutoffs_figure(summary, study.config.table_measures, policy, note)
    save(figure, Path(layout.results, "figures", "cutoffs"))
