"""Time and memory of the BM25 candidates, beside bm25s's own index and search.

Run: ``python benchmarks/bm25.py``. Documents are words of ICD-10-CM and CWE drawn as often as they
occur there, 170 a document on average; queries are 10 such words. Each contender runs in a process
of its own, so that its peak of memory is its own.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from tiewise.data import build_dataset, document_texts, load_dataset_spec
from tiewise.data.bm25 import Bm25, Bm25Candidates

BLOCKS = Path(__file__).resolve().parent.parent / "config" / "datasets"
Scores = list[npt.NDArray[np.floating]]


def make_texts(n_documents: int, n_queries: int) -> tuple[list[str], list[str]]:
    pool: list[str] = []
    for name in ("icd10cm", "cwe"):
        dataset = build_dataset(load_dataset_spec(BLOCKS / f"{name}.yaml"))
        pool += " ".join(document_texts(dataset.corpus)).split()
    words, rng = np.array(pool, dtype=object), np.random.default_rng(0)
    lengths = np.clip(rng.lognormal(5.0, 0.5, n_documents), 5, 2000).astype(int)
    documents = [" ".join(rng.choice(words, length)) for length in lengths]
    return documents, [" ".join(rng.choice(words, 10)) for _ in range(n_queries)]


def tiewise(documents: list[str], queries: list[str], k: int) -> tuple[float, float, Scores]:
    began = perf_counter()
    index = Bm25(Bm25Candidates(kind="bm25", k1=1.5), documents)
    indexed = perf_counter()
    found = index.search(queries, k)
    return indexed - began, perf_counter() - indexed, [f.scores for f in found]


def bm25s(documents: list[str], queries: list[str], k: int) -> tuple[float, float, Scores]:
    import bm25s
    from Stemmer import Stemmer

    def tokens(texts: list[str]) -> object:
        return bm25s.tokenize(
            texts, stopwords="en", stemmer=Stemmer("english"), show_progress=False
        )

    began = perf_counter()
    index = bm25s.BM25(k1=1.5, backend="numpy")
    index.index(tokens(documents), show_progress=False)
    indexed = perf_counter()
    _, scores = index.retrieve(tokens(queries), k=k, show_progress=False, backend_selection="numpy")
    return indexed - began, perf_counter() - indexed, list(scores)


CONTENDERS: dict[str, Callable[..., tuple[float, float, Scores]]] = {
    "tiewise": tiewise,
    "bm25s": bm25s,
}


def work(name: str, n_documents: int, n_queries: int, k: int) -> None:
    documents, queries = make_texts(n_documents, n_queries)
    before = peak_gib()
    index, search, scores = CONTENDERS[name](documents, queries, k)
    total = float(np.sum([np.sort(s)[::-1].sum(dtype=np.float64) for s in scores]))
    json.dump(
        {"index": index, "search": search, "before": before, "peak": peak_gib(), "sum": total},
        sys.stdout,
    )


def peak_gib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("-k", type=int, default=1_000)
    parser.add_argument("--worker", choices=list(CONTENDERS), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        work(given.worker, given.documents, given.queries, given.k)
        return

    table = Table(title=f"top {given.k}: {given.queries:,} queries, {given.documents:,} documents")
    for column in ("", "index s", "search s", "total s", "texts GiB", "peak GiB", "sum of scores"):
        table.add_column(column, justify="right" if column else "left")
    sizes = ["--documents", given.documents, "--queries", given.queries, "-k", given.k]
    for name in CONTENDERS:
        command = [sys.executable, __file__, "--worker", name, *map(str, sizes)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        row = json.loads(done.stdout)
        table.add_row(
            name,
            *(f"{s:.1f}" for s in (row["index"], row["search"], row["index"] + row["search"])),
            *(f"{row[key]:.2f}" for key in ("before", "peak")),
            f"{row['sum']:.3f}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
