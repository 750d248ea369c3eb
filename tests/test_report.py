"""Tables and figures show what the summary holds, for any study, in every format."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from rich.console import Console

from tiewise.errors import InputError
from tiewise.report.cutoffs import cutoffs_figure
from tiewise.report.figures import save
from tiewise.report.footer import footer
from tiewise.report.main_table import main_table
from tiewise.report.show import show
from tiewise.report.tables import write_table

MEASURES = ["nDCG@10", "RR@10"]
NOTE = "Study s."


def summary(
    datasets: tuple[str, ...] = ("d",),
    models: tuple[str, ...] = ("m",),
    regimes: tuple[str, ...] = ("fp32", "bf16"),
    **values: Any,
) -> pl.DataFrame:
    numbers = {"expected": 1 / 3, "min": 0.25, "max": 0.5, "range": 0.25, "sd": 0.01}
    rows = [
        {"dataset": d, "model": m, "regime": r, "arithmetic": "simulated", "measure": f"{f}@{k}"}
        | numbers
        | {"oblivious": 0.4, "bias": 0.4 - 1 / 3, "policy": p, "n_queries": 3}
        | values
        for d in datasets
        for m in models
        for r in regimes
        for f in ("nDCG", "RR")
        for k in (1, 10)
        for p in ("input", "trec")
    ]
    return pl.DataFrame(rows)


def written(frame: pl.DataFrame, folder: Path) -> Path:
    write_table(*main_table(frame, MEASURES, "input"), folder / "main", note=NOTE)
    return folder / "main"


def test_the_csv_has_full_precision_in_percent(tmp_path: Path) -> None:
    table = pd.read_csv(written(summary(), tmp_path).with_suffix(".csv"))
    assert set(table["expected"]) == {1 / 3 * 100}
    assert len(table) == 2 * 2  # regimes x measures: one policy, one cut-off


def test_every_format_shows_the_same_rounded_numbers(tmp_path: Path) -> None:
    stem = written(summary(), tmp_path)
    for suffix in (".md", ".tex"):
        text = stem.with_suffix(suffix).read_text()
        assert text.count("33.33") == 4
        assert text.count("6.67") == 4
        assert NOTE in text


def test_special_characters_in_names_are_escaped_in_latex(tmp_path: Path) -> None:
    names = summary(models=("a_b&c%d#e$f",), datasets=("x_y",))
    text = written(names, tmp_path).with_suffix(".tex").read_text()
    assert r"a\_b\&c\%d\#e\$f" in text
    assert r"x\_y" in text


@pytest.mark.parametrize("regimes", [("fp32",), ("fp32", "bf16", "fp16", "bf16-hps")])
@pytest.mark.parametrize("models", [("one",), ("one", "two", "three")])
@pytest.mark.parametrize("datasets", [("one",), ("one", "two")])
def test_the_figure_has_a_panel_a_regime_and_a_row_a_data_set_and_measure(
    datasets: tuple[str, ...], models: tuple[str, ...], regimes: tuple[str, ...]
) -> None:
    frame = summary(datasets, models, regimes)
    figure = cutoffs_figure(frame, MEASURES, "input", NOTE)
    assert len(figure.axes) == len(datasets) * len(MEASURES) * len(regimes)
    assert [panel.get_title(loc="left") for panel in figure.axes[: len(regimes)]] == list(regimes)
    first = figure.axes[0]
    assert len(first.collections) == len(models)  # a band each
    expected, oblivious = first.lines[:2]
    assert list(expected.get_ydata()) == [0, 0]
    assert list(oblivious.get_xdata()) == [1, 10]
    assert list(oblivious.get_ydata()) == pytest.approx([40 - 100 / 3] * 2)
    low, high = first.collections[0].get_datalim(first.transData).intervaly
    assert (low, high) == pytest.approx((25 - 100 / 3, 50 - 100 / 3))


def test_the_figure_says_when_no_tie_matters() -> None:
    untied = summary(regimes=("fp32",), min=1 / 3, max=1 / 3, range=0.0)
    words = [
        text.get_text() for text in cutoffs_figure(untied, MEASURES, "input", NOTE).axes[0].texts
    ]
    assert words == ["range 0 at every k"]


def test_the_same_data_give_the_same_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        save(cutoffs_figure(summary(), MEASURES, "input", NOTE), tmp_path / name)
    for suffix in (".pdf", ".svg", ".png"):
        one, other = ((tmp_path / name).with_suffix(suffix).read_bytes() for name in "ab")
        assert one == other, suffix


def test_the_footer_names_study_arithmetic_policy_and_versions() -> None:
    note = {"study": "s", "tiewise": "9.9", "libraries": {"torch": "1.1", "transformers": "2.2"}}
    said = footer(summary(), note, "input")
    for part in ("Study s", "3 queries", "simulated", "policy input", "tiewise 9.9", "torch 1.1"):
        assert part in said


def test_show_prints_the_main_table_and_where_the_results_are(tmp_path: Path) -> None:
    written(summary(), tmp_path / "tables")
    console = Console(file=io.StringIO(), width=160)
    show(tmp_path, console)
    said = console.file.getvalue()  # type: ignore[attr-defined]
    assert said.count("33.33") == 4
    assert str(tmp_path / "figures") in said


def test_show_without_a_study_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="make reproduce"):
        show(tmp_path, Console(file=io.StringIO()))
