"""Blocks of data sets and the normal form: what is wrong is counted or refused, all at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from tiewise.data import Dataset, DatasetSpec, document_texts, load_dataset_spec
from tiewise.data.bm25 import Bm25Candidates
from tiewise.data.normal import normalise, tables
from tiewise.data.spec import ExpectedCounts
from tiewise.data.subset import sample
from tiewise.errors import InputError

BLOCKS = sorted((Path(__file__).resolve().parent.parent / "config" / "datasets").glob("*.yaml"))
CORPUS = [("d1", "", "one"), ("d2", "Two", "two"), ("d3", "", " ")]
QUERIES = [("q1", "first"), ("q2", "second"), ("q3", "third")]


def dataset(qrels: list[tuple[str, str, float]], **tables_: list[tuple[str, ...]]) -> Dataset:
    corpus, queries = tables_.get("corpus", CORPUS), tables_.get("queries", QUERIES)
    return Dataset(*tables(corpus, queries, qrels))  # type: ignore[arg-type]


@pytest.mark.parametrize("path", BLOCKS, ids=lambda path: path.stem)
def test_every_shipped_block_is_valid(path: Path) -> None:
    spec = load_dataset_spec(path)
    assert spec.name == path.stem


def test_the_documentation_names_every_key_of_a_block() -> None:
    text = (Path(__file__).resolve().parent.parent / "docs" / "datasets.md").read_text()
    fields = {*DatasetSpec.model_fields, *Bm25Candidates.model_fields, *ExpectedCounts.model_fields}
    assert {key for key in fields if f"`{key}`" not in text and f"`{key}:" not in text} == set()


def test_every_mistake_in_a_block_is_named_with_the_nearest_key(tmp_path: Path) -> None:
    path = tmp_path / "icd10cm.yaml"
    text = BLOCKS[[p.stem for p in BLOCKS].index("icd10cm")].read_text()
    path.write_text(
        text.replace("stemmer: english", "stemer: english")
        .replace("method: lucene", "method: lucine")
        .replace("n_queries: 300", "n_query: 300")
    )
    with pytest.raises(InputError) as caught:
        load_dataset_spec(path)
    said = str(caught.value)
    assert len(caught.value.problems) == 3
    assert "stemer: no such key" in said
    assert "did you mean 'lucene'" in said
    assert "did you mean 'n_queries'" in said


def test_a_block_must_carry_the_name_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "other.yaml"
    path.write_text(BLOCKS[[p.stem for p in BLOCKS].index("icd10cm")].read_text())
    with pytest.raises(InputError, match="found 'icd10cm', must be 'other'"):
        load_dataset_spec(path)


def test_a_block_takes_keys_from_the_files_that_it_extends(tmp_path: Path) -> None:
    (tmp_path / "facts.yaml").write_text(BLOCKS[0].parent.joinpath("cwe.yaml").read_text())
    (tmp_path / "few.yaml").write_text("n_queries: 9\ntext: plain\n")
    own = tmp_path / "mine.yaml"
    own.write_text("extends: [facts.yaml, few.yaml]\nname: mine\ntext: newline\n")
    spec = load_dataset_spec(own)
    assert (spec.name, spec.title) == ("mine", "CWE")
    assert (spec.n_queries, spec.text) == (9, "newline")


@pytest.mark.parametrize(
    ("extends", "said"),
    [
        ("mine.yaml", "goes round in a circle"),
        ("nowhere.yaml", "cannot be read"),
        ("{a: 1}", "not the name of a file"),
    ],
)
def test_a_block_that_extends_what_it_cannot_is_refused(
    tmp_path: Path, extends: str, said: str
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(f"extends: {extends}\nname: mine\n")
    with pytest.raises(InputError, match=said):
        load_dataset_spec(path)


def test_queries_without_judgements_are_left_out_and_counted() -> None:
    done = normalise(dataset([("q2", "d1", 1.0), ("q9", "d1", 1.0), ("q2", "d1", 1.0)]), "mine")
    assert done.queries["query_id"].to_list() == ["q2"]
    assert len(done.qrels) == 1
    assert done.facts["left_out"] == {
        "queries_without_judgements": 2,
        "judgements_repeated": 1,
        "judgements_of_unknown_queries": 1,
    }


def test_what_is_odd_but_legal_is_counted() -> None:
    done = normalise(dataset([("q1", "d9", 1.0), ("q2", "d1", 0.0), ("q2", "d3", -1.0)]), "mine")
    counts = done.facts["counts"]
    assert counts["judgements_of_unknown_documents"] == 1
    assert counts["empty_documents"] == 1
    assert counts["queries_without_relevant"] == 1
    assert counts["qrels_by_grade"] == {"-1": 1, "0": 1, "1": 1}


def test_ambiguous_rows_are_refused_all_at_once_with_examples() -> None:
    broken = dataset(
        [("q1", "d1", 1.0), ("q1", "d1", 2.0)],
        corpus=[*CORPUS, ("d2", "", "again")],
        queries=[*QUERIES, ("q3", "again")],
    )
    with pytest.raises(InputError) as caught:
        normalise(broken, "mine")
    assert caught.value.problems == (
        "mine: corpus: doc_id repeated, 1: 'd2'",
        "mine: queries: query_id repeated, 1: 'q3'",
        "mine: qrels: query_id and doc_id repeated, 1: ('q1', 'd1')",
    )


def test_texts_and_grades_of_another_type_are_refused_all_at_once() -> None:
    done = dataset([("q1", "d1", 1.0), ("q1", "d2", float("nan"))])
    odd = replace(
        done,
        corpus=done.corpus.with_columns(text=pl.lit(1)),
        queries=done.queries.with_columns(text=pl.lit(None)),
    )
    with pytest.raises(InputError) as caught:
        normalise(odd, "mine")
    assert caught.value.problems == (
        "mine: corpus: text must be text, found Int32",
        "mine: qrels: grade missing or not finite in rows, 1: 1",
    )


def test_tables_without_rows_are_refused_all_at_once() -> None:
    with pytest.raises(InputError) as caught:
        normalise(dataset([], corpus=[]), "mine")
    assert caught.value.problems == ("mine: corpus: no rows", "mine: qrels: no rows")
    with pytest.raises(InputError, match="no query of the queries table has judgements"):
        normalise(dataset([("q9", "d1", 1.0)]), "mine")


def test_a_sample_by_hash_does_not_depend_on_the_order_of_rows() -> None:
    rows = [(f"q{i}", "d1", 1.0) for i in range(30)]
    queries = [(f"q{i}", "text") for i in range(30)]
    forward = sample(dataset(rows, queries=queries), "mine", n_queries=7)
    backward = sample(dataset(rows[::-1], queries=queries[::-1]), "mine", n_queries=7)
    assert set(forward.queries["query_id"]) == set(backward.queries["query_id"])
    assert forward.queries["query_id"].to_list() == backward.queries["query_id"].to_list()[::-1]


def test_document_texts_join_as_each_protocol_does() -> None:
    corpus = pl.DataFrame({"title": ["", "T"], "text": [" a ", "b "]})
    assert document_texts(corpus, "strip").to_list() == ["a", "T b"]
    assert document_texts(corpus, "plain").to_list() == ["  a ", "T b "]
    assert document_texts(corpus, "newline").to_list() == ["\n a ", "T\nb "]
