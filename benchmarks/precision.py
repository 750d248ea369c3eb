"""Speed of native and simulated arithmetic, and how well they agree.

Run: ``python benchmarks/precision.py``. It embeds 160 real texts with the packaged model in every
dtype, each way in turn and several times, and prints the best time of each way and what it does to
scores: distinct scores a query, cosine to FP32.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from sample_texts import icd_descriptions  # noqa: E402
from tiewise.models.batches import default_rule  # noqa: E402
from tiewise.models.engine import Engine  # noqa: E402
from tiewise.models.loading import load_adapter, resolve_device  # noqa: E402
from tiewise.models.spec import load_model_spec  # noqa: E402
from tiewise.precision import scoring  # noqa: E402
from tiewise.precision.arithmetic import has_instructions  # noqa: E402
from tiewise.precision.regimes import DTYPES  # noqa: E402

WAYS = [("fp32", "native")]
WAYS += [(dtype, way) for dtype in ("bf16", "fp16") for way in ("native", "simulated")]
WAYS += [(dtype, "simulated") for dtype in DTYPES if dtype.startswith("fp8")]
N_QUERIES = 30


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default=str(ROOT / "config/models/all-minilm-l6-v2.yaml"))
    parser.add_argument("--device", default="auto")
    parser.add_argument("--texts", type=int, default=160)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()

    device = resolve_device(given.device)
    spec = load_model_spec(given.model)
    inputs = [(text,) for text in icd_descriptions()[::37][: given.texts]]
    engines = {
        (dtype, way): Engine(load_adapter(spec, dtype, device), dtype, way, default_rule(device))
        for dtype, way in WAYS
    }
    embeddings = {
        key: engine.run(engine.adapter.tokenise(inputs)).outputs for key, engine in engines.items()
    }  # warms up
    seconds = dict.fromkeys(engines, np.inf)
    for _ in range(given.repeats):  # in turn, so that a busy moment of the machine hits all alike
        for key, engine in engines.items():
            started = time.perf_counter()
            engine.run(engine.adapter.tokenise(inputs))
            seconds[key] = min(seconds[key], time.perf_counter() - started)

    table = Table(
        title=f"{spec.name}, {len(inputs)} texts, {device}, {torch.get_num_threads()} threads"
    )
    for name in ("dtype", "arithmetic", "seconds", "x FP32", "texts/s", "distinct", "cosine"):
        table.add_column(name, justify="left" if name in ("dtype", "arithmetic") else "right")
    for (dtype, way), best in seconds.items():
        slow = way == "native" and dtype != "fp32" and not has_instructions(dtype, device)
        table.add_row(
            dtype,
            way + (" (emulated)" if slow else ""),
            f"{best:.2f}",
            f"{best / seconds['fp32', 'native']:.2f}",
            f"{len(inputs) / best:.0f}",
            f"{distinct_scores(embeddings[dtype, way], dtype):.1f}",
            f"{cosine(embeddings[dtype, way], embeddings['fp32', 'native']):.6f}",
        )
    Console().print(table)


def distinct_scores(embeddings: np.ndarray, dtype: str) -> float:
    """Mean number of distinct scores a query, of the first texts against the others."""
    queries, documents = embeddings[:N_QUERIES], embeddings[N_QUERIES:]
    places = np.divmod(np.arange(len(queries) * len(documents)), len(documents))
    scores = scoring.dot(queries, documents, dtype, places).reshape(len(queries), -1)
    return float(np.mean([len(np.unique(row)) for row in scores]))


def cosine(left: np.ndarray, right: np.ndarray) -> float:
    """Mean cosine of paired rows."""
    return float(scoring.cosine(left, right, "fp64").mean())


if __name__ == "__main__":
    main()
