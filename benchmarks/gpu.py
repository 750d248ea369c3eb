"""Speed of the forward engine on a GPU against sentence-transformers, and what HPS costs there.

Run: ``python benchmarks/gpu.py`` on a machine with one GPU, under 8 minutes and without a network:
the models have the shapes of Qwen3-Reranker-0.6B and of XLM-RoBERTa-large (bge-reranker-v2-m3)
and random weights. ``--tiny`` runs small shapes, on a CPU too.

Both libraries get the same pairs, weights, dtype and maximum length. They take turns, and the best
time of each counts; tokenising is part of it. Utilisation counts the tokens without padding:
two operations a weight and token, and the attention's products. Memory is that of a run beside the
weights. Random weights amplify rounding, so outputs in low precision agree less than those of a
trained model.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import torch
import transformers
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from model_factory import CONFIGS, make_checkpoint, shipped  # noqa: E402
from sample_texts import icd_descriptions  # noqa: E402
from tiewise.models.batches import BatchRule, default_rule  # noqa: E402
from tiewise.models.engine import Engine  # noqa: E402
from tiewise.models.inputs import Inputs, prepare_inputs  # noqa: E402
from tiewise.models.loading import load_adapter, resolve_device  # noqa: E402
from tiewise.models.shards import forward_shards, joined  # noqa: E402
from tiewise.models.spec import ModelSpec  # noqa: E402

BATCH = 32
SHARD = 1024  # so that tokenising overlaps the device even in a short run
DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}
PEAK = {"H200": 989e12, "H100": 989e12, "A100": 312e12, "L40": 181e12, "L4": 121e12, "T4": 65e12}
"""Dense 16-bit operations a second, from the makers' data sheets."""


@dataclass(frozen=True)
class Shape:
    """A model to measure: the shipped block whose place it takes, its class and its sizes."""

    block: str
    class_name: str
    sizes: dict[str, Any]


@dataclass
class Measured:
    """What one way took."""

    correlation: float
    seconds: float = np.inf
    memory: int = 0


SHAPES = [
    Shape(
        "bge-reranker-v2-m3",
        "XLMRobertaForSequenceClassification",
        {
            "initializer_range": 0.02,
            "vocab_size": 250002,
            "hidden_size": 1024,
            "num_hidden_layers": 24,
            "num_attention_heads": 16,
            "intermediate_size": 4096,
        },
    ),
    Shape(
        "qwen3-reranker-0.6b",
        "Qwen3ForCausalLM",
        {
            "initializer_range": 0.02,
            "vocab_size": 151669,
            "hidden_size": 1024,
            "num_hidden_layers": 28,
            "num_attention_heads": 16,
            "num_key_value_heads": 8,
            "head_dim": 128,
            "intermediate_size": 3072,
        },
    ),
]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="auto")
    parser.add_argument("--pairs", type=int, default=4096)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--dtypes", nargs="+", default=list(DTYPES), choices=list(DTYPES))
    parser.add_argument("--tiny", action="store_true", help="small shapes, to try the script")
    given = parser.parse_args(arguments)
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    device = resolve_device(given.device)
    console = Console(width=110)
    for shape in SHAPES:
        with tempfile.TemporaryDirectory() as folder:
            console.print(speeds(shape, Path(folder), device, given))
    console.print(hps_cost(device, 2**10 if given.tiny else 10**6))


