"""JSON, MTEB predictions, Parquet and ir_datasets."""

from __future__ import annotations

import json
import sys
import types
import warnings
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tiewise.errors import InputError
from tiewise.io import InputWarning, read_qrels, read_run

NESTED = {"007": {"NA": 0.5, "b c": -1e-7}, "q": {"d": 3}}
ROWS = [("007", "NA", 0.5), ("007", "b c", -1e-7), ("q", "d", 3.0)]


def write(folder: Path, content: Any, name: str = "run.json") -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def problem_of(path: Path, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        read_run(path, **options)
    assert all(p.startswith(str(path)) for p in caught.value.problems)
    return str(caught.value)


def test_flat_json_reads_in_the_order_of_the_file(tmp_path: Path) -> None:
    assert read_run(write(tmp_path, NESTED)).rows() == ROWS
    assert read_run(write(tmp_path, "  \n" + json.dumps(NESTED, indent=1))).rows() == ROWS


def test_json_qrels_read(tmp_path: Path) -> None:
    path = write(tmp_path, {"q": {"a": 2, "b": 0}})
    assert read_qrels(path).rows() == [("q", "a", 2.0), ("q", "b", 0.0)]


def test_an_mteb_file_with_one_split_reads_by_itself(tmp_path: Path) -> None:
    meta = {"model_name": "m", "revision": "r"}
    path = write(tmp_path, {"mteb_model_meta": meta, "default": {"test": NESTED}})
    assert read_run(path).rows() == ROWS


def test_an_mteb_file_with_several_runs_is_not_guessed_at(tmp_path: Path) -> None:
    file = {"mteb_model_meta": {}, "en": {"test": NESTED, "dev": {}}, "de": {"test": {}}}
    path = write(tmp_path, file)
    assert "several subsets: de, en; say which with subset=" in problem_of(path)
    assert "several splits: dev, test" in problem_of(path, subset="en")
    assert "did you mean 'test'? legal: dev, test" in problem_of(path, subset="en", split="tset")
    assert read_run(path, subset="en", split="test").rows() == ROWS
    assert "empty" in problem_of(path, subset="de", split="test")


def test_a_subset_of_what_has_none_is_refused(tmp_path: Path) -> None:
    assert "flat JSON" in problem_of(write(tmp_path, NESTED), subset="en")
    path = write(tmp_path, "q Q0 d 1 1 t\n", "run.txt")
    assert "only an MTEB prediction file" in problem_of(path, split="test")
    with pytest.raises(InputError, match="did you mean 'last'"):
        read_run(path, nonfinite="lest")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"q": {"a": 1.0},\n "q": {"b": 1.0}}', "duplicate key 'q'"),
        ('{"q": {"a": 1.0, "a": 2.0}}', "duplicate key 'a'"),
        ('{"q": {"a": "high"}}', "'high'"),
        ('{"q": {"a": null}}', "None"),
        ('{"q": [1, 2]}', "'q'"),
        ('{"q": {"a": NaN}}', "NaN"),
        ('{"q": {}}', "empty"),
        ("{}", "empty"),
        ('[{"q": 1}]', "list"),
        ('{"q": \n {"a" 1}}', ":2:7: not valid JSON"),
        ('{"q": {"a": 1.0}', "not valid JSON"),
    ],
)
def test_wrong_json_is_refused_by_name(content: str, words: str, tmp_path: Path) -> None:
    assert words in problem_of(write(tmp_path, content))


