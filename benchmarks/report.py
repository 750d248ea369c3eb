"""Time and memory of what a reader sees of the paper's study: averages, tables, figures, page.

Run: ``python benchmarks/report.py``. The study has its five models, twelve data sets and five
regimes, with made-up metrics of 750 queries in each of the 300 cells (9,000 queries in all), so
that no model is needed. Each step is called as the workflow calls it.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from fabricated import fabricate, paper_study  # noqa: E402
from steps import averages, claims, summary, verdicts  # noqa: E402
from tiewise.report.figures.study import draw_figures  # noqa: E402
from tiewise.report.study_page.page import write_page  # noqa: E402
from tiewise.report.tables.study import write_tables  # noqa: E402
from tiewise.store.artifacts import write_artifact  # noqa: E402
from tiewise.study.config import Study  # noqa: E402
from tiewise.study.layout import Layout  # noqa: E402

QUERIES = 750
MOST_SECONDS, MOST_GIB = 90, 4


def make_metrics(study: Study) -> pl.DataFrame:
    """Make one cell's metrics: a row a query, measure and tie policy."""
    rng, config = np.random.default_rng(0), study.config
    queries = pl.DataFrame({"query_id": [f"q{n:03d}" for n in range(QUERIES)]})
    measures = pl.DataFrame({"measure": config.measures})
    rows = queries.join(measures, how="cross")
    low, middle, high = np.sort(rng.random((3, rows.height)), axis=0)
    rows = rows.with_columns(
        *(pl.Series(n, v) for n, v in (("expected", middle), ("min", low), ("max", high))),
        range=high - low,
        sd=(high - low) / 4,
        oblivious=low,
        bias=low - middle,
    )
    return pl.concat(rows.with_columns(policy=pl.lit(policy)) for policy in config.policies)


def prepare(study: Study, folder: Path) -> Layout:
    layout, metrics = fabricate(study, folder), make_metrics(study)
    for name, model, regime in study.cells:
        note = {"arithmetic": "simulated", "dataset": name, "model": model}
        write_artifact(metrics, layout.metrics(name, model, regime), provenance=note)
    return layout


def steps(study: Study, layout: Layout) -> dict[str, Callable[[], object]]:
    return {
        "averages over queries": lambda: summary(study, layout),
        "averages over data sets": lambda: averages(study, layout),
        "verdicts": lambda: verdicts(study, layout),
        "claims": lambda: claims(study, layout),
        "tables": lambda: write_tables(study, layout),
        "figures": lambda: draw_figures(study, layout),
        "page": lambda: write_page(study, layout),
    }


def main() -> None:
    study, table = paper_study(), Table("step", "seconds")
    with tempfile.TemporaryDirectory() as folder:
        layout, total = prepare(study, Path(folder)), 0.0
        for name, step in steps(study, layout).items():
            began = perf_counter()
            step()
            seconds = perf_counter() - began
            total += seconds
            table.add_row(name, f"{seconds:.1f}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    table.add_row(f"all (at most {MOST_SECONDS})", f"{total:.1f}")
    table.add_row(f"peak memory, GiB (at most {MOST_GIB})", f"{peak:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
