"""Published numbers, as files that lie beside the configs: ``<catalog>/published/*.csv``.

``python -m tiewise.study.published RESULTS FILE`` writes such a file from a finished study, so that
another machine can see whether it gets the same.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from tiewise.errors import Problems, did_you_mean, some
from tiewise.store.artifacts import read_artifact, read_provenance

if TYPE_CHECKING:
    from tiewise.study.config import Study

COLUMNS = (
    *("dataset", "model", "regime", "measure", "quantity", "policy"),
    *("published", "tolerance"),
)
QUANTITIES = ("expected", "oblivious", "range", "bias")
ANY = "any"
"""Stands for the data set, model or measure with the largest value."""
OWN_TOLERANCE = 0.05
"""Percentage points by which a study's own numbers may move on another machine."""
TRAINED_TOLERANCE = 1.5
"""The same for models that the study trains: their weights depend on processor and threads."""


def published_files(study: Study, root: Path) -> list[Path]:
    """List the files of published numbers in a study's catalog folders.

    Parameters
    ----------
    study : Study
        The study.
    root : pathlib.Path
        The repository; catalog folders are relative to it.
    """
    folders = [root / folder / "published" for folder in study.config.catalog]
    return [path for folder in folders for path in sorted(folder.glob("*.csv"))]


def read_published(paths: Iterable[Path]) -> pl.DataFrame:
    """Read files of published numbers.

    Parameters
    ----------
    paths : iterable of pathlib.Path
        CSV files with `COLUMNS`; lines that begin with ``#`` are comments.

    Returns
    -------
    polars.DataFrame
        The columns as text, published and tolerance as Float64, and source (the file's stem) and
        n_decimals, to which `published` is given.

    Raises
    ------
    InputError
        Every line that is wrong: columns, quantities, numbers.
    """
    problems = Problems()
    rows = [row for path in paths for row in _rows(path, problems)]
    problems.stop()
    schema: dict[str, type[pl.DataType]] = dict.fromkeys(("source", *COLUMNS[:6]), pl.String)
    schema |= {"published": pl.Float64, "tolerance": pl.Float64, "n_decimals": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _rows(path: Path, problems: list[str]) -> Iterator[tuple[object, ...]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    numbered = [(n, line) for n, line in enumerate(lines, 1) if line and not line.startswith("#")]
    table = list(csv.reader(line for _, line in numbered))
    if not table or tuple(table[0]) != COLUMNS:
        problems.append(f"{path}: the columns must be {','.join(COLUMNS)}")
        return
    for (number, _), cells in zip(numbered[1:], table[1:], strict=True):
        where = f"{path}:{number}"
        if len(cells) != len(COLUMNS):
            problems.append(f"{where}: {len(cells)} cells, not {len(COLUMNS)}")
            continue
        *names, published, tolerance = cells
        quantity = names[4]
        if quantity not in QUANTITIES:
            said = did_you_mean(quantity, QUANTITIES)
            problems.append(f"{where}: quantity {quantity!r} is unknown; {said}")
        values = [_number(text) for text in (published, tolerance)]
        if None in values:
            problems.append(f"{where}: not numbers, {some([published, tolerance])}")
            continue
        yield path.stem, *names, *values, len(published.partition(".")[2])


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def expected_values(
    summary: pl.DataFrame, measures: Iterable[str], policy: str, trained: Iterable[str] = ()
) -> str:
    """Lay out a study's own numbers as a file of published ones.

    Parameters
    ----------
    summary : polars.DataFrame
        The study's averages.
    measures : iterable of str
        Measures to keep.
    policy : str
        Tie policy to keep.
    trained : iterable of str
        Models that the study trains itself, whose numbers may move by `TRAINED_TOLERANCE`.

    Returns
    -------
    str
        CSV with four decimals of a percent.
    """
    kept = summary.filter(pl.col("measure").is_in(list(measures)), pl.col("policy") == policy)
    long = kept.unpivot(
        on=QUANTITIES,
        index=["dataset", "model", "regime", "measure", "policy"],
        variable_name="quantity",
    ).with_columns(
        # Adding 0 makes a rounded -0.0 a 0.0.
        published=((pl.col("value") * 100).round(4) + 0.0),
        tolerance=pl.when(pl.col("model").is_in(list(trained)))
        .then(TRAINED_TOLERANCE)
        .otherwise(OWN_TOLERANCE),
    )
    return long.select(COLUMNS).write_csv(float_precision=4)


def write_expected(results: Path, target: Path) -> None:
    """Write a finished study's own numbers, of the measures and the tie policy that it shows."""
    path = results / "summary.parquet"
    summary, cells = read_artifact(path), read_provenance(path).get("cells", {}).values()
    shown = pl.read_csv(results / "tables" / "main.csv", infer_schema_length=None)
    measures = shown["measure"].unique(maintain_order=True)
    head = "# The study's own numbers, in percent; written by python -m tiewise.study.published.\n"
    trained = {cell["model"] for cell in cells if cell.get("recipe")}
    numbers = expected_values(summary, measures, shown["policy"][0], trained)
    target.write_text(head + numbers, encoding="utf-8")


if __name__ == "__main__":
    write_expected(*map(Path, sys.argv[1:]))
