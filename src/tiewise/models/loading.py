"""From a model block to a loaded model on a device."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from tiewise.errors import InputError, some
from tiewise.models.adapter import Adapter
from tiewise.models.kinds.bi_encoder import BiEncoder
from tiewise.models.kinds.sequence_classifier import SequenceClassifier
from tiewise.models.kinds.yes_no_lm import YesNoLM
from tiewise.models.source import model_folder
from tiewise.models.spec import Kind, ModelSpec
from tiewise.models.tokens import load_tokenizer
from tiewise.precision.regimes import Dtype
from tiewise.precision.simulate import FORMATS

ADAPTERS: dict[Kind, type[Adapter]] = {
    "bi-encoder": BiEncoder,
    "sequence-classifier": SequenceClassifier,
    "yes-no-lm": YesNoLM,
}
"""Adapter of each kind of model."""


def load_adapter(spec: ModelSpec, dtype: Dtype, device: torch.device) -> Adapter:
    """Load a model in a model dtype.

    Parameters
    ----------
    spec : ModelSpec
        The block.
    dtype : str
        ``fp32``, ``bf16``, ``fp16`` or an FP8 dtype, whose tensors are kept in BF16.
    device : torch.device
        Where it shall run, as `resolve_device` finds it.

    Returns
    -------
    Adapter
        Ready to run.

    Raises
    ------
    InputError
        Files are missing or changed, need remote code that the block does not allow, or have no
        weights for a part of the model.
    """
    import transformers

    folder = model_folder(spec.source)
    kind = ADAPTERS[spec.kind]
    config = _config(spec, folder)
    with _quietly():
        model, report = getattr(transformers, kind.auto_class).from_pretrained(
            folder,
            config=config,
            dtype=torch.float32 if dtype == "fp32" else FORMATS[dtype].carrier,
            attn_implementation="sdpa",
            use_safetensors=True,
            trust_remote_code=spec.source.trust_remote_code,
            local_files_only=True,
            output_loading_info=True,
            **_without_pooler(kind, config),
        )
    if report["missing_keys"]:
        said = f"the checkpoint has no weights for {some(sorted(report['missing_keys']))}"
        raise InputError(f"{spec.name}: {said}; is it a {spec.kind}?")
    tokenizer = load_tokenizer(folder, spec, getattr(config, "pad_token_id", None), spec.max_length)
    return kind(spec, model.eval().to(device), tokenizer)


def resolve_device(device: str) -> torch.device:
    """Find the device that a name means; ``auto`` is the first GPU, or the CPU without one.

    Raises
    ------
    InputError
        The name is no device, or the device is not there.

    Examples
    --------
    >>> resolve_device("cpu")
    device(type='cpu')
    """
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        found = torch.device(device)
        torch.empty(0, device=found)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"device {device!r} cannot be used: {reason}") from None
    return found


def _config(spec: ModelSpec, folder: Path) -> Any:
    """Read the model's config, with the block's changes."""
    from transformers import AutoConfig, PreTrainedConfig
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    keys = PreTrainedConfig.get_config_dict(folder)[0]
    for key, value in spec.source.config_changes.items():
        keys.pop(key, None)
        if value is not None:
            keys[key] = value
    if keys.get("model_type") in CONFIG_MAPPING:
        return CONFIG_MAPPING[keys["model_type"]].from_dict(keys)
    if not spec.source.trust_remote_code:
        said = f"transformers has no model type {keys.get('model_type')!r}, and the block allows no"
        raise InputError(f"{spec.name}: {said} remote code (trust_remote_code)")
    elsewhere = any("--" in str(name) for name in keys.get("auto_map", {}).values())
    if elsewhere and spec.source.code_revision is None:
        said = "its code lives in another repository; pin it with code_revision"
        raise InputError(f"{spec.name}: {said}")
    return AutoConfig.from_pretrained(
        folder, trust_remote_code=True, code_revision=spec.source.code_revision
    )


def _without_pooler(kind: type[Adapter], config: Any) -> dict[str, bool]:
    """Leave out a pooling layer of theirs, which would be computed in vain: pooling is ours."""
    from transformers import MODEL_MAPPING

    if kind is not BiEncoder or type(config) not in MODEL_MAPPING:
        return {}
    model_class: Any = MODEL_MAPPING[type(config)]
    takes = inspect.signature(model_class).parameters
    return {"add_pooling_layer": False} if "add_pooling_layer" in takes else {}


@contextmanager
def _quietly() -> Iterator[None]:
    """Keep progress bars and notes about unused weights of transformers out of the log."""
    from transformers.utils import logging as theirs

    verbosity, bars = theirs.get_verbosity(), theirs.is_progress_bar_enabled()
    theirs.set_verbosity(logging.ERROR)
    theirs.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        theirs.set_verbosity(verbosity)
        if bars:
            theirs.enable_progress_bar()  # type: ignore[no-untyped-call]
