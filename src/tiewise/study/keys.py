"""What of a study each artifact depends on, beside its inputs and its code: no more and no less.

``python -m tiewise.study.keys FILE`` writes the table of all keys, which the documentation shows.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from tiewise.training.recipe import Recipe

if TYPE_CHECKING:
    from tiewise.models.spec import ModelSpec
    from tiewise.study.config import Study

_READ = (
    *("kind", "source", "files", "max_length", "truncation", "max_query_length", "padding_side"),
    *("pooling", "normalise", "query_template", "document_template", "pair_template"),
    *("prompt_prefix", "prompt_suffix", "answers", "instruction"),
)
"""Parts of a model's block that decide what the model gives; others only name or judge it."""
_FORWARD = tuple(f"model.{name}" for name in _READ)
_JUDGED = ("policy", "config.score_type", "config.empty", "config.missing", "dataset.judgements")
_SHOWN = ("config.table_measures", "policy", "model.label", "dataset.title", "dataset.group")

KEYS: Mapping[str, tuple[str, ...]] = {
    "dataset": (
        *("dataset.source", "dataset.files", "dataset.queries", "dataset.relevant_grades"),
        *("dataset.n_queries", "dataset.n_documents", "dataset.expected"),
    ),
    "candidates": ("dataset.candidates", "dataset.ignore_identical_ids"),
    "first_stage": ("config.table_measures", *_JUDGED),
    "training": (
        *(f"recipe.{name}" for name in Recipe.model_fields if name != "name"),
        *("recipe.candidates", *(f"base.{name}" for name in _READ)),
    ),
    "self_test": (
        *(*_FORWARD, "model.scoring", "model.self_test"),
        *("model.arithmetic", "config.device"),
    ),
    "logits": (
        *(*_FORWARD, "dataset.text", "arithmetic"),
        *("config.device", "config.batch_rule", "config.batch_size"),
    ),
    "scores": ("model.scoring", "config.on_nonfinite"),
    "metrics": ("config.measures", "config.policies", *_JUDGED[1:]),
    "summary": (),
    "averages": ("dataset.group",),
    "ties": ("config.score_type",),
    "agreement": ("config.score_type", "dataset.text"),
    "distribution": ("config.score_type",),
    "tie_summary": (),
    "worst": (
        *("config.table_measures", "policy", "config.score_type"),
        *("dataset.judgements", "dataset.text"),
    ),
    "alternatives": ("model.scoring", "config.table_measures", *_JUDGED),
    "toolkits": ("config.table_measures", *_JUDGED),
    "cost": ("config.device",),
    "pairs": ("config.table_measures", *_JUDGED),
    "verdicts": (),
    "claims": ("config.table_measures", "config.policies", "model.scoring"),
    "tables": _SHOWN,
    "figures": _SHOWN,
    "page": (*_SHOWN, "study"),
}
"""Parts of a study in the key of each rule's artifacts.

``config.x`` is a key of the study's config; ``dataset.x``, ``model.x``, ``recipe.x`` and ``base.x``
are keys of the block that a job is about, or of all blocks where it is about all of them; the
others are explained in `EXPLAINED`.
"""

EXPLAINED = {
    "arithmetic": "`config.arithmetic`, but nothing for FP32, which has one arithmetic",
    "policy": "the first of `config.policies`, under which the study shows oblivious values",
    "study": "the whole config with all of its blocks",
    "dataset.files": "content of the files of a source that is a folder on this machine",
    "dataset.group": "whether candidates come with the data set or are found by BM25",
    "model.arithmetic": "`config.arithmetic`, but nothing where all self-tests are in FP32",
    "model.files": "content of the files of a model in a folder on this machine: weights, "
    "`config.json`, tokenizer",
    "model.instruction": "the instruction that the model gets for the data set",
    "recipe.candidates": "how candidates of the recipe's data set are found",
}
"""Parts that are no key of a block; those of a ``base`` are as those of a ``model``."""


def key(study: Study, rule: str, wildcards: Mapping[str, str]) -> dict[str, str]:
    """Say the key of a job's artifacts.

    Parameters
    ----------
    study : Study
        The study.
    rule : str
        One of `KEYS`.
    wildcards : mapping of str to str
        Which data set, model, dtype or recipe the job is about; all where it is not said.

    Returns
    -------
    dict of str to str
        A hash of 16 hex digits for each part.
    """
    return {part: _hash(_value(study, part, wildcards)) for part in KEYS[rule]}


def _value(study: Study, part: str, wildcards: Mapping[str, str]) -> Any:
    if part in _DERIVED:
        return _DERIVED[part](study, wildcards)
    block, name = part.split(".")
    if block == "config":
        return getattr(study.config, name)
    wanted = wildcards.get("recipe" if block == "base" else block)
    blocks: Mapping[str, Any] = getattr(study, f"{block}s")
    chosen = {n: spec for n, spec in blocks.items() if wanted in (None, n)}
    if name in _OF_BLOCK:
        return {n: _OF_BLOCK[name](study, spec, wildcards) for n, spec in chosen.items()}
    return {n: getattr(spec, name) for n, spec in chosen.items()}


_DERIVED: dict[str, Callable[[Study, Mapping[str, str]], Any]] = {
    "arithmetic": lambda study, w: None if w.get("dtype") == "fp32" else study.config.arithmetic,
    "policy": lambda study, _: study.config.policies[0],
    "study": lambda study, _: study.hash,
}


def _local_files(spec: Any) -> list[tuple[str, str]]:
    return [(name, file_hash(path)) for name, path in spec.source.local_files()]


def _tested_arithmetic(study: Study, spec: ModelSpec) -> str | None:
    low = any(test.dtype != "fp32" for test in spec.self_test)
    return study.config.arithmetic if low else None


def _recipe_candidates(study: Study, recipe: Recipe) -> Any:
    data = study.datasets[recipe.dataset]
    return [data.candidates.model_dump(mode="json"), data.ignore_identical_ids]


_OF_BLOCK: dict[str, Callable[[Study, Any, Mapping[str, str]], Any]] = {
    "files": lambda _, spec, __: _local_files(spec),
    "group": lambda _, spec, __: spec.candidates.kind,
    "instruction": lambda _, spec, wildcards: spec.instruction_for(wildcards.get("dataset")),
    "arithmetic": lambda study, spec, _: _tested_arithmetic(study, spec),
    "candidates": lambda study, block, _: (
        _recipe_candidates(study, block) if isinstance(block, Recipe) else block.candidates
    ),
}


def file_hash(path: Path) -> str:
    """Hash a file's content, SHA-256 in hex."""
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _hash(value: Any) -> str:
    def plain(one: Any) -> Any:
        return one.model_dump(mode="json") if isinstance(one, BaseModel) else str(one)

    text = json.dumps(value, sort_keys=True, default=plain)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def key_table() -> str:
    """Lay out all keys in Markdown.

    Examples
    --------
    >>> print(key_table().splitlines()[0])
    | rule | its artifacts depend on |
    """
    rows = ["| rule | its artifacts depend on |", "| --- | --- |"]
    rows += [f"| {rule} | {', '.join(f'`{p}`' for p in parts)} |" for rule, parts in KEYS.items()]
    rows += ["", *(f"- `{part}`: {text}" for part, text in EXPLAINED.items())]
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    MARK = "<!-- made by python -m tiewise.study.keys -->\n"
    page = Path(sys.argv[1])
    head = page.read_text(encoding="utf-8").partition(MARK)[0]
    page.write_text(head + MARK + "\n" + key_table(), encoding="utf-8")
