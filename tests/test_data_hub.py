"""The hub source against a double of the hub: every shipped block, every fault, and offline."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hub_double import Hub, Repository
from hub_double.collections import beir_files, repository, retrieval
from hub_double.server import Fault
from tiewise.data import DatasetSpec, load_dataset_spec

BLOCKS = [
    load_dataset_spec(path)
    for path in sorted((Path(__file__).resolve().parent.parent / "config" / "datasets").glob("*"))
]
HUB_BLOCKS = {block.name: block for block in BLOCKS if block.protocol}
REVISION = "0123456789abcdef0123456789abcdef01234567"
MINE = Repository("me/mine", REVISION, beir_files(retrieval("mine")))

# The hub's library reads its environment when imported: each scenario is a process of its own.
BUILD = """
import json, sys
import tiewise.store.hub
from tiewise.data import DatasetSpec, build_candidates, build_dataset, effective_qrels
from tiewise.errors import InputError
tiewise.store.hub.PAUSE = 0
results = {}
for raw in json.load(sys.stdin):
    spec = DatasetSpec.model_validate(raw)
    try:
        dataset = build_dataset(spec)
        candidates, facts = build_candidates(spec, dataset)
        qrels = effective_qrels(spec, dataset.qrels, candidates)
        results[spec.name] = {
            "facts": dataset.facts,
            "candidates": candidates.select("query_id", "doc_id", "rank").rows(),
            "candidate_facts": facts,
            "qrels": qrels.rows(),
        }
    except InputError as error:
        results[spec.name] = {"problems": error.problems}
json.dump(results, sys.stdout)
"""


def build(
    hub: Hub, home: Path, specs: list[DatasetSpec], offline: bool = False
) -> dict[str, dict[str, Any]]:
    raw = [spec.model_dump(mode="json", exclude={"expected"}) for spec in specs]
    done = subprocess.run(
        [sys.executable, "-c", BUILD],
        input=json.dumps(raw),
        env=hub.environment(home, offline=offline),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def mine(name: str = "mine", **source: Any) -> DatasetSpec:
    block = {
        "name": name,
        "title": "Mine",
        "source": {"kind": "hub", "repo": "me/mine", "revision": REVISION} | source,
        "candidates": {"kind": "bm25", "k": 5},
        "licence": "none",
        "citation": "none",
    }
    return DatasetSpec.model_validate(block)


@pytest.fixture
def hub() -> Iterator[Hub]:
    with Hub([MINE]) as running:
        yield running


@pytest.fixture(scope="module")
def all_blocks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Build every shipped block of the hub, then again without a network."""
    home = tmp_path_factory.mktemp("home")
    sources = {(s.source.repo, s.source.revision) for s in HUB_BLOCKS.values()}  # type: ignore[union-attr]
    with Hub([repository(*source) for source in sorted(sources)]) as running:
        online = build(running, home, list(HUB_BLOCKS.values()))
        asked = len(running.requests)
        offline = build(running, home, list(HUB_BLOCKS.values()), offline=True)
        return {"online": online, "offline": offline, "later": running.requests[asked:]}


def test_every_shipped_block_builds_from_the_real_schema(all_blocks: dict[str, Any]) -> None:
    assert len(all_blocks["online"]) == 24
    for name, result in all_blocks["online"].items():
        assert "problems" not in result, (name, result)
        assert result["facts"]["source"]["revision"] == HUB_BLOCKS[name].source.revision  # type: ignore[union-attr]
        assert result["candidates"]


def test_a_second_run_offline_asks_for_nothing_and_gives_the_same(
    all_blocks: dict[str, Any],
) -> None:
    def timeless(results: dict[str, Any]) -> dict[str, Any]:
        for result in results.values():
            result["candidate_facts"].pop("seconds", None)
        return results

    assert all_blocks["later"] == []
    assert timeless(all_blocks["offline"]) == timeless(all_blocks["online"])


def test_protocols_differ_as_documented(all_blocks: dict[str, Any]) -> None:
    results = all_blocks["online"]

    def counts(name: str) -> dict[str, Any]:
        return results[name]["facts"]["counts"]

    # The query's own document is left out by MTEB only.
    for protocol, expected in (("mteb", 0), ("paper", 6)):
        rows = results[f"arguana-{protocol}"]["candidates"]
        assert sum(query == document for query, document, _ in rows) == expected
    assert counts("arguana-mteb")["judgements_of_unknown_documents"] == 1
    # Only grade 1 is relevant in the paper; -1 never is.
    assert set(counts("trec-covid-mteb")["qrels_by_grade"]) == {"-1", "0", "1", "2"}
    assert set(counts("trec-covid-paper")["qrels_by_grade"]) == {"-1", "0", "1"}
    # A relevant document that is no candidate counts for MTEB only.
    for protocol, lost in (("mteb", 1), ("paper", 0)):
        result = results[f"arguana-{protocol}"]
        found = {(query, document) for query, document, _ in result["candidates"]}
        relevant = {(query, document) for query, document, grade in result["qrels"] if grade > 0}
        assert len(relevant - found) == lost
    # Queries without a relevant candidate are evaluated by MTEB, not by the paper's MIRACL.
    assert counts("miracl-mteb")["queries_without_relevant"] == 2
    assert counts("miracl-paper")["queries_without_relevant"] == 0
    assert (counts("miracl-mteb")["queries"], counts("miracl-paper")["queries"]) == (6, 4)


