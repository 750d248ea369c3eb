"""Speed and memory of the measures, against the sort that any evaluation needs and against peers.

Run: ``python benchmarks/measures.py``. It prints a Markdown table, each line with its target.
One thread, but for the frames. Ratios are of the best times of several rounds in which both sides
take turns, so that a busy moment of the machine hits both. Peers that are not installed are left
out: ``pip install tie-aware-retrieval-metrics pytrec-eval-terrier ranx``.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import numpy as np  # noqa: E402 (reads these variables)

MEASURES = ("Hits", "P", "R", "F1", "nDCG", "RR", "AP")
CUTOFFS = (1, 3, 5, 10, 20, 50, 100)
NAMES = [f"{m}@{k}" for m in MEASURES for k in CUTOFFS]
SHARE_RELEVANT = 0.01


def on_bf16_grid(values: np.ndarray) -> np.ndarray:
    """Round non-negative float32 values to the nearest BF16 value."""
    bits = values.astype(np.float32).view(np.uint32)
    bits += 0x7FFF + ((bits >> 16) & 1)
    return (bits & 0xFFFF0000).view(np.float32)


def made_batch(n_queries: int, n_candidates: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Scores on the BF16 grid, and relevance of about 1 % of the candidates."""
    rng = np.random.default_rng(seed)
    scores = np.empty((n_queries, n_candidates))
    gains = np.full((n_queries, n_candidates), 0.0)  # in memory, unlike untouched zeros
    n_relevant = max(1, round(n_candidates * SHARE_RELEVANT))
    for row in range(n_queries):
        scores[row] = on_bf16_grid(rng.random(n_candidates, dtype=np.float32))
        gains[row, rng.choice(n_candidates, n_relevant, replace=False)] = 1
    return scores, gains


