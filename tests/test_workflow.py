"""The whole workflow on a miniature study: every layer, every artifact, and what reruns."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
import yaml

import tiewise
from tiewise.report import names
from tiewise.store.artifacts import read_artifact, read_provenance
from tiewise.study.layout import Layout
from workflow_runs import CONFIG, DATASET, MODEL, ROOT, planned, snakemake

REGIMES = ["fp32", "bf16", "bf16-hps"]


def changed_config(folder: Path, **changes: object) -> Path:
    path = folder / "changed.yaml"
    path.write_text(yaml.safe_dump(yaml.safe_load(CONFIG.read_text()) | changes))
    return path


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    done = snakemake(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture
def layout(study: Path) -> Layout:
    return Layout(str(study / "results"))


def test_every_artifact_is_there_and_says_what_made_it(study: Path, layout: Layout) -> None:
    artifacts = sorted((study / "results").rglob("*.parquet"))
    expected = [layout.data(DATASET, t) for t in ("corpus", "queries", "qrels", "candidates")]
    expected += [layout.logits(DATASET, MODEL, dtype) for dtype in ("fp32", "bf16")]
    for kind in (layout.scores, layout.metrics, layout.ties, layout.agreement):
        expected += [kind(DATASET, MODEL, regime) for regime in REGIMES]
    for kind in (layout.alternatives, layout.toolkits, layout.cost):
        expected += [kind(DATASET, MODEL)]
    expected += [layout.first_stage(DATASET)]
    expected += [layout.self_test(MODEL), layout.distribution(MODEL)]
    expected += [layout.summary(), layout.averages(), layout.tie_summary(), layout.worst()]
    expected += [layout.verdicts(), layout.claims()]
    cached = [path for path in artifacts if ".cache" in path.parts]
    assert set(artifacts) - set(cached) == set(expected)
    for path in expected:
        note = read_provenance(path)
        assert note["study"] == "miniature", path
        assert note["config_hash"], path
        assert {"numpy", "polars", "torch"} <= note["libraries"].keys(), path
    for regime in REGIMES[1:]:
        note = read_provenance(layout.metrics(DATASET, MODEL, regime))
        assert note["arithmetic"] == "simulated"
        assert note["regime"] == regime


def test_every_job_has_a_log_and_a_benchmark(study: Path) -> None:
    logs = study / "results" / "logs"
    stems = {path.relative_to(logs).with_suffix("") for path in logs.rglob("*.log")}
    timed = {
        path.relative_to(logs).as_posix().removesuffix(".benchmark.tsv")
        for path in logs.rglob("*.benchmark.tsv")
    }
    assert {stem.as_posix() for stem in stems} == timed
    assert len(timed) == 23  # one a job


def test_tables_and_figures_are_there_in_every_format(layout: Layout) -> None:
    for name in names.TABLES:
        for suffix in names.TABLE_SUFFIXES:
            assert Path(f"{layout.table(name)}{suffix}").stat().st_size > 0
    for name in ("example", "bits", "scores", "cutoffs", f"cutoffs-{DATASET}"):
        for suffix in names.FIGURE_SUFFIXES:
            assert Path(f"{layout.figure(name)}{suffix}").stat().st_size > 0


def test_the_table_says_what_evaluate_says_of_the_scores(study: Path, layout: Layout) -> None:
    table = pl.read_csv(study / "results" / "tables" / "main.csv")
    qrels = read_artifact(layout.data(DATASET, "qrels"))
    for regime in REGIMES:
        run = read_artifact(layout.scores(DATASET, MODEL, regime))
        judged = tiewise.evaluate(qrels, run, ["nDCG@10"], policy="input")
        row = table.row(
            by_predicate=(pl.col("regime") == regime) & (pl.col("measure") == "nDCG@10"),
            named=True,
        )
        for quantity in ("expected", "min", "max", "range", "sd", "oblivious", "bias"):
            assert row[quantity] == pytest.approx(100 * judged[quantity][0], abs=1e-10)


def test_the_first_stage_is_judged_by_its_own_scores(study: Path, layout: Layout) -> None:
    candidates = read_artifact(layout.data(DATASET, "candidates"))
    run = candidates.select("query_id", "doc_id", score="bm25_score")
    qrels = read_artifact(layout.data(DATASET, "qrels"))
    found = read_artifact(layout.first_stage(DATASET))
    assert found["measure"].to_list() == ["nDCG@10", "RR@10"]
    for row in found.iter_rows(named=True):
        (expected,) = tiewise.evaluate(qrels, run, [row["measure"]], policy="input").to_dicts()
        assert {key: expected[key] for key in row} == row
        assert f"{100 * row['expected']:.2f} %" in layout.page().read_text(encoding="utf-8")
    log = study / "results" / "logs" / "first_stage" / f"{DATASET}.log"
    assert "BM25's own order" in log.read_text(encoding="utf-8")


def test_bf16_ties_documents_that_fp32_tells_apart_and_hps_unties_them(layout: Layout) -> None:
    ties = {r: read_artifact(layout.ties(DATASET, MODEL, r)) for r in REGIMES}
    distinct = {r: ties[r]["n_distinct_scores"].mean() for r in REGIMES}
    assert distinct["bf16"] < distinct["bf16-hps"] <= distinct["fp32"]
    assert ties["bf16"]["n_spurious"].sum() > ties["bf16-hps"]["n_spurious"].sum()


def test_one_forward_pass_serves_both_regimes_of_a_dtype(study: Path) -> None:
    passes = {path.stem for path in (study / "results" / "logits").rglob("*.parquet")}
    assert passes == {"fp32", "bf16"}


def test_a_second_run_finds_nothing_to_do(study: Path) -> None:
    done = snakemake(study)
    assert done.returncode == 0
    assert "Nothing to be done" in done.stdout + done.stderr


def test_snakemake_makes_its_own_report_with_captions(study: Path, tmp_path: Path) -> None:
    done = snakemake(study, "--report", str(tmp_path / "report.html"))
    assert done.returncode == 0, done.stdout + done.stderr
    text = (tmp_path / "report.html").read_text()
    for caption in ("Spurious ties", "how much of a retrieval score", "Time and memory"):
        assert caption in text


def test_other_table_measures_rerun_nothing_that_scores_or_judges(
    study: Path, tmp_path: Path
) -> None:
    config = changed_config(tmp_path, table_measures=["nDCG@5"])
    plan = planned(snakemake(study, "--dry-run", config=config)).keys()
    assert {"tables", "figures"} <= plan
    assert plan & {"dataset", "candidates", "logits", "scores", "metrics", "ties"} == set()


def test_a_changed_table_layout_reruns_only_what_shows_tables(study: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src", tmp_path / "src")
    with (tmp_path / "src" / "tiewise" / "report" / "tables" / "main.py").open("a") as code:
        code.write("# another layout\n")
    plan = planned(snakemake(study, "--dry-run", PYTHONPATH=str(tmp_path / "src"))).keys()
    assert plan == {"tables", "page"}


def test_another_measure_reruns_no_forward_pass(study: Path, tmp_path: Path) -> None:
    measures = [*yaml.safe_load(CONFIG.read_text())["measures"], "AP@10"]
    config = changed_config(tmp_path, measures=measures)
    plan = planned(snakemake(study, "--dry-run", config=config)).keys()
    assert "metrics" in plan
    assert plan & {"dataset", "candidates", "logits", "scores"} == set()


def test_lost_logits_are_taken_from_the_cache(study: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(study, folder)
    lost = Layout(str(folder / "results")).logits(DATASET, MODEL, "bf16")
    before = lost.read_bytes()
    lost.unlink()
    done = snakemake(folder, str(lost.relative_to(folder)))
    assert done.returncode == 0, done.stderr
    assert lost.read_bytes() == before
    log = (folder / "results" / "logs" / "logits" / DATASET / f"{MODEL}.bf16.log").read_text()
    assert "taken from the cache" in log


def test_an_unwritable_result_gives_one_clear_message_and_keeps_the_rest(
    study: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(study, folder)
    shutil.rmtree(folder / "results" / "tables")
    (folder / "results" / "tables").write_text("a file where a folder must be")
    layout = Layout(str(folder / "results"))
    finished = layout.metrics(DATASET, MODEL, "bf16").read_bytes()
    done = snakemake(folder)
    assert done.returncode != 0
    assert "tables" in done.stdout + done.stderr
    assert layout.metrics(DATASET, MODEL, "bf16").read_bytes() == finished


def test_a_wrong_config_ends_before_any_job_with_the_nearest_names(tmp_path: Path) -> None:
    config = changed_config(tmp_path, models=["all-minilm-l6-v3"], regimse=["fp32"])
    done = snakemake(tmp_path, config=config)
    said = done.stdout + done.stderr
    assert done.returncode != 0
    assert "did you mean 'all-minilm-l6-v2'?" in said
    assert "did you mean 'regimes'?" in said
    assert "Traceback" not in said
    assert not (tmp_path / "results").exists()


def test_a_failing_step_says_why_in_one_line_without_a_traceback(
    study: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(study, folder)
    layout = Layout(str(folder / "results"))
    layout.metrics(DATASET, MODEL, "bf16").unlink()
    layout.scores(DATASET, MODEL, "bf16").write_text("no Parquet file")
    done = snakemake(folder, str(layout.metrics(DATASET, MODEL, "bf16").relative_to(folder)))
    said = done.stdout + done.stderr
    assert done.returncode != 0
    assert "not a readable Parquet file" in said
    assert "Traceback" not in said


def test_the_command_show_prints_the_study(study: Path) -> None:
    command = [str(Path(sys.executable).parent / "tiewise"), "show", str(study / "results")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "bf16-hps" in done.stdout
