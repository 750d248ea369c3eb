"""Local folders: the layouts people have, and files that are wrong, named all at once."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import pytrec_eval
from polars.testing import assert_frame_equal

from tiewise.data import (
    DatasetSpec,
    build_candidates,
    build_dataset,
    effective_qrels,
)
from tiewise.data.sources.files import read_table
from tiewise.errors import InputError

CORPUS = [
    {"_id": "007", "title": "Lung", "text": "cough", "metadata": {}},
    {"_id": "d2", "title": "", "text": "heart failure", "metadata": {"url": "x"}},
    {"_id": "d3", "text": None},
    {"_id": "q1", "title": "", "text": "a cough of the lung"},
]
QUERIES = [
    {"_id": "q1", "text": "cough"},
    {"_id": "q2", "text": "heart"},
    {"_id": "q3", "text": ""},
]
QRELS = [("q1", "007", 2), ("q1", "d9", 1), ("q2", "d2", 0)]


def json_lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def beir(folder: Path) -> Path:
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text(json_lines(CORPUS))
    (folder / "queries.jsonl").write_text(json_lines(QUERIES))
    rows = "".join(f"{q}\t{d}\t{g}\n" for q, d, g in QRELS)
    (folder / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{rows}")
    return folder


def beir_gzip(folder: Path) -> Path:
    beir(folder)
    for name in ("corpus", "queries"):
        plain = folder / f"{name}.jsonl"
        (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
    return folder


def parquet(folder: Path) -> Path:
    folder.mkdir()
    columns = ("_id", "title", "text")
    pl.DataFrame([{c: row.get(c) for c in columns} for row in CORPUS]).write_parquet(
        folder / "corpus.parquet"
    )
    pl.DataFrame(QUERIES).write_parquet(folder / "queries.parquet")
    schema = ["query-id", "corpus-id", "score"]
    pl.DataFrame(QRELS, schema=schema, orient="row").write_parquet(folder / "qrels.parquet")
    return folder


def mteb(folder: Path) -> Path:
    """The layout of a hub repository: one folder a table, several files, qrels as JSON lines."""
    parquet(folder)
    whole = pl.read_parquet(folder / "corpus.parquet")
    (folder / "corpus.parquet").unlink()
    (folder / "qrels.parquet").unlink()
    (folder / "corpus").mkdir()
    whole[:2].write_parquet(folder / "corpus" / "test-00000-of-00002.parquet")
    whole[2:].write_parquet(folder / "corpus" / "test-00001-of-00002.parquet")
    (folder / "qrels").mkdir()
    rows = [{"query-id": q, "corpus-id": d, "score": g} for q, d, g in QRELS]
    (folder / "qrels" / "test.jsonl").write_text(json_lines(rows))
    ranked = [
        {"query-id": "q1", "corpus-ids": ["d2", "q1", "d9", "007"]},
        {"query-id": "q9", "corpus-ids": ["d2"]},
    ]
    (folder / "top_ranked.jsonl").write_text(json_lines(ranked))
    return folder


def spec(folder: Path, **keys: Any) -> DatasetSpec:
    block: dict[str, Any] = {
        "name": "mine",
        "title": "Mine",
        "source": {"kind": "local", "path": str(folder)},
        "candidates": {"kind": "bm25", "k": 2},
        "licence": "none",
        "citation": "none",
    }
    return DatasetSpec.model_validate(block | keys)


@pytest.mark.parametrize("layout", [beir, beir_gzip, parquet, mteb])
def test_every_layout_gives_the_same_tables(tmp_path: Path, layout: Callable[[Path], Path]) -> None:
    dataset = build_dataset(spec(layout(tmp_path / "data")))
    assert dataset.corpus.rows() == [
        ("007", "Lung", "cough"),
        ("d2", "", "heart failure"),
        ("d3", "", ""),
        ("q1", "", "a cough of the lung"),
    ]
    assert dataset.queries.rows() == [("q1", "cough"), ("q2", "heart")]
    assert dataset.qrels.rows() == [("q1", "007", 2.0), ("q1", "d9", 1.0), ("q2", "d2", 0.0)]
    assert dataset.facts["left_out"]["queries_without_judgements"] == 1
    assert dataset.facts["counts"]["empty_documents"] == 1
    assert dataset.facts["counts"]["judgements_of_unknown_documents"] == 1


def test_integer_ids_become_strings_and_strings_stay(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    pl.DataFrame({"_id": [7, 8], "text": ["a", "b"]}).write_parquet(folder / "corpus.parquet")
    (folder / "queries.jsonl").write_text('{"_id": 1, "text": "a"}\n')
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\t7\t1\n")
    dataset = build_dataset(spec(folder))
    assert dataset.corpus["doc_id"].to_list() == ["7", "8"]
    assert dataset.qrels.rows() == [("1", "7", 1.0)]


def test_ids_of_another_type_or_missing_are_refused_all_at_once(tmp_path: Path) -> None:
    folder = beir(tmp_path / "data")
    (folder / "corpus.jsonl").write_text(json_lines([{"_id": 1.5, "text": "a"}]))
    (folder / "queries.jsonl").write_text(json_lines([*QUERIES, {"_id": None, "text": "b"}]))
    with pytest.raises(InputError) as caught:
        build_dataset(spec(folder))
    assert caught.value.problems == (
        "mine: corpus: doc_id must be strings, found Float64, 1: 1.5",
        "mine: queries: query_id missing in rows, 1: 3",
    )


def test_missing_columns_and_damaged_files_are_named_all_at_once(tmp_path: Path) -> None:
    folder = beir(tmp_path / "data")
    (folder / "corpus.jsonl").write_text(json_lines([{"_id": "1", "body": "a"}]))
    (folder / "queries.jsonl").write_text('{"_id": "1", "text": "a"}\n{"_id": "2", \n[1]\n')
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\thigh\n")
    with pytest.raises(InputError) as caught:
        build_dataset(spec(folder))
    said = "\n".join(caught.value.problems)
    assert "corpus.jsonl: no column text; found: _id, body" in said
    assert "queries.jsonl:2: not valid JSON" in said
    assert "queries.jsonl:3: not a JSON object" in said
    assert "test.tsv:2" in said


def test_missing_tables_are_named_with_what_was_looked_for(tmp_path: Path) -> None:
    folder = beir(tmp_path / "data")
    (folder / "queries.jsonl").unlink()
    source = {"kind": "local", "path": str(folder), "split": "dev"}
    with pytest.raises(InputError) as caught:
        build_dataset(spec(folder, source=source))
    assert len(caught.value.problems) == 2
    assert "no file of queries; looked for" in caught.value.problems[0]
    assert "qrels/dev.tsv" in caught.value.problems[1]


def test_a_missing_folder_and_an_empty_or_truncated_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        build_dataset(spec(tmp_path / "nowhere"))
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    with pytest.raises(InputError, match=r"empty\.jsonl: empty"):
        read_table([empty], "corpus")
    cut = tmp_path / "cut.jsonl.gz"
    cut.write_bytes(gzip.compress(json_lines(CORPUS * 100).encode())[:-20])
    with pytest.raises(InputError, match=r"cut\.jsonl\.gz: cannot be read"):
        read_table([cut], "corpus")
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 no")
    with pytest.raises(InputError, match="not a readable Parquet file"):
        read_table([broken], "corpus")


def test_a_large_file_is_read_in_blocks_as_if_in_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "corpus.jsonl"
    file.write_text(json_lines([{"_id": str(i), "text": "x" * (i % 7)} for i in range(2000)]))
    whole = read_table([file], "corpus")
    monkeypatch.setattr("tiewise.data.sources.files.BLOCK", 1000)
    assert_frame_equal(read_table([file], "corpus"), whole)
    assert len(whole) == 2000


def test_titles_and_odd_metadata_may_begin_late(tmp_path: Path) -> None:
    file = tmp_path / "corpus.jsonl"
    rows: list[dict[str, Any]] = [{"_id": str(i), "text": "a", "metadata": i} for i in range(1500)]
    rows[-1] |= {"title": "late", "metadata": {"url": []}}
    file.write_text(json_lines(rows))
    frame = read_table([file], "corpus")
    assert frame.columns == ["doc_id", "text", "title"]
    assert frame["title"].to_list()[-2:] == [None, "late"]


def test_another_file_can_be_named_for_a_table(tmp_path: Path) -> None:
    folder = parquet(tmp_path / "data")
    (folder / "qrels.parquet").rename(folder / "other.parquet")
    source = {"kind": "local", "path": str(folder), "files": {"qrels": "other.parquet"}}
    dataset = build_dataset(spec(folder, source=source))
    assert len(dataset.qrels) == 3
    assert dataset.facts["source"]["files"]["qrels"] == ["other.parquet"]


def test_given_candidates_keep_their_order_and_what_is_unknown_is_counted(tmp_path: Path) -> None:
    given = spec(mteb(tmp_path / "data"), candidates={"kind": "given"})
    frame, facts = build_candidates(given, build_dataset(given))
    assert frame.rows() == [("q1", "d2", 1), ("q1", "q1", 2), ("q1", "007", 3)]
    assert facts["left_out"] == {
        "candidates_of_unknown_queries": 1,
        "candidates_without_a_document": 1,
        "queries_without_candidates": 1,
    }
    assert facts["recall"] == pytest.approx(0.5)


@pytest.mark.parametrize("write", ["json", "parquet"])
def test_given_candidates_may_be_a_row_each(tmp_path: Path, write: str) -> None:
    folder = mteb(tmp_path / "data")
    (folder / "top_ranked.jsonl").unlink()
    rows = [("q2", "d3"), ("q2", "d2"), ("q1", "007")]
    frame = pl.DataFrame(rows, schema=["query-id", "corpus-id"], orient="row")
    if write == "json":
        frame.write_ndjson(folder / "top_ranked.jsonl")
    else:
        frame.write_parquet(folder / "top_ranked.parquet")
    given = spec(folder, candidates={"kind": "given", "k": 2})
    found, _ = build_candidates(given, build_dataset(given))
    assert found.rows() == [("q1", "007", 1), ("q2", "d3", 1), ("q2", "d2", 2)]


def test_the_querys_own_document_can_be_left_out(tmp_path: Path) -> None:
    for how in ({"kind": "given"}, {"kind": "bm25", "k": 4}):
        block = spec(mteb(tmp_path / how["kind"]), candidates=how, ignore_identical_ids=True)
        frame, facts = build_candidates(block, build_dataset(block))
        assert facts["identical_ids_ignored"] == 1
        of_q1 = frame.filter(pl.col("query_id") == "q1")
        assert "q1" not in of_q1["doc_id"].to_list()
        assert of_q1["rank"].to_list() == list(range(1, len(of_q1) + 1))


def test_a_source_without_candidates_says_so(tmp_path: Path) -> None:
    given = spec(beir(tmp_path / "data"), candidates={"kind": "given"})
    with pytest.raises(InputError, match="no file of top_ranked"):
        build_candidates(given, build_dataset(given))


def test_repeated_candidates_are_refused(tmp_path: Path) -> None:
    folder = mteb(tmp_path / "data")
    (folder / "top_ranked.jsonl").write_text('{"query-id": "q1", "corpus-ids": ["d2", "d2"]}\n')
    given = spec(folder, candidates={"kind": "given"})
    with pytest.raises(InputError, match=r"candidates repeated, 1: \('q1', 'd2'\)"):
        build_candidates(given, build_dataset(given))


def test_relevance_can_be_narrowed_to_grades_candidates_and_answered_queries(
    tmp_path: Path,
) -> None:
    folder = mteb(tmp_path / "data")
    only_1 = build_dataset(spec(folder, relevant_grades=[1], queries="relevant"))
    assert only_1.qrels.rows() == [("q1", "007", 0.0), ("q1", "d9", 1.0)]
    assert only_1.facts["left_out"]["grades_taken_as_0"] == 1
    assert only_1.facts["left_out"]["queries_without_relevant_documents"] == 2
    among = spec(folder, judgements="candidates", candidates={"kind": "given"})
    dataset = build_dataset(among)
    qrels = effective_qrels(among, dataset.qrels, build_candidates(among, dataset)[0])
    assert qrels.rows() == [("q1", "007", 2.0), ("q1", "d9", 0.0), ("q2", "d2", 0.0)]
    assert effective_qrels(spec(folder), dataset.qrels, qrels) is dataset.qrels


@pytest.mark.parametrize(
    ("name", "ndcg", "recall"),
    [("cranfield", 0.3695, 0.735), ("vaswani", 0.4361, 0.603), ("stackfaq", 0.7314, 0.969)],
)
def test_bm25_on_real_collections_is_as_good_as_measured_elsewhere(
    shared: Path, name: str, ndcg: float, recall: float
) -> None:
    block = spec(shared / "data" / name, candidates={"kind": "bm25", "k": 100}, queries="relevant")
    dataset = build_dataset(block)
    frame, facts = build_candidates(block, dataset)
    # There ties were ordered and cut by document id, here by input order.
    assert facts["recall"] == pytest.approx(recall, abs=2e-3)
    assert mean_ndcg(dataset.qrels, frame) == pytest.approx(ndcg, abs=0.01)


def mean_ndcg(qrels: pl.DataFrame, candidates: pl.DataFrame) -> float:
    """nDCG@10 of the candidates in their order."""
    run = candidates.with_columns(score=1 / pl.col("rank"))
    evaluator = pytrec_eval.RelevanceEvaluator(
        nested(qrels.with_columns(pl.col("grade").cast(int)), "grade"), {"ndcg_cut.10"}
    )
    values = [v["ndcg_cut_10"] for v in evaluator.evaluate(nested(run, "score")).values()]
    return sum(values) / len(values)


def nested(frame: pl.DataFrame, value: str) -> dict[str, dict[str, float]]:
    return {
        query: dict(zip(rows["doc_id"], rows[value].to_list(), strict=True))
        for (query,), rows in frame.group_by("query_id")
    }
