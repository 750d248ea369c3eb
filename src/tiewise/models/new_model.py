"""A config block for a model, written from the model's own files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tiewise.errors import InputError
from tiewise.models.model_files import ModelFiles, read_folder, read_hub
from tiewise.models.spec import ModelSpec
from tiewise.store.blocks import validate_block

_ROLES = {"query": ("query", "queries"), "document": ("document", "passage", "corpus")}
_QUESTION = (
    'Judge whether the document answers the query. Note that the answer can only be "yes" or "no".'
)
_BODY = "<Query>: {query}\n<Document>: {document}"


def new_model(model: str) -> str:
    """Write the block of a model, ready for ``config/models/``.

    Parameters
    ----------
    model : str
        A folder, or a repository of the Hugging Face hub, ``owner/name`` or
        ``owner/name@revision``. The newest revision is looked up and pinned.

    Returns
    -------
    str
        YAML. What the files do not say is a comment that begins with ``check:``.

    Raises
    ------
    InputError
        The model is not there, or is of a kind that cannot be scored with.

    Examples
    --------
    >>> new_model("no/such/folder")
    Traceback (most recent call last):
        ...
    tiewise.errors.InputError: no/such/folder: neither a folder nor a hub repository (owner/name)
    """
    if Path(model).is_dir():
        files = read_folder(Path(model))
    elif re.fullmatch(r"[\w.-]+/[\w.-]+(@[0-9a-f]{40})?", model):
        files = read_hub(*model.split("@"))
    else:
        raise InputError(f"{model}: neither a folder nor a hub repository (owner/name)")
    block, checks = _block(files)
    validate_block(block, ModelSpec, where=model)
    comments = "".join(f"# check: {check}\n" for check in checks)
    return comments + yaml.safe_dump(block, sort_keys=False, allow_unicode=True, width=100)


def _block(files: ModelFiles) -> tuple[dict[str, Any], list[str]]:
    architecture = (files.config.get("architectures") or ["?"])[0]
    checks = list(_general_checks(files))
    if files.pooling is not None:
        own = _bi_encoder(files, checks)
    elif architecture.endswith("ForSequenceClassification"):
        own = _sequence_classifier(files)
    elif architecture.endswith("ForCausalLM"):
        own = _yes_no_lm(files, checks)
    elif architecture.endswith("Model"):
        checks.append("the files do not say how token vectors are pooled; mean is a guess")
        own = _bi_encoder(files, checks)
    else:
        raise InputError(
            f"{files.name}: architecture {architecture!r} is none that can be scored with; legal: "
            "a bi-encoder (...Model), ...ForSequenceClassification, ...ForCausalLM"
        )
    block = {
        "name": re.sub(r"[^a-z0-9._-]+", "-", files.name.lower()).lstrip("-._"),
        "label": files.name,
        "kind": own.pop("kind"),
        "source": files.source,
        **own,
        "max_length": files.max_length or 512,
        "licence": files.licence or "unknown",
    }
    return block, checks


def _general_checks(files: ModelFiles) -> Iterator[str]:
    if files.max_length is None:
        yield "the files state no length limit; max_length 512 is a guess"
    if files.licence is None:
        yield "the files state no licence"
    if not files.is_native:
        yield (
            f"transformers has no model type {files.config.get('model_type')!r}: source needs "
            "trust_remote_code: true, or config_changes to a class it has"
        )
    if not files.has_safetensors:
        yield "the model has no safetensors weights, and no others are read"
    yield "add self_test pairs with known values, so that a wrong prompt or version is found"


def _bi_encoder(files: ModelFiles, checks: list[str]) -> dict[str, Any]:
    if files.pooling not in (None, "mean", "cls", "last"):
        raise InputError(f"{files.name}: pooling {files.pooling!r}; legal: cls, last, mean")
    block: dict[str, Any] = {
        "kind": "bi-encoder",
        "scoring": "dot" if files.normalises or files.similarity == "dot" else "cosine",
        "pooling": files.pooling or "mean",
        "normalise": files.normalises,
    }
    for role, names in _ROLES.items():
        prompt = next((files.prompts[name] for name in names if files.prompts.get(name)), "")
        if prompt:
            block[f"{role}_template"] = _literal(prompt) + "{text}"
    if not files.prompts:
        checks.append("the files name no prompts; some models want a prefix before each text")
    return block | {"padding_side": files.padding_side}


def _sequence_classifier(files: ModelFiles) -> dict[str, Any]:
    scoring = "sigmoid" if files.n_labels == 1 else "softmax"
    return {"kind": "sequence-classifier", "scoring": scoring, "padding_side": files.padding_side}


def _yes_no_lm(files: ModelFiles, checks: list[str]) -> dict[str, Any]:
    prefix, suffix = files.chat(_QUESTION)
    checks.append("the prompt is a guess, put into the model's own chat template")
    return {
        "kind": "yes-no-lm",
        "scoring": "softmax",
        "prompt_prefix": prefix,
        "pair_template": _BODY,
        "prompt_suffix": suffix,
        "answers": ["no", "yes"],
        "padding_side": "left",
    }


def _literal(prompt: str) -> str:
    return prompt.replace("{", "{{").replace("}", "}}")
