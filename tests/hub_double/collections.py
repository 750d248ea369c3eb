"""Miniature data sets under the real repository ids and revisions, in the real schemas.

Each has what is peculiar about the real one: a query's own text in the corpus, judged documents
that are missing, grades of -1 and 2, explicit zeros, empty documents, queries of other splits,
other languages.
"""

from __future__ import annotations

import gzip
import io
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import polars as pl

from hub_double.server import Repository

WORDS = re.findall(
    r"\w+",
    "lung heart kidney market stock bond film game score engine kernel driver shell court claim"
    " vaccine virus mask climate ice ocean carbon island river city king novel poem song",
)


@dataclass
class Tables:
    """Rows of a data set as the hub's files have them."""

    corpus: list[dict[str, Any]]
    queries: list[dict[str, Any]]
    qrels: dict[str, list[dict[str, Any]]]  # by split


def text(seed: int, length: int = 12) -> str:
    """Text of common words that is the same everywhere; neighbours share words."""
    return " ".join(WORDS[(seed * 7 + i * i) % len(WORDS)] for i in range(length))


def judgement(query: str, document: str, grade: float) -> dict[str, Any]:
    return {"query-id": query, "corpus-id": document, "score": grade}


def retrieval(name: str, n_documents: int = 40, n_queries: int = 6) -> Tables:
    """Return a retrieval data set: each query is part of its relevant documents."""
    corpus = [
        {"_id": f"{name}-d{i}", "title": "" if i % 3 else text(i, 2), "text": text(i)}
        for i in range(n_documents)
    ]
    queries = [{"_id": f"{name}-q{i}", "text": text(i * 3, 4)} for i in range(n_queries)]
    qrels = [
        judgement(query["_id"], corpus[i * 3 + j]["_id"], 1.0)
        for i, query in enumerate(queries)
        for j in range(1 + i % 2)
    ]
    return Tables(corpus, queries, {"test": qrels})


def arguana() -> Tables:
    made = retrieval("arguana")
    for query in made.queries:  # a query is itself a document of the corpus
        made.corpus.append({"_id": query["_id"], "title": "", "text": query["text"]})
    made.qrels["test"][-1]["corpus-id"] = "a-document-that-is-missing"
    return made


def fiqa() -> Tables:
    made = retrieval("fiqa")
    for document in made.corpus:
        document["title"] = ""
    made.corpus[-1]["text"] = ""
    made.queries += [{"_id": f"fiqa-train{i}", "text": text(i, 4)} for i in range(3)]
    made.qrels["train"] = [judgement(f"fiqa-train{i}", "fiqa-d0", 1.0) for i in range(3)]
    made.qrels["dev"] = [judgement("fiqa-train0", "fiqa-d1", 1.0)]
    return made


def scidocs() -> Tables:
    made = retrieval("scidocs")
    zeros = [
        judgement(query["_id"], f"scidocs-d{30 + i}", 0.0)
        for query in made.queries
        for i in range(5)
    ]
    made.qrels["test"] += zeros
    return made


def graded(name: str) -> Tables:
    made = retrieval(name)
    made.corpus[-1]["text"] = ""
    for i, row in enumerate(made.qrels["test"]):
        row["score"] = float(1 + i % 2)
    for query in made.queries:
        made.qrels["test"].append(judgement(query["_id"], f"{name}-d35", 0.0))
    made.qrels["test"].append(judgement(made.queries[0]["_id"], f"{name}-d36", -1.0))
    return made


def reranking(
    split: str, n_queries: int, n_candidates: int, positive: str, negative: str
) -> Tables:
    """Return a reranking data set: every query owns its candidates, and all are judged."""
    corpus, queries, qrels = [], [], []
    for i in range(n_queries):
        query = f"{split}_query{i}"
        queries.append({"_id": query, "text": text(i * 3, 4)})
        for j in range(n_candidates):
            is_relevant = j < i % 3  # every third query has none
            document = f"{positive if is_relevant else negative}_{query}_{j:05d}"
            corpus.append({"_id": document, "title": "", "text": text(i * 3 + j % 4)})
            qrels.append(judgement(query, document, int(is_relevant)))
    return Tables(corpus, queries, {split: qrels})


