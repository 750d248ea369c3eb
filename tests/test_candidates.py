"""BM25 candidates: one order on every machine, and the recall that was measured elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import pytrec_eval
from polars.testing import assert_frame_equal

from tiewise.data import Dataset, DatasetSpec, build_candidates, build_dataset, load_dataset_spec
from tiewise.data.normal import tables

BLOCK = Path(__file__).resolve().parent.parent / "config" / "datasets" / "icd10cm.yaml"


@pytest.fixture(scope="module")
def spec() -> DatasetSpec:
    return load_dataset_spec(BLOCK)


@pytest.fixture(scope="module")
def icd10cm(spec: DatasetSpec) -> Dataset:
    return build_dataset(spec)


@pytest.fixture(scope="module")
def candidates(spec: DatasetSpec, icd10cm: Dataset) -> pl.DataFrame:
    return build_candidates(spec, icd10cm)[0]


def small(*texts: str, query: str = "lung cancer") -> Dataset:
    rows = [(f"d{i}", "", text) for i, text in enumerate(texts)]
    return Dataset(*tables(rows, [("q1", query)], [("q1", "d0", 1.0)]))


def test_every_query_has_k_candidates_with_ranks_from_1(
    icd10cm: Dataset, candidates: pl.DataFrame
) -> None:
    ranks = candidates.group_by("query_id", maintain_order=True).agg("rank")
    assert ranks["query_id"].equals(icd10cm.queries["query_id"])
    assert all(listed == list(range(1, 101)) for listed in ranks["rank"].to_list())


def test_order_is_score_descending_then_input_order(
    icd10cm: Dataset, candidates: pl.DataFrame
) -> None:
    placed = candidates.join(
        icd10cm.corpus.select("doc_id").with_row_index("place"), on="doc_id", maintain_order="left"
    )
    wanted = placed.sort(
        "query_id", "bm25_score", "place", descending=[False, True, False], maintain_order=True
    )
    assert_frame_equal(placed, wanted)  # ICD-10-CM query ids are in ascending order


def test_scores_equal_the_reference_candidates(candidates: pl.DataFrame, shared: Path) -> None:
    reference = pl.read_parquet(shared / "data" / "icd10cm" / "candidates.parquet")
    # The reference cuts its last tie by document id, so only the multiset of scores is the same.
    assert candidates["bm25_score"].to_list() == reference["score"].to_list()


def test_ndcg_is_the_one_measured_elsewhere(icd10cm: Dataset, candidates: pl.DataFrame) -> None:
    run = {
        query: dict(zip(rows["doc_id"], (1.0 / rows["rank"]).to_list(), strict=True))
        for (query,), rows in candidates.group_by("query_id")
    }
    qrels = {
        query: dict(zip(rows["doc_id"], rows["grade"].cast(int).to_list(), strict=True))
        for (query,), rows in icd10cm.qrels.group_by("query_id")
    }
    values = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10"}).evaluate(run).values()
    assert np.mean([v["ndcg_cut_10"] for v in values]) == pytest.approx(0.396, abs=0.001)


def test_facts_say_recall_ties_and_fill(spec: DatasetSpec, icd10cm: Dataset) -> None:
    facts = build_candidates(spec, icd10cm)[1]
    assert facts["recall"] == pytest.approx(0.4837, abs=5e-5)
    assert facts["share_tied"] == pytest.approx(0.9469, abs=5e-5)
    assert facts["candidates_with_score_0"] == 6871
    assert facts["queries_with_a_tie_cut"] <= 300
    assert facts["bm25s"]
    assert json.loads(json.dumps(facts)) == facts


def test_equal_documents_keep_input_order_and_the_cut_tie_is_counted(spec: DatasetSpec) -> None:
    dataset = small("lung cancer", "heart", "lung cancer", "lung", "lung cancer", "lung cancer")
    how = spec.candidates.model_copy(update={"k": 3})
    frame, facts = build_candidates(spec.model_copy(update={"candidates": how}), dataset)
    assert frame["doc_id"].to_list() == ["d0", "d2", "d4"]
    assert frame["bm25_score"].n_unique() == 1
    assert facts["queries_with_a_tie_cut"] == 1
    assert facts["documents_cut_from_a_tie"] == 1


def test_documents_without_a_query_word_fill_short_lists(spec: DatasetSpec) -> None:
    frame, facts = build_candidates(spec, small("heart", "liver", "lung"))
    assert frame["doc_id"].to_list() == ["d2", "d0", "d1"]
    assert facts["candidates_with_score_0"] == 2


@pytest.mark.parametrize("query", ["", "the of and", "unheard", "."])
def test_a_query_without_known_words_gets_the_first_documents(
    spec: DatasetSpec, query: str
) -> None:
    frame, _ = build_candidates(spec, small("heart", "the lung", "", query=query))
    assert frame["doc_id"].to_list() == ["d0", "d1", "d2"]
    assert frame["bm25_score"].to_list() == [0.0, 0.0, 0.0]


def test_candidates_do_not_depend_on_other_queries(
    spec: DatasetSpec, icd10cm: Dataset, candidates: pl.DataFrame
) -> None:
    few = icd10cm.queries.sample(20, seed=1)
    alone, _ = build_candidates(spec, Dataset(icd10cm.corpus, few, icd10cm.qrels, icd10cm.facts))
    wanted = candidates.filter(pl.col("query_id").is_in(few["query_id"].to_list()))
    assert_frame_equal(alone.sort("query_id", "rank"), wanted.sort("query_id", "rank"))
