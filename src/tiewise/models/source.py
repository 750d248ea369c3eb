"""From the source of a model block to a folder of checked files."""

from __future__ import annotations

import fnmatch
from pathlib import Path

from tiewise.errors import InputError, some
from tiewise.models.spec import ModelSource
from tiewise.store.hub import download
from tiewise.store.packages import check_sha256, package_file

WEIGHTS = "model.safetensors"
SHARDED_WEIGHTS = "model.safetensors.index.json"
_UNSAFE_WEIGHTS = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.h5", "*.msgpack", "*.pkl")
_FILES = ("*.json", "*.safetensors", "*.txt", "*.model")


def model_folder(source: ModelSource) -> Path:
    """Bring a model's files to this machine and check them.

    Parameters
    ----------
    source : ModelSource
        Package, hub repository or path.

    Returns
    -------
    pathlib.Path
        A folder with config, tokenizer and safetensors weights.

    Raises
    ------
    InputError
        Files are missing, changed, or not safetensors; the message says what helps.

    Notes
    -----
    The hub is asked through `huggingface_hub`, which honours HF_HOME, HF_HUB_OFFLINE and HF_TOKEN.
    """
    if source.package is not None:
        name, version = source.package.split("==")
        path = f"{source.folder}/{WEIGHTS}"
        return package_file(name, version, path, str(source.sha256)).parent
    if source.hub is not None:
        patterns = [*_FILES, "*.py"] if source.trust_remote_code else _FILES
        folder = download(source.hub, str(source.revision), patterns, "model")
    else:
        folder = _own_folder(source)
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder of a model")
    folder /= source.folder
    _require_safetensors(folder)
    if source.sha256 is not None:
        check_sha256(folder / WEIGHTS, source.sha256, "get the files again, or correct the block")
    return folder


def _own_folder(source: ModelSource) -> Path:
    if source.path is None:
        raise InputError(f"{source.pinned}: not trained yet; the study trains it")
    return Path(source.path)


def _require_safetensors(folder: Path) -> None:
    if (folder / WEIGHTS).is_file() or (folder / SHARDED_WEIGHTS).is_file():
        return
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    unsafe = [n for n in names if any(fnmatch.fnmatch(n, pattern) for pattern in _UNSAFE_WEIGHTS)]
    found = f"other weights are there, {some(unsafe)}" if unsafe else f"found {some(names)}"
    raise InputError(f"{folder}: no {WEIGHTS}; {found}. Weights are read from safetensors only")