def test_the_split_decides_which_queries_are_asked(all_blocks: dict[str, Any]) -> None:
    facts = all_blocks["online"]["fiqa-mteb"]["facts"]
    assert facts["counts"]["queries"] == 6
    assert facts["left_out"]["queries_without_judgements"] == 3
    assert not any("train" in path for path in facts["source"]["sha256"])


def test_version_1_of_askubuntu_lists_positive_candidates_first(
    all_blocks: dict[str, Any],
) -> None:
    rows = all_blocks["online"]["askubuntu-paper"]["candidates"]
    assert [row for row in rows if row[0] == "test_query1"] == [
        ["test_query1", "apositive_test_query1_00000", 1],
        ["test_query1", "apositive_test_query1_00001", 2],
        ["test_query1", "negative_test_query1_00000", 3],
        ["test_query1", "negative_test_query1_00001", 4],
    ]
    assert all_blocks["online"]["askubuntu-paper"]["facts"]["counts"]["queries"] == 5


def test_protocols_of_a_set_differ_in_nothing_else() -> None:
    protocol_keys = {
        *("name", "protocol", "description", "text", "relevant_grades", "queries", "judgements"),
        *("ignore_identical_ids", "candidates", "expected"),
    }
    papers = [block for block in HUB_BLOCKS.values() if block.protocol == "paper"]
    assert len(papers) == 12
    for paper in papers:
        mteb = HUB_BLOCKS[paper.name.replace("-paper", "-mteb")]
        keys = protocol_keys | ({"source"} if paper.title == "AskUbuntuDupQuestions" else set())
        assert paper.model_dump(exclude=keys) == mteb.model_dump(exclude=keys)
    for protocol in ("mteb", "paper"):
        searches = {
            block.candidates.model_dump_json()
            for block in HUB_BLOCKS.values()
            if block.protocol == protocol and block.candidates.kind == "bm25"
        }
        assert len(searches) == 1


def test_faults_that_pass_are_overcome_and_those_that_stay_are_named(tmp_path: Path) -> None:
    faults = {
        **{kind: Fault(kind) for kind in ("cut", "short", "busy", "broken")},
        "changed": Fault("changed"),
        "down": Fault("broken", times=99),
    }
    repositories = [dataclasses.replace(MINE, name=f"me/{name}") for name in faults]
    with Hub(repositories) as hub:
        hub.faults.update({f"me/{name}/corpus.jsonl": fault for name, fault in faults.items()})
        results = build(hub, tmp_path, [mine(name, repo=f"me/{name}") for name in faults])
    for name in ("cut", "short", "busy", "broken"):
        assert results[name]["facts"]["counts"]["documents"] == 40, name
        assert faults[name].times == 0, name
    (damaged,), (down,) = results["changed"]["problems"], results["down"]["problems"]
    assert "damaged download of corpus.jsonl; delete this file" in damaged
    assert down.startswith("me/down@01234567: download failed: Server error '500")
    assert "run the same command again" in down
    assert faults["down"].times == 96


def test_what_the_hub_does_not_have_is_one_clear_error_each(hub: Hub, tmp_path: Path) -> None:
    wrong = {"split": "tset", "subset": "en", "revision": "f" * 40, "repo": "me/none"}
    results = build(hub, tmp_path, [mine(key, **{key: value}) for key, value in wrong.items()])
    problems = {name: "\n".join(results[name]["problems"]) for name in wrong}
    assert "no split 'tset'; did you mean 'test'" in problems["split"]
    assert "no config 'en-corpus'; did you mean 'corpus'" in problems["subset"]
    assert problems["revision"] == f"me/mine@ffffffff: no revision {'f' * 40}"
    assert problems["repo"].startswith("me/none@01234567: no such dataset repository")


def test_offline_without_a_cache_says_how_to_get_one(hub: Hub, tmp_path: Path) -> None:
    (problem,) = build(hub, tmp_path, [mine()], offline=True)["mine"]["problems"]
    assert "not in the cache" in problem
    assert hub.requests == []
