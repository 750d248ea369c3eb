"""What a model's own files say about it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiewise.errors import InputError
from tiewise.models.source import SHARDED_WEIGHTS, WEIGHTS
from tiewise.store.hub import download, list_files

_UNLIMITED = 10**6
"""Tokenizers state an absurd length when they know no limit."""

_MARK = "\x00"
_OLD_POOLING = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_lasttoken": "last",
}


@dataclass(frozen=True)
class ModelFiles:
    """The small files of a model.

    Attributes
    ----------
    folder : pathlib.Path
        Where they are.
    name : str
        The model's name.
    source : dict
        The source of its block.
    has_safetensors : bool
        Whether its weights can be read.
    """

    folder: Path
    name: str
    source: dict[str, str]
    has_safetensors: bool

    @property
    def config(self) -> dict[str, Any]:
        """The model's config.json."""
        return self._json("config.json")

    @property
    def is_native(self) -> bool:
        """Whether transformers has its class, so that no remote code is needed."""
        from transformers.models.auto.configuration_auto import CONFIG_MAPPING

        return self.config.get("model_type") in CONFIG_MAPPING

    @property
    def n_labels(self) -> int:
        """Logits of a classification head."""
        return len(self.config.get("id2label") or [0, 1])

    @property
    def max_length(self) -> int | None:
        """Tokens of an input, by the most specific file that says so."""
        stated = (
            self._json("sentence_bert_config.json").get("max_seq_length"),
            self._json("tokenizer_config.json").get("model_max_length"),
            self._positions(),
        )
        return next((int(n) for n in stated if n is not None and n < _UNLIMITED), None)

    @property
    def padding_side(self) -> str:
        """Where its tokenizer fills batches up."""
        return str(self._json("tokenizer_config.json").get("padding_side", "right"))

    @property
    def pooling(self) -> str | None:
        """Pooling, of a model that comes with sentence-transformers' modules."""
        for module in self._modules():
            if module.get("type", "").endswith("Pooling"):
                pooling = self._json(f"{module['path']}/config.json")
                mode = pooling.get("pooling_mode", [])
                modes = [mode] if isinstance(mode, str) else list(mode)
                modes += [new for old, new in _OLD_POOLING.items() if pooling.get(old)]
                return {"lasttoken": "last"}.get("+".join(modes), "+".join(modes))
        return None

    @property
    def normalises(self) -> bool:
        """Whether its modules end with a normalisation."""
        return any(module.get("type", "").endswith("Normalize") for module in self._modules())

    @property
    def prompts(self) -> dict[str, str]:
        """Prompts by role, as sentence-transformers keeps them."""
        return dict(self._json("config_sentence_transformers.json").get("prompts") or {})

    @property
    def similarity(self) -> str | None:
        """Similarity function, as sentence-transformers keeps it."""
        return self._json("config_sentence_transformers.json").get("similarity_fn_name")

    @property
    def licence(self) -> str | None:
        """Licence in the head of its README."""
        from huggingface_hub import metadata_load

        readme = self.folder / "README.md"
        head = metadata_load(readme) if readme.is_file() else None
        licence = (head or {}).get("license")
        return str(licence) if licence else None

    def chat(self, question: str) -> tuple[str, str]:
        """Put a question into the chat template: the text before and after what is asked about."""
        from transformers import AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(self.folder, local_files_only=True)
        if not tokenizer.chat_template:
            return f"{question}\n", "\nAnswer:"
        turns = [{"role": "system", "content": question}, {"role": "user", "content": _MARK}]
        text = tokenizer.apply_chat_template(
            turns, tokenize=False, add_generation_prompt=True, enable_thinking=False
        )
        before, _, after = str(text).partition(_MARK)
        return before, after

    def _positions(self) -> int | None:
        positions = self.config.get("max_position_embeddings")
        if positions is None:
            return None
        # The RoBERTa family counts positions from the padding id on.
        family = str(self.config.get("model_type"))
        shift = self.config.get("pad_token_id", 1) + 1 if "roberta" in family else 0
        return int(positions) - shift

    def _modules(self) -> list[dict[str, Any]]:
        file = self.folder / "modules.json"
        return list(json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else []

    def _json(self, name: str) -> dict[str, Any]:
        file = self.folder / name
        return dict(json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else {}


def read_folder(folder: Path) -> ModelFiles:
    """Look at a model on this machine."""
    if not (folder / "config.json").is_file():
        raise InputError(f"{folder}: no config.json, so no model of transformers")
    safe = any((folder / name).is_file() for name in (WEIGHTS, SHARDED_WEIGHTS))
    return ModelFiles(folder, folder.resolve().name, {"path": str(folder)}, safe)


def read_hub(hub: str, revision: str | None = None) -> ModelFiles:
    """Look at a model on the hub, at its newest revision or at a pinned one."""
    pinned, names = list_files(hub, revision, "model")
    patterns = ["*.json", "README.md", "*.jinja", "*.txt", "*.model"]
    folder = download(hub, pinned, patterns, "model")
    if not (folder / "config.json").is_file():
        raise InputError(f"{hub}: no config.json, so no model of transformers")
    source = {"hub": hub, "revision": pinned}
    return ModelFiles(
        folder, hub.split("/")[1], source, bool({*names} & {WEIGHTS, SHARDED_WEIGHTS})
    )
