"""Time and memory of ``tiewise audit``, beside a process that only runs pytrec_eval.

Run: ``python benchmarks/audit.py``. The run has 1,000 queries of 1,000 candidates with scores on
the BF16 grid, 10 judged documents a query. Both contenders are processes, timed from their start
to their table, in turns; pytrec_eval computes only its one value of each measure, the audit
everything it shows. A larger run (7,000 queries) shows how time and memory grow.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
from rich.console import Console
from rich.table import Table

from tiewise.precision.grids import BF16

MEASURES = {
    "nDCG@10": "ndcg_cut.10", "RR": "recip_rank", "AP@100": "map_cut.100", "R@100": "recall.100",
    "P@10": "P.10",
}  # fmt: skip
PYTREC_EVAL = """
import sys
import pytrec_eval
run_file, qrels_file, *names = sys.argv[1:]
with open(run_file) as file:
    run = pytrec_eval.parse_run(file)
with open(qrels_file) as file:
    qrels = pytrec_eval.parse_qrel(file)
rows = pytrec_eval.RelevanceEvaluator(qrels, set(names)).evaluate(run).values()
for name in names:
    key = name.replace(".", "_")
    print(name, sum(row[key] for row in rows) / len(rows))
"""
AUDIT = "from tiewise.cli import main; main()"


def write_files(folder: Path, n_queries: int, depth: int = 1000) -> tuple[Path, Path]:
    """Write a TREC run and qrels; a relevant document is more likely near the top."""
    rng = np.random.default_rng(0)
    run, qrels = folder / f"{n_queries}.run", folder / f"{n_queries}.qrels"
    with run.open("w") as run_file, qrels.open("w") as qrels_file:
        for query in range(100_000, 100_000 + n_queries):
            docs = rng.choice(8_841_823, depth, replace=False).tolist()
            scores = BF16.round(np.sort(rng.normal(0.5, 0.1, depth))[::-1]).tolist()
            run_file.writelines(
                f"{query} Q0 {doc} {rank} {score} system\n"
                for rank, (doc, score) in enumerate(zip(docs, scores, strict=True), 1)
            )
            judged = {docs[int(place)] for place in depth * rng.random(10) ** 4}
            qrels_file.writelines(f"{query} 0 {doc} {rng.integers(0, 3)}\n" for doc in judged)
    return run, qrels


def timed(command: list[str]) -> float:
    began = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return perf_counter() - began


def audit_command(run: Path, qrels: Path) -> list[str]:
    options = [word for name in MEASURES for word in ("-m", name)]
    return [sys.executable, "-c", AUDIT, "audit", str(run), str(qrels), *options]


def peak_gib(command: list[str]) -> tuple[float, float]:
    """Wall time and peak memory of a process, alone among the children of a fresh process."""
    program = (
        "import json, resource, subprocess, sys, time; began = time.perf_counter();"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss;"
        "print(time.perf_counter() - began, used / 2**20)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *command], check=True, capture_output=True, text=True
    )
    seconds, gib = map(float, done.stdout.split())
    return seconds, gib


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--large", type=int, default=7000, help="queries of the large run; 0: none")
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run, qrels = write_files(folder, options.queries)
        pytrec = [sys.executable, "-c", PYTREC_EVAL, str(run), str(qrels), *MEASURES.values()]
        audit = audit_command(run, qrels)
        # In turns, so that what else the machine does falls on both.
        pairs = [(timed(audit), timed(pytrec)) for _ in range(options.repeats)]
        table = Table("", "lines", "seconds (median)", "fastest", "ratio", "peak GiB")
        ours, theirs = zip(*pairs, strict=True)
        ratio = median(a / b for a, b in pairs)
        lines = f"{1000 * options.queries:,}"
        _, gib = peak_gib(audit)
        table.add_row(
            "tiewise audit", lines, f"{median(ours):.2f}", f"{min(ours):.2f}", f"{ratio:.2f}",
            f"{gib:.2f}",
        )  # fmt: skip
        _, gib = peak_gib(pytrec)
        table.add_row(
            "pytrec_eval", lines, f"{median(theirs):.2f}", f"{min(theirs):.2f}", "1", f"{gib:.2f}"
        )
        if options.large:
            run, qrels = write_files(folder, options.large)
            size = run.stat().st_size / 1e6
            seconds, gib = peak_gib(audit_command(run, qrels))
            table.add_row(
                f"tiewise audit ({size:.0f} MB)", f"{1000 * options.large:,}", f"{seconds:.2f}",
                f"{seconds:.2f}", "", f"{gib:.2f}",
            )  # fmt: skip
        Console().print(table)
        print(f"{os.cpu_count()} processors; load before: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
