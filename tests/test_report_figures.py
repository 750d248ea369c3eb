"""Figures draw what the artifacts hold, for any study, and the same data give the same files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from fabricated import fabricate, study_of
from tiewise.report.figures.bits import bits_figure
from tiewise.report.figures.cutoffs import cutoffs_figure
from tiewise.report.figures.example import example_figure
from tiewise.report.figures.pages import cutoffs_page
from tiewise.report.figures.scores import scores_figure
from tiewise.report.figures.study import draw_figures
from tiewise.report.figures.style import save
from tiewise.report.names import figures
from tiewise.report.study_page.page import study_page
from tiewise.store.artifacts import read_artifact
from tiewise.study.layout import Layout

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


@pytest.mark.parametrize("regimes", [("fp32",), ("fp32", "bf16", "fp16", "bf16-hps")])
@pytest.mark.parametrize("models", [("one",), ("one", "two", "three")])
@pytest.mark.parametrize("datasets", [("one",), ("one", "two")])
def test_the_overview_has_a_panel_a_regime_and_a_row_a_data_set_and_measure(
    datasets: tuple[str, ...], models: tuple[str, ...], regimes: tuple[str, ...]
) -> None:
    figure = cutoffs_figure(summary(datasets, models, regimes), MEASURES, "input", NOTE)
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


def test_the_overview_says_when_no_tie_matters() -> None:
    untied = summary(regimes=("fp32",), min=1 / 3, max=1 / 3, range=0.0)
    words = [
        text.get_text() for text in cutoffs_figure(untied, MEASURES, "input", NOTE).axes[0].texts
    ]
    assert words == ["range 0 at every k"]


def test_a_page_draws_the_value_itself_with_its_band(tmp_path: Path) -> None:
    study = study_of(models=["all-minilm-l6-v2", "bge-reranker-v2-m3"])
    rows = read_artifact(fabricate(study, tmp_path).summary())
    figure = cutoffs_page(study, "icd10cm", rows, NOTE)
    assert len(figure.axes) == 4 * len(study.regimes)  # nDCG, RR, AP, R
    panel = figure.axes[1]  # nDCG in bf16
    assert len(panel.collections) == len(study.models)
    own = rows.filter(
        pl.col("policy") == "input",
        pl.col("regime") == "bf16",
        pl.col("model") == "all-minilm-l6-v2",
        pl.col("measure").str.starts_with("nDCG"),
    )
    assert list(panel.lines[0].get_ydata()) == pytest.approx((100 * own["expected"]).to_list())


@pytest.mark.parametrize(
    "measures",
    [["RR", "AP"], ["RBP(p=0.8)", "nDCG(gain=exp)@10", "RR@5"], ["R@1"]],
    ids=["no cut-off", "parameters", "one cut-off"],
)
def test_any_measures_are_drawn_or_the_reason_is(measures: list[str], tmp_path: Path) -> None:
    study = study_of(regimes=["bf16"], measures=measures, table_measures=measures[:2])
    rows = read_artifact(fabricate(study, tmp_path).summary())
    page = cutoffs_page(study, "icd10cm", rows, NOTE)
    overview = cutoffs_figure(rows, measures, "input", NOTE)
    families = [name.partition("@")[0] for name in measures if "@" in name]
    for figure in (page, overview):
        assert len(figure.axes) == len(families)
        if not families:
            assert figure.texts[0].get_text() == "No measure of this study has a cut-off."
        save(figure, tmp_path / "drawn")
    assert [panel.get_ylabel() for panel in page.axes] == [f"{name}@k, %" for name in families]
    assert "made-up" in study_page(study, Layout(str(tmp_path)))


def test_histogram_and_group_sizes_are_shares_of_all_candidates(tmp_path: Path) -> None:
    study = study_of()
    layout = fabricate(study, tmp_path)
    counts = read_artifact(layout.distribution("all-minilm-l6-v2"))
    above, below = scores_figure(study, {"all-minilm-l6-v2": counts}, NOTE).axes
    for steps in above.patches:
        assert steps.get_data().values.sum() == pytest.approx(100)
    heights = [bar.get_height() for bar in below.patches]
    assert sum(heights) == pytest.approx(100 * len(study.regimes))


def test_the_example_shows_every_order_and_their_mean() -> None:
    words = [text.get_text() for text in example_figure().axes[0].texts]
    values = [float(word) for word in words if word in ("0.5", "1.0")]
    in_fp32, *of_orders = values
    assert len(of_orders) == 6
    assert in_fp32 in of_orders
    [said] = [word for word in words if word.startswith("expected")]
    assert f"{sum(of_orders) / 6:.4f}" in said


def test_the_bits_of_each_format_add_up() -> None:
    rows = bits_figure().axes[0]
    ends: dict[float, float] = {}
    for bar in rows.patches:
        row = round(bar.get_y() + bar.get_height() / 2)
        ends[row] = max(ends.get(row, 0), bar.get_x() + bar.get_width())
    names = [label.get_text() for label in rows.get_yticklabels()]
    assert dict(zip(names, (ends[i] for i in range(len(names))), strict=True)) == {
        "fp32": 32,
        "bf16": 16,
        "fp16": 16,
        "fp8_e4m3": 8,
        "fp8_e5m2": 8,
        "int8": 8,
    }


def test_every_figure_is_written_in_every_format(tmp_path: Path) -> None:
    study = study_of(regimes=["fp32", "bf16"])
    layout = fabricate(study, tmp_path)
    draw_figures(study, layout)
    for name in figures(study):
        for suffix, magic in {"pdf": b"%PDF", "svg": b"<?xml", "png": b"\x89PNG"}.items():
            assert Path(f"{layout.figure(name)}.{suffix}").read_bytes().startswith(magic)


def test_the_same_data_give_the_same_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        save(cutoffs_figure(summary(), MEASURES, "input", NOTE), tmp_path / name)
    for suffix in (".pdf", ".svg", ".png"):
        one, other = ((tmp_path / name).with_suffix(suffix).read_bytes() for name in "ab")
        assert one == other, suffix