def best_times(ways: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Shortest time of each way, in seconds; the ways take turns."""
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(rounds):
        for name, way in ways.items():
            started = time.perf_counter()
            way()
            best[name] = min(best[name], time.perf_counter() - started)
    return best


class Memory:
    """Resident memory of this process, in MB (Linux)."""

    def now(self) -> float:
        """Use at this moment."""
        return self._read("VmRSS")

    def peak(self) -> float:
        """Largest since `reset`."""
        return self._read("VmHWM")

    def reset(self) -> None:
        """Forget earlier peaks."""
        Path("/proc/self/clear_refs").write_text("5")

    def _read(self, field: str) -> float:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(x.split()[1]) for x in lines if x.startswith(field)) / 1024


def line(what: str, found: str, target: str, reached: bool) -> None:
    print(f"| {what} | {found} | {target} | {'yes' if reached else '**no**'} |", flush=True)


def against_sort(rounds: int) -> float:
    from tiewise import evaluate_arrays

    scores, gains = made_batch(2000, 1000)
    best = best_times(
        {
            "sort": lambda: np.argsort(scores, axis=1, kind="stable"),
            "without sd": lambda: evaluate_arrays(scores, gains, NAMES, sd=False),
            "with sd": lambda: evaluate_arrays(scores, gains, NAMES),
        },
        rounds,
    )
    for way, most in (("without sd", 1.0), ("with sd", 1.5)):
        ratio = best[way] / best["sort"]
        found = f"{ratio:.2f} ({best[way] / 2000 * 1e3:.3f} ms a query)"
        line(f"49 values {way} / stable argsort", found, f"<= {most}", ratio <= most)
    full = np.random.default_rng(0).random(scores.shape)  # uses all bits of a float64
    of_full = best_times(
        {
            "sort": lambda: np.argsort(full, axis=1, kind="stable"),
            "without sd": lambda: evaluate_arrays(full, gains, NAMES, sd=False),
        },
        rounds,
    )
    ratio = of_full["without sd"] / of_full["sort"]
    line("the same without sd, scores of 53 random bits", f"{ratio:.2f}", "<= 1.0", ratio <= 1)
    sort = best["sort"] / 2000 * 1e3
    print(f"| (the stable argsort itself) | {sort:.3f} ms a query | | |")
    return best["without sd"] / 2000


def peers() -> dict[str, tuple[int, float, Callable[[int], Callable[[], object]]]]:
    """By name: queries to time it on, least ratio, and what makes its timed call."""
    return {
        "tie-aware-retrieval-metrics": (40, 150, _trm),
        "pytrec_eval (naive values only)": (400, 10, _pytrec_eval),
        "ranx, warm (naive values only)": (400, 1, _ranx),
    }


def _trm(n: int) -> Callable[[], object]:
    from trm import evaluate

    scores, gains = (a.tolist() for a in made_batch(n, 1000))
    metrics = ["hits", "precision", "recall", "f1", "ndcg", "mrr", "map"]
    relevant = [[bool(g) for g in row] for row in gains]
    return lambda: evaluate(scores, relevant, metrics=metrics, k_list=list(CUTOFFS))


def _dicts(n: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    scores, gains = made_batch(n, 1000)
    run = {
        f"q{q}": {f"d{i}": score for i, score in enumerate(row)}
        for q, row in enumerate(scores.tolist())
    }
    qrels = {f"q{q}": {f"d{i}": 1 for i in np.flatnonzero(row)} for q, row in enumerate(gains)}
    return qrels, run


def _pytrec_eval(n: int) -> Callable[[], object]:
    import pytrec_eval

    qrels, run = _dicts(n)
    cutoffs = ",".join(map(str, CUTOFFS))
    families = ("P", "recall", "ndcg_cut", "map_cut", "success")
    wanted = {f"{f}.{cutoffs}" for f in families} | {"recip_rank", "num_rel_ret"}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, wanted)
    return lambda: evaluator.evaluate(run)


def _ranx(n: int) -> Callable[[], object]:
    from ranx import Qrels, Run, evaluate

    qrels, run = _dicts(n)
    theirs, of_run = Qrels(qrels), Run(run)
    metrics = ["hits", "precision", "recall", "f1", "ndcg", "mrr", "map"]
    names = [f"{m}@{k}" for m in metrics for k in CUTOFFS]
    evaluate(theirs, of_run, names)  # compiles
    return lambda: evaluate(theirs, of_run, names)


MODULES = {"tie": "trm", "pyt": "pytrec_eval", "ran": "ranx"}


def against_peers(ours: float, rounds: int) -> None:
    for name, (n, least, make) in peers().items():
        if importlib.util.find_spec(MODULES[name[:3]]) is None:
            print(f"| {name} | not installed | {least} x slower or more | |")
            continue
        theirs = best_times({name: make(n)}, rounds)[name] / n
        found = f"{theirs / ours:.0f} x slower ({theirs * 1e3:.2f} ms a query)"
        line(name, found, f">= {least} x", theirs >= least * ours)


def in_a_process(task: str, *arguments: object, threads: int = 1) -> dict[str, float]:
    """Run a task of this file in a process of its own, whose memory is its alone."""
    environment = os.environ | {"POLARS_MAX_THREADS": str(threads)}
    command = [sys.executable, __file__, "--task", task, *map(str, arguments)]
    output = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return json.loads(output.stdout.splitlines()[-1])


def task_candidates(n_queries: str, n_candidates: str) -> dict[str, float]:
    from tiewise import evaluate_arrays

    evaluate_arrays(*made_batch(1, 1000), NAMES)  # warms up
    memory = Memory()
    before = memory.now()
    scores, gains = made_batch(int(n_queries), int(n_candidates))
    memory.reset()
    best = best_times({"ours": lambda: evaluate_arrays(scores, gains, NAMES)}, 3)["ours"]
    megabytes = 2 * scores.nbytes / 2**20
    return {"seconds": best, "memory": memory.peak() - before, "input": megabytes}


def task_tied(n_candidates: str) -> dict[str, float]:
    from tiewise import evaluate_arrays

    scores, gains = np.zeros((1, int(n_candidates))), np.zeros((1, int(n_candidates)))
    gains[0, ::100] = 1
    names = [*NAMES, *MEASURES, "RBP(p=0.8)", "Success@10"]
    started = time.perf_counter()
    evaluate_arrays(scores, gains, names)
    return {"seconds": time.perf_counter() - started}


def task_frames(n_queries: str, n_candidates: str) -> dict[str, float]:
    import polars as pl

    n, depth = int(n_queries), int(n_candidates)
    rng = np.random.default_rng(0)
    docs = (np.arange(depth) * 8839 + rng.integers(0, 8000, (n, 1))).ravel()
    run = pl.DataFrame(
        {
            "query_id": pl.Series(np.repeat(rng.permutation(n) + 1_048_000, depth)).cast(pl.String),
            "doc_id": pl.Series(docs).cast(pl.String),
            "score": on_bf16_grid(rng.random(n * depth, dtype=np.float32)).astype(np.float64),
        }
    )
    del docs
    qrels = run.gather_every(depth, depth // 3).select("query_id", "doc_id", grade=1)
    from tiewise import evaluate

    started = time.perf_counter()
    evaluate(qrels, run, NAMES)
    return {"seconds": time.perf_counter() - started, "gib": Memory().peak() / 1024}


def task_import() -> dict[str, float]:
    started = time.perf_counter()
    import tiewise  # noqa: F401

    return {"seconds": time.perf_counter() - started}


def scale() -> None:
    times = {}
    for exponent in range(3, 8):
        found = in_a_process("candidates", 10 ** (exponent - 3), 1000)
        times[exponent] = found["seconds"]
        each = found["seconds"] / 10**exponent * 1e9
        what = f"10^{exponent} candidates, 1000 a query"
        print(f"| {what} | {found['seconds']:.4f} s, {each:.0f} ns a candidate | | |", flush=True)
    growth = times[7] / times[6]
    line("time for 10^7 / for 10^6 candidates", f"{growth:.1f}", "<= 15 (linear)", growth <= 15)
    wide = in_a_process("candidates", 1, 10**7)
    for shape, task in (("10^4 queries", found), ("one query", wide)):
        ratio = task["memory"] / task["input"]
        what = f"peak memory, input included, / input: 10^7 candidates of {shape}"
        line(what, f"{ratio:.2f}", "< 2", ratio < 2)
    tied = in_a_process("tied", 10**6)["seconds"]
    line("one query of 10^6 tied documents, 58 values with sd", f"{tied:.2f} s", "< 1 s", tied < 1)


def frames() -> None:
    found = in_a_process("frames", 7000, 1000, threads=2)
    good = found["seconds"] <= 6 and found["gib"] <= 3
    shown = f"{found['seconds']:.1f} s, {found['gib']:.1f} GiB"
    line("evaluate on frames of 7 million rows, 2 threads", shown, "<= 6 s, 3 GiB", good)
    seconds = min(in_a_process("import")["seconds"] for _ in range(3))
    line("import tiewise", f"{seconds:.2f} s", "< 0.3 s", seconds < 0.3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--task", nargs="+", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.task:
        name, *arguments = given.task
        print(json.dumps(globals()[f"task_{name}"](*arguments)))
        return
    print("| what | found | target | reached |\n| --- | --- | --- | --- |")
    ours = against_sort(given.rounds)
    against_peers(ours, max(1, given.rounds // 3))
    scale()
    frames()


if __name__ == "__main__":
    main()