def speeds(shape: Shape, folder: Path, device: torch.device, given: argparse.Namespace) -> Table:
    """Pairs a second of both libraries in both dtypes."""
    sizes = {} if given.tiny else shape.sizes
    name, keys = CONFIGS[shape.class_name]
    CONFIGS[shape.class_name] = (name, keys | sizes)
    spec = shipped(shape.block, make_checkpoint(shape.class_name, folder, scale=0.1))
    CONFIGS[shape.class_name] = (name, keys)
    spec = spec.model_copy(update={"max_length": 512, "max_query_length": spec.max_query_length})
    texts, tables = task(given.pairs)

    table = Table(title=f"{shape.class_name}, {given.pairs} pairs, {device_name(device)}")
    for column in ("dtype", "way", "pairs/s", "ratio", "utilisation", "memory", "agrees"):
        table.add_column(column, justify="left" if column in ("dtype", "way") else "right")
    for dtype in given.dtypes:
        ways: dict[str, Callable[[], np.ndarray]] = {}
        ways[f"sentence-transformers, {BATCH}"] = theirs(spec, folder, dtype, device, texts)
        for rule in (BatchRule("fixed", BATCH), default_rule(device)):
            # Sorted by length as the other library sorts, so that fixed batches are the same.
            inputs = prepare_inputs(spec, *tables, distinct=False)
            engine = Engine(load_adapter(spec, dtype, device), dtype, "native", rule)
            ways[f"tiewise, {rule}"] = ours(engine, inputs)
        best = take_turns(ways, device, given.repeats)
        flops = operations(engine, inputs)
        first = next(iter(best.values())).seconds
        for way, one in best.items():
            table.add_row(
                dtype,
                way,
                f"{given.pairs / one.seconds:.0f}",
                f"{first / one.seconds:.2f}",
                utilisation(flops / one.seconds, device),
                size(one.memory) if one.memory else "-",
                f"{one.correlation:.4f}",
            )
    return table


def task(n_pairs: int) -> tuple[list[tuple[str, str]], tuple[pl.DataFrame, ...]]:
    """Pairs of short queries and passages of 20 to 300 words, longest first."""
    rng = np.random.default_rng(0)
    words = " ".join(icd_descriptions()).split()
    starts = rng.integers(0, len(words) - 300, size=n_pairs)
    sizes = -np.sort(-rng.integers(20, 300, size=n_pairs))
    documents = [" ".join(words[i : i + n]) for i, n in zip(starts, sizes, strict=True)]
    query = icd_descriptions()[3]
    ids = [str(i) for i in range(n_pairs)]
    queries = pl.DataFrame({"query_id": ["q"], "text": [query]})
    corpus = pl.DataFrame({"doc_id": ids, "text": documents})
    candidates = pl.DataFrame({"query_id": ["q"] * n_pairs, "doc_id": ids})
    return [(query, document) for document in documents], (queries, corpus, candidates)


def ours(engine: Engine, inputs: Inputs) -> Callable[[], np.ndarray]:
    """The engine, shard by shard as a study runs it."""
    shards = [range(i, min(i + SHARD, inputs.size)) for i in range(0, inputs.size, SHARD)]
    return lambda: joined(forward_shards(engine, inputs, enumerate(shards))).outputs


def theirs(
    spec: ModelSpec, folder: Path, dtype: str, device: torch.device, pairs: list[tuple[str, str]]
) -> Callable[[], np.ndarray]:
    """The other library's cross-encoder on the same weights, asked for raw logits."""
    from sentence_transformers import CrossEncoder

    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "pad_token": "<|endoftext|>" if spec.kind == "yes-no-lm" else "[PAD]",
        "padding_side": spec.padding_side,
        "model_input_names": ["input_ids", "attention_mask"],
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    prompt = {}
    if spec.kind == "yes-no-lm":
        prompt = {"processor_kwargs": {"chat_template": chat_template(spec)}}
    model = CrossEncoder(
        str(folder),
        device=str(device),
        max_length=spec.max_length,
        model_kwargs={"dtype": DTYPES[dtype], "attn_implementation": "sdpa"},
        local_files_only=True,
        **prompt,
    )
    identity = torch.nn.Identity()
    return lambda: model.predict(
        pairs, batch_size=BATCH, show_progress_bar=False, activation_fn=identity
    ).reshape(-1, 1)


def chat_template(spec: ModelSpec) -> str:
    """Our prompt as the other library wants it."""
    fields = {
        "instruction": spec.instruction,
        "query": "{{ messages[0].content }}",
        "document": "{{ messages[1].content }}",
    }
    body = str(spec.pair_template).format(**fields)
    # Templates lose a newline at their end; one inside an expression stays.
    prefix, suffix = (
        f"{{{{ {json.dumps(t)} }}}}" for t in (spec.prompt_prefix, spec.prompt_suffix)
    )
    return prefix + body + suffix