def json_lines(rows: Iterable[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def parquet(rows: list[dict[str, Any]]) -> bytes:
    buffer = io.BytesIO()
    pl.DataFrame(rows).write_parquet(buffer)
    return buffer.getvalue()


def card(configs: dict[str, dict[str, str]]) -> bytes:
    """README whose metadata says which file belongs to which config and split."""
    lines = ["---", "configs:"]
    for name, files in configs.items():
        lines += [f"- config_name: {name}", "  data_files:"]
        for split, path in files.items():
            lines += [f"  - split: {split}", f"    path: {path}"]
    return "\n".join([*lines, "---", "# A miniature"]).encode()


def beir_files(made: Tables) -> dict[str, bytes]:
    """Lay a data set out as most BEIR mirrors of MTEB: JSON lines."""
    qrels = {split: f"qrels/{split}.jsonl" for split in made.qrels}
    configs = {
        "default": qrels,
        "corpus": {"corpus": "corpus.jsonl"},
        "queries": {"queries": "queries.jsonl"},
    }
    return {
        "README.md": card(configs),
        "corpus.jsonl": json_lines(made.corpus),
        "queries.jsonl": json_lines(made.queries),
        **{qrels[split]: json_lines(rows) for split, rows in made.qrels.items()},
    }


def parquet_files(
    made: Tables, prefix: str = "", ranked: bool = False
) -> tuple[dict[str, dict[str, str]], dict[str, bytes]]:
    """Lay a data set out as `push_to_hub` does: a folder a config, the corpus in two files."""
    qrels_name = f"{prefix}qrels" if prefix else "default"
    half = len(made.corpus) // 2
    parts = {"00000-of-00002": made.corpus[:half], "00001-of-00002": made.corpus[half:]}
    configs, files = {}, {}
    (split, qrels), *_ = made.qrels.items()
    for part, rows in parts.items():
        files[f"{prefix}corpus/{split}-{part}.parquet"] = parquet(rows)
    tables = {f"{prefix}queries": made.queries, qrels_name: qrels}
    if ranked:
        lists: dict[str, list[str]] = {}
        for row in qrels:
            lists.setdefault(row["query-id"], []).append(row["corpus-id"])
        tables[f"{prefix}top_ranked"] = [
            {"query-id": query, "corpus-ids": ids} for query, ids in lists.items()
        ]
    for name, rows in tables.items():
        files[f"{name}/{split}-00000-of-00001.parquet"] = parquet(rows)
    for name in (f"{prefix}corpus", *tables):
        configs[name] = {split: f"{name}/{split}-*"}
    return configs, files


def in_parquet(made: Tables, ranked: bool = False) -> dict[str, bytes]:
    configs, files = parquet_files(made, ranked=ranked)
    return {"README.md": card(configs), **files}


def miracl() -> dict[str, bytes]:
    """Return several languages in one repository, as configs with a prefix."""
    configs: dict[str, dict[str, str]] = {}
    files: dict[str, bytes] = {}
    for language in ("de", "en"):
        made = reranking("dev", 6, 10, "candidate", "candidate")
        more_configs, more_files = parquet_files(made, prefix=f"{language}-", ranked=True)
        configs |= more_configs
        files |= more_files
    return {"README.md": card(configs), **files}


def askubuntu_v1() -> dict[str, bytes]:
    rows = [
        {
            "query": text(i * 3, 4),
            "positive": [text(i * 3 + j) for j in range(1 + i % 4)],
            "negative": [text(i * 3 + j) for j in range(1 + i % 4, 4)],
        }
        for i in range(5)
    ]
    return {"README.md": b"# v1", "test.jsonl.gz": gzip.compress(json_lines(rows), mtime=0)}


FILES = {
    "mteb/arguana": lambda: beir_files(arguana()),
    "mteb/ClimateFEVER_test_top_250_only_w_correct-v2": lambda: in_parquet(retrieval("climate")),
    "mteb/cqadupstack-gaming": lambda: beir_files(retrieval("gaming")),
    "mteb/cqadupstack-unix": lambda: beir_files(retrieval("unix")),
    "mteb/FEVER_test_top_250_only_w_correct-v2": lambda: in_parquet(retrieval("fever")),
    "mteb/fiqa": lambda: beir_files(fiqa()),
    "mteb/HotpotQA_test_top_250_only_w_correct-v2": lambda: in_parquet(retrieval("hotpotqa")),
    "mteb/scidocs": lambda: beir_files(scidocs()),
    "mteb/webis-touche2020-v3": lambda: in_parquet(graded("touche")),
    "mteb/trec-covid": lambda: beir_files(graded("covid")),
    "mteb/AskUbuntuDupQuestions": lambda: in_parquet(
        reranking("test", 6, 8, "apositive", "negative"), ranked=True
    ),
    "mteb/MIRACLReranking": miracl,
    "mteb/askubuntudupquestions-reranking": askubuntu_v1,
}
"""Files of each repository that a shipped block names."""


def repository(name: str, revision: str) -> Repository:
    """Return the miniature of a data set repository."""
    return Repository(name, revision, FILES[name]())
