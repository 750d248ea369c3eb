"""The ir_datasets source against a stand-in of that package, which is an optional extra."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from tiewise.data import DatasetSpec, build_dataset
from tiewise.errors import InputError


class Titled(NamedTuple):
    doc_id: str
    title: str
    text: str

    def default_text(self) -> str:
        return f"{self.title} {self.text}"


class Structured(NamedTuple):
    doc_id: str
    head: str
    body: str

    def default_text(self) -> str:
        return f"{self.head} {self.body}"


class Query(NamedTuple):
    query_id: str
    text: str

    def default_text(self) -> str:
        return self.text


class Qrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int


class StandIn:
    """What `ir_datasets.load` returns."""

    def __init__(self, documents: list[Any], *, qrels: bool = True) -> None:
        self.documents = documents
        self.qrels = [Qrel("q1", "d1", 2), Qrel("q1", "d2", 0)] if qrels else []

    def has_docs(self) -> bool:
        return True

    def has_queries(self) -> bool:
        return True

    def has_qrels(self) -> bool:
        return bool(self.qrels)

    def docs_iter(self) -> Iterator[Any]:
        return iter(self.documents)

    def queries_iter(self) -> Iterator[Query]:
        return iter([Query("q1", "lung")])

    def qrels_iter(self) -> Iterator[Qrel]:
        return iter(self.qrels)


KNOWN = {
    "titled": StandIn([Titled("d1", "Lung", "cough"), Titled("d2", "", "heart")]),
    "structured": StandIn([Structured("d1", "Lung", "cough"), Structured("d2", "a", "b")]),
    "bare": StandIn([], qrels=False),
}


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = SimpleNamespace(load=KNOWN.__getitem__, __version__="0.0")
    monkeypatch.setitem(sys.modules, "ir_datasets", stand_in)  # type: ignore[arg-type]


def spec(identifier: str) -> DatasetSpec:
    block = {
        "name": "mine",
        "title": "Mine",
        "source": {"kind": "ir_datasets", "id": identifier},
        "candidates": {"kind": "bm25"},
        "licence": "none",
        "citation": "none",
    }
    return DatasetSpec.model_validate(block)


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize(
    ("identifier", "corpus"),
    [
        ("titled", [("d1", "Lung", "cough"), ("d2", "", "heart")]),
        ("structured", [("d1", "", "Lung cough"), ("d2", "", "a b")]),
    ],
)
def test_documents_keep_their_title_or_give_their_default_text(
    identifier: str, corpus: list[tuple[str, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tiewise.data.sources.irds.SLICE", 1)
    dataset = build_dataset(spec(identifier))
    assert dataset.corpus.rows() == corpus
    assert dataset.queries.rows() == [("q1", "lung")]
    assert dataset.qrels.rows() == [("q1", "d1", 2.0), ("q1", "d2", 0.0)]
    assert dataset.facts["source"]["version"] == "0.0"


@pytest.mark.usefixtures("package")
def test_an_unknown_id_and_missing_tables_are_refused() -> None:
    with pytest.raises(InputError, match="nothing: ir_datasets knows no data set of this id"):
        build_dataset(spec("nothing"))
    with pytest.raises(InputError, match="bare: this data set of ir_datasets has no qrels"):
        build_dataset(spec("bare"))


def test_without_the_package_the_pip_line_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(InputError, match="pip install ir-datasets"):
        build_dataset(spec("vaswani"))