def take_turns(
    ways: dict[str, Callable[[], np.ndarray]], device: torch.device, repeats: int
) -> dict[str, Measured]:
    """Best time of each way, and how its outputs correlate with those of the first."""
    outputs = {}
    for name, run in ways.items():  # warms up, too
        made = run()
        outputs[name] = made[:, -1] - made[:, 0] if made.shape[1] == 2 else made[:, 0]
    first = next(iter(outputs.values()))
    measured = {}
    for name, output in outputs.items():
        measured[name] = Measured(correlation=float(np.corrcoef(first, output)[0, 1]))
    for _ in range(repeats):
        for name, run in ways.items():
            before = memory(device)
            started = time.perf_counter()
            run()
            seconds = time.perf_counter() - started
            one = measured[name]
            one.seconds, one.memory = min(
                (one.seconds, one.memory), (seconds, memory(device, peak=True) - before)
            )
    return measured


def memory(device: torch.device, peak: bool = False) -> int:
    """Bytes in use on a GPU; the largest number since the last call without `peak`."""
    if device.type != "cuda":
        return 0
    if peak:
        return torch.cuda.max_memory_allocated(device)
    torch.cuda.reset_peak_memory_stats(device)
    return torch.cuda.memory_allocated(device)


def operations(engine: Engine, inputs: Inputs) -> float:
    """Floating-point operations of one run, without padding."""
    tokens = engine.adapter.tokenise(inputs.render(range(inputs.size)))
    lengths = np.array([len(one.ids) for one in tokens], dtype=np.float64)
    model, config = engine.adapter.model, engine.adapter.model.config
    embeddings = {id(layer.weight) for layer in model.modules() if _is_embedding(layer)}
    weights = sum(p.numel() for p in model.parameters() if id(p) not in embeddings)
    heads = config.num_attention_heads
    width = heads * getattr(config, "head_dim", config.hidden_size // heads)
    attention = 4 * config.num_hidden_layers * width * (lengths**2).sum()
    if engine.adapter.spec.kind == "yes-no-lm":
        attention /= 2  # a token sees only what is before it
    return float(2 * weights * lengths.sum() + attention)


def _is_embedding(layer: torch.nn.Module) -> bool:
    return isinstance(layer, torch.nn.Embedding)


def utilisation(rate: float, device: torch.device) -> str:
    """Share of the device's peak, where that is known."""
    known = [peak for name, peak in PEAK.items() if name in device_name(device)]
    return f"{rate / known[0]:.0%}" if known else f"{rate / 1e12:.2f} TFLOP/s"


def device_name(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type


def hps_cost(device: torch.device, n: int) -> Table:
    """Time and memory of the upcast, of embeddings and of logits."""
    table = Table(title=f"High-precision scoring on {device_name(device)}")
    for column in ("what", "dtype", "without", "with upcast", "extra memory"):
        table.add_column(column, justify="left" if column in ("what", "dtype") else "right")
    for dtype, kept in DTYPES.items():
        vectors = torch.randn(n, 1024, device=device).to(kept)
        query = torch.randn(1024, 1, device=device).to(kept)
        logits = torch.randn(n, device=device).to(kept)
        wider = torch.float32.itemsize - kept.itemsize
        table.add_row(
            f"cast of {n:,} x 1024 numbers", dtype, "-",
            milliseconds(lambda v=vectors: v.float(), device), size(vectors.numel() * wider),
        )  # fmt: skip
        table.add_row(
            f"dot products with {n:,} x 1024", dtype,
            milliseconds(lambda v=vectors, q=query: v @ q, device),
            milliseconds(lambda v=vectors, q=query: v.float() @ q.float(), device),
            size(vectors.numel() * wider),
        )  # fmt: skip
        table.add_row(
            f"sigmoid of {n:,} logits", dtype,
            milliseconds(lambda z=logits: z.sigmoid(), device),
            milliseconds(lambda z=logits: z.float().sigmoid(), device),
            size(n * wider),
        )  # fmt: skip
    return table


def milliseconds(run: Callable[[], object], device: torch.device, repeats: int = 20) -> str:
    best = np.inf
    for _ in range(repeats):
        synchronise(device)
        started = time.perf_counter()
        run()
        synchronise(device)
        best = min(best, time.perf_counter() - started)
    return f"{1e3 * best:.3f} ms"


def size(n_bytes: int) -> str:
    return f"{n_bytes / 2**20:.1f} MiB"


def synchronise(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


if __name__ == "__main__":
    main()
