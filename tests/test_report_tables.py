"""Tables show what the artifacts hold, for any study, in every format."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from rich.console import Console

from fabricated import fabricate, study_of
from steps import ALL_KINDS
from tiewise.errors import InputError
from tiewise.report.footer import footer
from tiewise.report.names import TABLES
from tiewise.report.show import show
from tiewise.report.tables.main import main_table
from tiewise.report.tables.study import study_tables, write_tables
from tiewise.report.tables.table import Table
from tiewise.report.tables.write import write_table
from tiewise.store.artifacts import read_artifact, write_artifact
from tiewise.study.config import Study
from tiewise.study.layout import Layout

RERANKERS = ("qwen3-reranker-0.6b", "bge-reranker-v2-m3")
SHAPES: dict[str, dict[str, Any]] = {
    "one model": {},
    "one regime": {"regimes": ["fp32"]},
    "one low regime": {"regimes": ["bf16"]},
    "models": {"models": ["all-minilm-l6-v2", *RERANKERS]},
    "data sets": {"datasets": ["icd10cm", "cwe"]},
    "both kinds of candidates": {
        "datasets": ["miracl-paper", "arguana-paper", "scidocs-paper"],
        "models": RERANKERS,
    },
}


@pytest.fixture(scope="module", params=SHAPES)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    study = study_of(**SHAPES[request.param])
    layout = fabricate(study, tmp_path_factory.mktemp("made"))
    write_tables(study, layout)
    return study, layout


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Layout]:
    study = study_of(**SHAPES["both kinds of candidates"])
    return study, fabricate(study, tmp_path_factory.mktemp("several"))


def written(table: Table, folder: Path) -> Path:
    write_table(table, folder / "t", footer="Study s.")
    return folder / "t"


def test_every_table_is_written_in_every_format_with_the_footer(made: Any) -> None:
    study, layout = made
    for name in TABLES:
        stem = layout.table(name)
        for suffix in (".md", ".tex"):
            assert "Study made-up" in Path(f"{stem}{suffix}").read_text(), name
        assert Path(f"{stem}.csv").is_file()
    assert set(TABLES) == study_tables(study, layout).keys()


def test_the_main_csv_has_full_precision_in_percent(made: Any) -> None:
    _, layout = made
    table = pl.read_csv(f"{layout.table('main')}.csv")
    summary = read_artifact(layout.summary()).filter(pl.col("policy") == "input")
    keys = ["dataset", "model", "regime", "measure"]
    joined = table.join(summary, on=keys, suffix="_summary")
    assert joined.height == table.height > 0
    for name in ("expected", "min", "max", "range", "sd", "oblivious", "bias"):
        assert (joined[name] == 100 * joined[f"{name}_summary"]).all(), name


def test_main_shows_given_candidates_and_retrieval_the_rest_with_their_average(
    several: tuple[Study, Layout],
) -> None:
    tables = study_tables(*several)
    assert set(tables["main"].tidy["dataset"]) == {"miracl-paper"}
    averaged = tables["retrieval"].tidy.filter(
        pl.col("dataset") == "average of 2", pl.col("model") == RERANKERS[0]
    )
    sets = tables["retrieval"].tidy.filter(
        pl.col("dataset").is_in(["arguana-paper", "scidocs-paper"]),
        pl.col("model") == RERANKERS[0],
    )
    for regime, measure, expected in averaged.select("regime", "measure", "expected").iter_rows():
        own = sets.filter(pl.col("regime") == regime, pl.col("measure") == measure)["expected"]
        assert len(own) == 2
        assert expected == pytest.approx(own.sum() / 2)


def test_the_best_expected_value_of_a_data_set_and_measure_is_marked(
    several: tuple[Study, Layout],
) -> None:
    table = study_tables(*several)["main"]
    assert table.best is not None
    for measure in ("nDCG@10", "RR@10"):
        numbers = table.wide[measure, "expected"].astype(float)
        assert table.best[measure, "expected"].tolist() == (numbers == numbers.max()).tolist()
        assert not table.best[measure, "oblivious"].any()


def test_a_missing_cell_is_a_dash_with_its_reason_and_never_0(tmp_path: Path) -> None:
    study = study_of(regimes=["fp32", "bf16"])
    layout = fabricate(study, tmp_path)
    whole = read_artifact(layout.summary())
    table = main_table(study, whole.filter(pl.col("regime") == "fp32"))
    lost = table.wide.xs("bf16", level="regime")
    assert (lost == "–").all(axis=None)
    assert any("icd10cm all-minilm-l6-v2 bf16" in note for note in table.notes)
    stem = written(table, tmp_path)
    row = pd.read_csv(f"{stem}.csv").query("regime == 'bf16'")
    assert row["expected"].isna().all()
    for suffix in (".md", ".tex"):
        assert "no results yet" in Path(f"{stem}{suffix}").read_text()


def test_names_and_notes_are_safe_in_latex_and_markdown(tmp_path: Path) -> None:
    hostile = r"a_b&c%d#e$f^g~h\i{j}"
    wide = pd.DataFrame(
        {("m_1", "x%"): ["1.00"]}, index=pd.MultiIndex.from_arrays([[hostile]], names=["n_1"])
    )
    stem = written(Table("T", pl.DataFrame(), wide, notes=("50 % of a_b | c",)), tmp_path)
    text = Path(f"{stem}.tex").read_text()
    for safe in (r"a\_b\&c\%d\#e\$f", r"m\_1", r"x\%", r"n\_1", r"50 \% of a\_b"):
        assert safe in text, safe
    assert r"\textbackslash" in text
    piped = pd.DataFrame({"x": ["a|b"]}, index=pd.MultiIndex.from_arrays([["r"]], names=["n"]))
    table = Path(f"{written(Table('T', pl.DataFrame(), piped), tmp_path)}.md").read_text()
    assert r"a\|b" in table


def test_every_row_of_a_latex_table_has_as_many_cells_as_the_table_has_columns(made: Any) -> None:
    _, layout = made
    for name in TABLES:
        lines = Path(f"{layout.table(name)}.tex").read_text().splitlines()
        spec = [line for line in lines if line.startswith(r"\begin{tabular}")]
        if not spec:
            continue  # a table without rows says why
        columns = len(spec[0].split("{")[-1].rstrip("}"))
        for line in (line for line in lines if line.endswith(r"\\")):
            spans = sum(int(part.split("}")[0]) - 1 for part in line.split(r"\multicolumn{")[1:])
            assert line.replace(r"\&", "").count("&") + 1 + spans == columns, (name, line)


def test_the_random_order_stands_beside_its_closed_form(several: tuple[Study, Layout]) -> None:
    wide = study_tables(*several)["alternatives"].wide
    row = wide.xs("random order", level="method").iloc[0]
    assert "±" in row["nDCG@10", "oblivious"]
    assert "±" in row["nDCG@10", "expected"]


def test_a_pair_says_whether_ties_leave_its_order_open(several: tuple[Study, Layout]) -> None:
    wide = study_tables(*several)["pairs"].wide
    assert set(wide["order"]) == {"turned"}
    assert set(wide["worst – best"]) == {"-2.00 – +4.00"}


def test_a_toolkit_that_has_no_value_shows_a_dash_and_the_reason(
    several: tuple[Study, Layout],
) -> None:
    table = study_tables(*several)["toolkits"]
    assert set(table.wide["trec_eval"]) == {"10.00"}
    assert set(table.wide["ranx"]) == {"any"}
    assert set(table.wide["other_kit"]) == {"–"}
    assert "– under other_kit: not offered" in table.notes


def test_undefined_correlations_are_counted(tmp_path: Path) -> None:
    study = study_of()
    layout = fabricate(study, tmp_path)
    ties = read_artifact(layout.tie_summary()).with_columns(n_undefined=pl.lit(3))
    write_artifact(ties, layout.tie_summary(), provenance={}, kind=ALL_KINDS["tie_summary"])
    notes = study_tables(study, layout)["spearman"].notes
    assert any("undefined for 3 of 10 queries" in note for note in notes)


def test_the_footer_names_study_arithmetic_policy_and_versions(tmp_path: Path) -> None:
    study = study_of()
    summary = read_artifact(fabricate(study, tmp_path).summary())
    note = {"study": "s", "tiewise": "9.9", "libraries": {"torch": "1.1", "transformers": "2.2"}}
    said = footer(summary, note, "input")
    for part in ("Study s", "10 queries", "simulated", "policy input", "tiewise 9.9", "torch 1.1"):
        assert part in said


def test_show_prints_the_main_table_and_where_the_results_are(made: Any) -> None:
    _, layout = made
    console = Console(file=io.StringIO(), width=160)
    show(Path(layout.results), console)
    said = console.file.getvalue()  # type: ignore[attr-defined]
    first = pl.read_csv(f"{layout.table('main')}.csv")["expected"][0]
    assert f"{first:.2f}" in said
    assert str(Path(layout.results) / "figures") in said


def test_show_without_a_study_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="make reproduce"):
        show(tmp_path, Console(file=io.StringIO()))
