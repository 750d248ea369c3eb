"""Small files with known right answers, through the readers and the command line."""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest
from typer.testing import CliRunner

from conftest import SHARED
from tiewise import InputError, evaluate, read_qrels, read_run
from tiewise.cli import app

CASES = sorted((SHARED / "cases").glob("*/expected.json"))
NAMES = {"hits": "Hits", "precision": "P", "recall": "R", "f1": "F1", "mrr": "RR", "map": "AP"}
NAMES |= {"ndcg": "nDCG", "ndcg_exp": "nDCG(gain=exp)"}

FILES: list[tuple[str, str, str, dict[str, Any]]] = []
"""Case, run file, qrels file, and the block of right answers."""
REFUSED: list[tuple[str, dict[str, Any]]] = []

for path in CASES:
    case = json.loads(path.read_text())
    files, name = case["files"], path.parent.name
    if case["outcome"] == "error":
        REFUSED.append((name, case))
    elif "runs" in files:
        for run in files["runs"]:
            suffix = run.removeprefix("run")
            qrels = "qrels.txt" if files["qrels"] == "qrels.txt" else f"qrels{suffix}"
            FILES.append((name, run, qrels, case["runs"][run]))
    elif "run" in files:
        for key in ("run", "run_2"):
            if key in files:
                FILES.append((name, files[key], files["qrels"], case["values"]))


def spelled(label: str) -> str:
    name, _, cutoff = label.partition("@")
    return NAMES[name] + (f"@{cutoff}" if cutoff else "")


def mentions(text: str, groups: list[list[str]]) -> bool:
    lowered = text.lower()
    return all(any(word.lower() in lowered for word in group) for group in groups)


def case_of(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SHARED / "cases" / name / "expected.json").read_text())
    return found


@pytest.mark.usefixtures("shared")
def test_there_are_cases() -> None:
    assert len(FILES) >= 35
    assert len(REFUSED) >= 7


@pytest.mark.usefixtures("shared")
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("name", "run", "qrels", "answer"), FILES, ids=lambda x: str(x)[:40])
def test_a_case_has_its_right_values(
    name: str, run: str, qrels: str, answer: dict[str, Any]
) -> None:
    folder = SHARED / "cases" / name
    case = case_of(name)
    try:
        tables = read_qrels(folder / qrels), read_run(folder / run)
    except InputError:
        # What it says is tested with the command line.
        assert case["outcome"] == "values_or_error"
        return
    for query, block in answer["queries"].items():
        labels = list(block["metrics"])
        check(tables, query, {spelled(m): block["metrics"][m] for m in labels}, policy="input")
        check(tables, query, {spelled(m): block["metrics"][m] for m in labels}, policy="trec")
    for mean, missing in (("complete", "zero"), ("intersection", "skip")):
        cells = {spelled(m): v for m, v in answer["mean"][mean]["metrics"].items()}
        check(tables, None, cells, policy="input", missing=missing)


def check(
    tables: tuple[Any, Any], query: str | None, cells: dict[str, dict[str, float]], **options: str
) -> None:
    table = evaluate(*tables, list(cells), per_query=query is not None, **options)
    oblivious = {"input": "obl_input", "trec": "obl_docno_desc"}[options["policy"]]
    for row in table.iter_rows(named=True):
        if query is None or row["query_id"] == query:
            right = cells[row["measure"]]
            for ours, theirs in (("expected", "expected"), ("min", "min"), ("max", "max")):
                assert row[ours] == pytest.approx(right[theirs], abs=1e-9), row
            assert row["oblivious"] == pytest.approx(right[oblivious], abs=1e-9), row


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize(("name", "run", "qrels", "answer"), FILES, ids=lambda x: str(x)[:40])
def test_the_command_line_shows_a_cases_values_and_warnings(
    name: str, run: str, qrels: str, answer: dict[str, Any]
) -> None:
    folder = SHARED / "cases" / name
    case = case_of(name)
    shown = CliRunner().invoke(
        app, ["audit", str(folder / run), str(folder / qrels), "-m", "nDCG@10", "-m", "RR"]
    )
    if shown.exit_code == 2:
        assert case["outcome"] == "values_or_error"
        assert mentions(shown.stderr, case["error"]["must_mention"])
        assert f":{case['error']['line']}:" in shown.stderr
        return
    assert shown.exit_code == 0
    for warning in case.get("warnings", []):
        assert mentions(shown.output, warning["must_mention"]), warning
    for key in ("queries_only_in_qrels", "queries_only_in_run", "queries_without_relevant"):
        for query in answer[key]:
            assert f"'{query}'" in shown.output
    expected = answer["mean"]["complete"]["metrics"]["mrr"]["expected"]
    assert f"{expected:.4f}" in shown.stdout


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize(("name", "case"), REFUSED, ids=lambda x: str(x)[:40])
def test_a_malformed_case_is_refused_with_what_is_wrong(name: str, case: dict[str, Any]) -> None:
    folder = SHARED / "cases" / name
    files = [str(folder / case["files"][kind]) for kind in ("run", "qrels")]
    requests = [[]]
    if case["error"].get("each_of"):
        requests = [["-m", f"P@{cutoff}"] for cutoff in case[case["error"]["each_of"]]]
    for request in requests:
        shown = CliRunner().invoke(app, ["audit", *files, *request])
        assert shown.exit_code == 2, request
        assert shown.stdout == ""
        assert "Traceback" not in shown.output
        assert isinstance(shown.exception, SystemExit)
        assert mentions(shown.stderr, case["error"]["must_mention"]), shown.stderr
        if "line" in case["error"]:
            assert f":{case['error']['line']}:" in shown.stderr


@pytest.mark.usefixtures("shared")
def test_nan_ranks_last_when_asked() -> None:
    folder = SHARED / "cases" / "35_nan_score"
    variants = json.loads((folder / "expected.json").read_text())["variants"]
    (answer,) = [v for key, v in variants.items() if "nan" in key.lower()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        tables = read_qrels(folder / "qrels.txt"), read_run(folder / "run.txt", nonfinite="last")
    for query, block in answer["queries"].items():
        check(tables, query, {spelled(m): v for m, v in block["metrics"].items()}, policy="input")
