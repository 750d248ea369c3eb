"""Speed of the forward engine against sentence-transformers, in one run on one machine.

Run: ``python benchmarks/scoring.py``. Both libraries embed texts and score pairs with the same
weights, dtype, maximum length and tokens; they take turns, and the best time of each counts. The
first block gives both the same batches; the second lets each choose, on texts of mixed lengths.
The last line is the cost of high-precision scoring as a share of the forward pass.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
import transformers
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from sample_texts import icd_descriptions  # noqa: E402
from tiewise.models.batches import BatchRule, default_rule  # noqa: E402
from tiewise.models.engine import Engine  # noqa: E402
from tiewise.models.loading import load_adapter  # noqa: E402
from tiewise.models.source import model_folder  # noqa: E402
from tiewise.models.spec import ModelSource, ModelSpec, load_model_spec  # noqa: E402
from tiewise.precision import scoring  # noqa: E402

CPU = torch.device("cpu")
MINILM = load_model_spec(ROOT / "config/models/all-minilm-l6-v2.yaml")
BATCH = 32


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=320, help="texts or pairs of each block")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "--clock",
        choices=["wall", "cpu"],
        default="wall",
        help="cpu counts the time of this process only, for a machine that others use too",
    )
    given = parser.parse_args()
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()

    short = icd_descriptions()[::29][: given.inputs]
    mixed = mixed_lengths(given.inputs)
    table = Table(title=f"FP32 on {torch.get_num_threads()} threads, inputs a second")
    for name in (
        "task",
        "inputs",
        "batches",
        "sentence-transformers",
        "tiewise",
        "ratio",
        "agrees",
    ):
        table.add_column(name, justify="right" if name[0] in "str" and name != "task" else "left")
    with tempfile.TemporaryDirectory() as folder:
        for task, prepare in (("texts", encoders), ("pairs", rerankers)):
            for name, texts, rule in (
                ("short", short, BatchRule("fixed", BATCH)),
                ("mixed", mixed, BatchRule("fixed", BATCH)),
                ("mixed", mixed, default_rule(CPU)),
            ):
                theirs, ours = prepare(Path(folder), texts, rule)
                table.add_row(task, name, str(rule), *compared(theirs, ours, len(texts), given))
    Console().print(table)
    print(hps_cost(short))


def mixed_lengths(n: int) -> list[str]:
    """Texts of the lengths of ICD-10-CM descriptions and of Cranfield abstracts, half and half."""
    rng = np.random.default_rng(0)
    words = " ".join(icd_descriptions()).split()
    texts = icd_descriptions()[5::31][: n // 2]
    for size in rng.integers(60, 320, size=n - len(texts)):
        start = int(rng.integers(0, len(words) - size))
        texts.append(" ".join(words[start : start + size]))
    return [texts[i] for i in rng.permutation(n)]


def encoders(
    folder: Path, texts: list[str], rule: BatchRule
) -> tuple[Callable[[], np.ndarray], Callable[[], np.ndarray]]:
    """The packaged bi-encoder in both libraries."""
    from sentence_transformers import SentenceTransformer

    theirs = SentenceTransformer(str(model_folder(MINILM.source)), device="cpu")
    engine = Engine(load_adapter(MINILM, "fp32", CPU), "fp32", "native", rule)
    if rule.rule == "fixed":  # the other library sorts by length: both get the same batches
        texts = sorted(texts, key=len, reverse=True)
    inputs = [(text,) for text in texts]
    return (
        lambda: theirs.encode(texts, batch_size=BATCH, show_progress_bar=False),
        lambda: engine.run(engine.adapter.tokenise(inputs)).outputs,
    )


def rerankers(
    folder: Path, texts: list[str], rule: BatchRule
) -> tuple[Callable[[], np.ndarray], Callable[[], np.ndarray]]:
    """A cross-encoder of the packaged model's shape, with a random head, in both libraries."""
    from sentence_transformers import CrossEncoder

    if not (folder / "config.json").is_file():
        torch.manual_seed(0)
        source = model_folder(MINILM.source)
        transformers.AutoTokenizer.from_pretrained(source).save_pretrained(folder)
        model = transformers.AutoModelForSequenceClassification.from_pretrained(
            source, num_labels=1
        )
        model.save_pretrained(folder)
    theirs = CrossEncoder(str(folder), device="cpu", max_length=MINILM.max_length)
    spec = ModelSpec(
        name="cross-encoder",
        kind="sequence-classifier",
        source=ModelSource(path=str(folder)),
        scoring="sigmoid",
        max_length=MINILM.max_length,
        licence="Apache-2.0",
    )
    engine = Engine(load_adapter(spec, "fp32", CPU), "fp32", "native", rule)
    queries = icd_descriptions()[3::101]
    pairs = [(queries[i % 8], text) for i, text in enumerate(texts)]
    if rule.rule == "fixed":
        pairs.sort(key=lambda pair: -len(pair[0]) - len(pair[1]))
    identity = torch.nn.Identity()
    return (
        lambda: theirs.predict(
            pairs, batch_size=BATCH, show_progress_bar=False, activation_fn=identity
        ).reshape(-1, 1),
        lambda: engine.run(engine.adapter.tokenise(pairs)).outputs,
    )


def compared(
    theirs: Callable[[], np.ndarray],
    ours: Callable[[], np.ndarray],
    n: int,
    given: argparse.Namespace,
) -> tuple[str, str, str, str]:
    """Inputs a second of both, the ratio, and the largest difference of their outputs."""
    difference = np.abs(theirs() - ours()).max()  # warms both up
    best = [np.inf, np.inf]
    clock = time.perf_counter if given.clock == "wall" else time.process_time
    for _ in range(given.repeats):  # in turn, so that a busy moment of the machine hits both alike
        for i, run in enumerate((theirs, ours)):
            started = clock()
            run()
            best[i] = min(best[i], clock() - started)
    return (
        f"{n / best[0]:.0f}",
        f"{n / best[1]:.0f}",
        f"{best[0] / best[1]:.2f}",
        f"{difference:.0e}",
    )


def hps_cost(texts: list[str]) -> str:
    """Time to score logits in FP32 instead of BF16, as a share of the forward pass."""
    engine = Engine(load_adapter(MINILM, "fp32", CPU), "fp32", "native", default_rule(CPU))
    inputs = [(text,) for text in texts]
    embeddings = engine.run(engine.adapter.tokenise(inputs)).outputs
    started = time.perf_counter()
    engine.run(engine.adapter.tokenise(inputs))
    forward = time.perf_counter() - started
    pairs = (np.zeros(len(texts), dtype=int), np.arange(len(texts)))
    seconds = {}
    for dtype in ("bf16", "fp32"):
        started = time.perf_counter()
        scoring.dot(embeddings, embeddings, dtype, pairs)
        scoring.sigmoid(embeddings[:, 0], dtype)
        seconds[dtype] = time.perf_counter() - started
    share = seconds["fp32"] / forward
    return (
        f"Scoring {len(texts)} candidates: {1e3 * seconds['fp32']:.2f} ms with HPS, "
        f"{1e3 * seconds['bf16']:.2f} ms in BF16; with HPS {share:.2%} of the forward pass"
    )


if __name__ == "__main__":
    main()