def test_json_that_is_not_utf8_is_refused_with_the_line(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(b'{"q":\n {"\xe9": 1}}')
    assert f"{path}:2: not UTF-8" in problem_of(path)


def test_json_nested_without_end_is_refused(tmp_path: Path) -> None:
    assert "nested too deeply" in problem_of(write(tmp_path, '{"a":' * 200_000))


def test_nan_in_json_and_parquet_ranks_last_when_asked(tmp_path: Path) -> None:
    frame = pl.DataFrame({"qid": ["q", "q"], "docno": ["a", "b"], "score": [float("nan"), 1.0]})
    frame.write_parquet(tmp_path / "run.parquet")
    for path in (write(tmp_path, '{"q": {"a": NaN, "b": 1.0}}'), tmp_path / "run.parquet"):
        assert "NaN" in problem_of(path)
        with pytest.warns(InputWarning, match="rank last, 1.*query q document a"):
            assert read_run(path, nonfinite="last")["score"].to_list() == [-float("inf"), 1.0]


@pytest.mark.parametrize(
    "names",
    [
        ("query_id", "doc_id", "score"),
        ("qid", "docno", "score"),
        ("q_id", "doc_id", "score"),
        ("query-id", "corpus-id", "score"),
    ],
)
def test_parquet_reads_under_the_usual_names(names: tuple[str, ...], tmp_path: Path) -> None:
    pl.DataFrame(ROWS, schema=list(names), orient="row").write_parquet(tmp_path / "x")
    assert read_run(tmp_path / "x").rows() == ROWS


def test_parquet_scores_of_any_width_and_integer_ids_are_widened(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"query_id": [7, 8], "doc_id": ["a", "b"], "score": [0.1, 2.0], "rank": [1, 1]},
        schema_overrides={"score": pl.Float32, "query_id": pl.Int32, "rank": pl.UInt8},
    )
    frame.write_parquet(tmp_path / "x")
    run = read_run(tmp_path / "x")
    assert run.rows() == [("7", "a", 0.10000000149011612, 1), ("8", "b", 2.0, 1)]
    assert run.dtypes == [pl.String, pl.String, pl.Float64, pl.Int64]


def test_wrong_parquet_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    pl.DataFrame({"query": ["q"], "doc_id": ["d"], "score": ["high"]}).write_parquet(path)
    assert "no column query_id; legal names: query_id or qid" in problem_of(path)
    pl.DataFrame({"qid": ["q"], "doc_id": [None], "score": ["high"]}).write_parquet(path)
    assert "String" in problem_of(path)
    path.write_bytes(path.read_bytes()[:-5])
    assert "damaged or truncated Parquet" in problem_of(path)


def test_repeated_judgements_in_parquet_are_merged_with_a_warning(tmp_path: Path) -> None:
    frame = pl.DataFrame({"qid": ["q"] * 3, "docno": ["a", "b", "a"], "label": [1, 0, 1]})
    frame.write_parquet(tmp_path / "x")
    with pytest.warns(InputWarning, match=r"merged with it: 1 \(row 2\)"):
        assert read_qrels(tmp_path / "x").rows() == [("q", "a", 1.0), ("q", "b", 0.0)]
    frame.with_columns(label=pl.Series([1, 0, 2])).write_parquet(tmp_path / "x")
    with pytest.raises(InputError, match="more than once"):
        read_qrels(tmp_path / "x")


def test_parquet_ranks_that_contradict_scores_give_a_warning(tmp_path: Path) -> None:
    frame = pl.DataFrame({"qid": ["q"] * 2, "docno": ["a", "b"], "score": [1, 2], "rank": [1, 2]})
    frame.write_parquet(tmp_path / "x")
    with pytest.warns(InputWarning, match="rank column contradicts"):
        read_run(tmp_path / "x")


class FakeDataset:
    def __init__(self, rows: list[tuple[str, str, int]]) -> None:
        self.rows = rows

    def has_qrels(self) -> bool:
        return bool(self.rows)

    def qrels_iter(self) -> list[types.SimpleNamespace]:
        names = ("query_id", "doc_id", "relevance")
        return [types.SimpleNamespace(**dict(zip(names, row, strict=True))) for row in self.rows]


def test_qrels_come_from_ir_datasets_by_id(monkeypatch: pytest.MonkeyPatch) -> None:
    sets = {"beir/x/test": FakeDataset([("1", "d", 2)]), "no-qrels": FakeDataset([])}
    module = types.SimpleNamespace(load=lambda name: sets[name])
    monkeypatch.setitem(sys.modules, "ir_datasets", module)
    assert read_qrels("irds:beir/x/test").rows() == [("1", "d", 2.0)]
    with pytest.raises(InputError, match="has no qrels"):
        read_qrels("irds:no-qrels")
    with pytest.raises(InputError, match="knows no data set 'other'"):
        read_qrels("irds:other")


def test_without_ir_datasets_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(InputError, match="pip install ir_datasets"):
        read_qrels("irds:beir/x/test")


def test_a_large_run_reads_without_a_warning(tmp_path: Path) -> None:
    lines = (f"q{q} Q0 d{d} {d} {-d} t\n" for q in range(50) for d in range(200))
    path = tmp_path / "run.txt"
    path.write_text("".join(lines))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_run(path).height == 10_000
