"""The command line: formats, exit codes, and no traceback for wrong input."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from typer.testing import CliRunner, Result

from tiewise import evaluate
from tiewise.cli import app

RUN = """\
q1 Q0 d1 1 0.5 sys
q1 Q0 d<script>2 2 0.5 sys
q1 Q0 d3 3 0.25 sys
q2 Q0 d1 1 0.75 sys
"""
QRELS = "q1 0 d1 1\nq2 0 d1 2\nq3 0 d9 1\n"
ESCAPE = "\x1b"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.txt").write_text(RUN)
    (tmp_path / "qrels.txt").write_text(QRELS)
    return tmp_path


def tiewise(*arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(app, arguments, input=stdin)


def refusal(*arguments: str, stdin: str | None = None) -> str:
    result = tiewise(*arguments, stdin=stdin)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Traceback" not in result.output
    return result.stderr


@pytest.mark.usefixtures("files")
def test_the_table_shows_what_a_referee_wants() -> None:
    result = tiewise("audit", "run.txt", "qrels.txt")
    assert result.exit_code == 0
    for words in (
        "nDCG@10", "min – max", "constant", "tied candidates", "2 of 4 (50 %)", "largest tie group",
        "tied at the last score", "likely source", "trec_eval 9", "scikit-learn", "'q3'",
        "What it means",
    ):  # fmt: skip
        assert words in result.stdout, words
    assert ESCAPE not in result.output


@pytest.mark.usefixtures("files")
def test_rows_are_those_of_evaluate_in_tsv_and_jsonl() -> None:
    arguments = ("audit", "run.txt", "qrels.txt", "-m", "nDCG@10", "-m", "RR@10", "-q")
    with pytest.warns(UserWarning, match="q3"):
        expected = evaluate("qrels.txt", "run.txt", ["nDCG@10", "RR@10"], per_query=True)
    lines = tiewise(*arguments, "--format", "jsonl").stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["query_id"] for row in rows] == ["q1", "q2", "q3"] * 2 + [None] * 2
    assert_frame_equal(pl.DataFrame(rows[:6]).select(expected.columns), expected)
    tsv = tiewise(*arguments, "--format", "tsv").stdout
    read = pl.read_csv(tsv.encode(), separator="\t")
    assert_frame_equal(read.head(6), expected, check_dtypes=False)
    assert read["query_id"].to_list()[6:] == [None, None]


@pytest.mark.usefixtures("files")
def test_numbers_only_formats_say_on_stderr_what_is_left_out() -> None:
    result = tiewise("audit", "run.txt", "qrels.txt", "--format", "tsv")
    assert "warning: " in result.stderr
    assert "q3" in result.stderr
    assert "q3" not in result.stdout


@pytest.mark.usefixtures("files")
def test_queries_are_listed_on_demand() -> None:
    shown = tiewise("audit", "run.txt", "qrels.txt", "-m", "P@1").stdout
    listed = tiewise("audit", "run.txt", "qrels.txt", "-m", "P@1", "-q").stdout
    assert len(re.findall(r"^  P@1  ", shown, re.M)) == 1
    assert len(re.findall(r"^  P@1  ", listed, re.M)) == 4


def test_html_goes_to_a_file_and_is_self_contained(files: Path) -> None:
    result = tiewise("audit", "run.txt", "qrels.txt", "--format", "html", "-o", "a/page.html")
    assert (result.exit_code, result.stdout) == (0, "")
    page = (files / "a" / "page.html").read_text()
    assert page.startswith("<!doctype html>")
    assert not re.search(r"<(script|link|img|iframe)|src=|https?://|@import|url\(", page)
    assert "d&lt;script&gt;2" in page
    for part in ('id="bands"', 'id="queries"', "<details open>", "prefers-color-scheme: dark"):
        assert part in page


@pytest.mark.usefixtures("files")
def test_a_page_of_a_run_without_ties_has_no_worst_queries() -> None:
    Path("untied.txt").write_text("q1 Q0 d1 1 2 s\nq1 Q0 d2 2 1 s\n")
    page = tiewise("audit", "untied.txt", "qrels.txt", "--format", "html").stdout
    assert "no two candidates" in page
    assert 'id="queries"' not in page


def test_standard_input_serves_run_or_qrels(files: Path) -> None:
    packed = gzip.compress(RUN.encode())
    from_stdin = tiewise("audit", "-", "qrels.txt", "--format", "jsonl", stdin=packed)
    assert from_stdin.stdout == tiewise("audit", "run.txt", "qrels.txt", "--format", "jsonl").stdout
    qrels = tiewise("audit", "run.txt", "-", "--format", "jsonl", stdin=QRELS)
    assert qrels.stdout == from_stdin.stdout
    assert "only one input" in refusal("audit", "-", "-")


@pytest.mark.usefixtures("files")
def test_problems_of_both_files_are_said_at_once() -> None:
    Path("bad.txt").write_text("q1 Q0 d1 1 x s\nq1 Q0 d2 1\n")
    said = refusal("audit", "bad.txt", "qrels.tx")
    for words in ("bad.txt:1: score 'x'", "bad.txt:2: 4 columns", "did you mean 'qrels.txt'"):
        assert words in said, words


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-m", "ndgc@10"], "did you mean 'nDCG'"),
        (["-m", "P@0", "-m", "P@-1"], "cutoff must be a positive"),
        (["--policy", "terc"], "did you mean 'trec'"),
        (["--score-type", "float16"], "float32"),
        (["--missing", "drop"], "zero"),
        (["--nonfinite", "lst"], "last"),
        (["--split", "test"], "only an MTEB prediction file"),
    ],
)
def test_wrong_options_are_refused_with_the_legal_ones(options: list[str], words: str) -> None:
    assert words in refusal("audit", "run.txt", "qrels.txt", *options)


@pytest.mark.usefixtures("files")
def test_runs_without_a_common_query_are_refused_with_ids_of_both_sides() -> None:
    Path("other.txt").write_text("topic-1 Q0 d1 1 1 s\n")
    said = refusal("audit", "other.txt", "qrels.txt")
    assert "'topic-1'" in said
    assert "'q1'" in said


@pytest.mark.usefixtures("files")
def test_an_output_that_cannot_be_written_is_refused() -> None:
    Path("folder").mkdir()
    said = refusal("audit", "run.txt", "qrels.txt", "-o", "folder")
    assert "folder" in said


def test_help_shows_every_option_and_an_example() -> None:
    result = tiewise("audit", "--help")
    assert result.exit_code == 0
    for words in ("--measure", "--policy", "--format", "--output", "Example"):
        assert words in result.stdout


def program(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from tiewise.cli import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload, no-any-return]


@pytest.mark.usefixtures("files")
def test_the_program_ends_with_code_2_and_no_traceback_for_wrong_input() -> None:
    done = program("audit", "nowhere.json", "qrels.txt")
    assert done.returncode == 2
    assert done.stderr == "error: nowhere.json: no such file\n"


def test_a_reader_that_stops_listening_is_no_error(files: Path) -> None:
    lines = (f"q{i} Q0 d{j} 1 1 s\n" for i in range(2000) for j in range(2))
    (files / "long.txt").write_text("".join(lines))
    (files / "long.qrels").write_text("".join(f"q{i} 0 d0 1\n" for i in range(2000)))
    code = f"{sys.executable} -c 'from tiewise.cli import main; main()'"
    command = f"{code} audit long.txt long.qrels -q --format jsonl 2>err | head -1; cat err"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert done.stdout.startswith('{"measure"')
    assert "Error" not in done.stdout
    assert "Traceback" not in done.stdout


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"FORCE_COLOR": ""}])
def test_pipes_get_no_colours(variables: dict[str, str]) -> None:
    done = program("audit", "run.txt", "qrels.txt", env={**os.environ, **variables})
    assert done.returncode == 0
    assert ESCAPE not in done.stdout


SECOND_RUN = RUN.replace("q1 Q0 d1 1 0.5", "q1 Q0 d1 1 0.125")


@pytest.fixture
def runs(files: Path) -> Path:
    for name, text in (("a", RUN), ("b", SECOND_RUN)):
        (files / name).mkdir()
        (files / name / "run.txt").write_text(text)
    return files


@pytest.mark.usefixtures("runs")
def test_compare_shows_certain_orders_under_short_names() -> None:
    result = tiewise("compare", "qrels.txt", "a/run.txt", "b/run.txt", "-m", "RR@10")
    assert result.exit_code == 0
    assert re.search(r"1  a  +0\.5000 +0\.5833", result.stdout)
    for words in ("certain", "95 % interval", "What it means", "RR@10: the order of"):
        assert words in result.stdout, words
    assert "'q3'" in result.stderr
    assert ESCAPE not in result.output


@pytest.mark.usefixtures("runs")
def test_compare_has_the_rows_of_compare_in_jsonl_and_tsv() -> None:
    arguments = ("compare", "qrels.txt", "a/run.txt", "b/run.txt", "-m", "RR@10", "-m", "P@1")
    lines = tiewise(*arguments, "--format", "jsonl").stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    assert [(row["measure"], row["run_a"], row["run_b"]) for row in rows] == [
        ("RR@10", "a", "b"),
        ("P@1", "a", "b"),
    ]
    tsv = pl.read_csv(tiewise(*arguments, "--format", "tsv").stdout.encode(), separator="\t")
    assert tsv["delta"].to_list() == [row["delta"] for row in rows]


def test_compare_writes_a_page(runs: Path) -> None:
    arguments = ("compare", "qrels.txt", "a/run.txt", "b/run.txt")
    assert tiewise(*arguments, "--format", "html", "-o", "page.html").exit_code == 0
    page = (runs / "page.html").read_text()
    assert 'class="matrix"' in page
    assert not re.search(r"<(script|link|img|iframe)|src=|https?://", page)


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["a/run.txt"], "at least two"),
        (["a/run.txt", "a/run.txt"], "given twice"),
        (["a/run.txt", "c/run.txt", "d.txt"], "2 problems"),
        (["a/run.txt", "b/run.txt", "--baseline", "c"], "baseline 'c'"),
        (["a/run.txt", "b/run.txt", "--resamples", "-1"], "resamples=-1"),
        (["-", "-"], "only one input"),
    ],
)
def test_what_cannot_be_compared_is_refused(arguments: list[str], words: str) -> None:
    assert words in refusal("compare", "qrels.txt", *arguments)


@pytest.mark.usefixtures("runs")
def test_a_baseline_may_be_given_by_its_path_or_its_short_name() -> None:
    arguments = ("compare", "qrels.txt", "a/run.txt", "b/run.txt", "--format", "tsv", "--baseline")
    assert tiewise(*arguments, "b/run.txt").stdout == tiewise(*arguments, "b").stdout


def test_the_page_about_the_contradiction_shows_what_the_tools_print(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (Path(__file__).parent.parent / "docs" / "contradiction.md").read_text()
    first, second = re.findall(r"```console\n(.*?)```", page, re.S)
    monkeypatch.chdir(tmp_path)
    for i in range(20):
        with Path("run.txt").open("a") as file:
            file.write(f"q Q0 d{i:02} 0 0.5 constant\n")
    Path("qrels.txt").write_text("q 0 d07 1\n")
    command = [sys.executable, "-m", "ir_measures", "qrels.txt", "run.txt", "RR RR@10 Success@10"]
    theirs = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert first.endswith(theirs)
    asked = ("-m", "RR", "-m", "RR@10", "-m", "Success@10")
    ours = tiewise("audit", "run.txt", "qrels.txt", *asked).stdout
    assert second.partition("\n")[2] == ours
