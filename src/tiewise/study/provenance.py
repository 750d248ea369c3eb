"""Where an artifact comes from: versions, commit, config, sources."""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tiewise.store.artifacts import read_provenance

if TYPE_CHECKING:
    from tiewise.study.config import Study


PACKAGE = Path(__file__).resolve().parent.parent
LIBRARIES = ("numpy", "polars", "torch", "transformers", "bm25s", "snakemake")


def provenance(study: Study, **facts: Any) -> dict[str, Any]:
    """Collect what made an artifact.

    Parameters
    ----------
    study : Study
        The study it belongs to.
    **facts
        What only this artifact has: model and data set revision, device, dtype, tie policy, ...

    Returns
    -------
    dict
        JSON-ready; the same study, sources and machine give the same.
    """
    return {
        "tiewise": version("tiewise"),
        "git_commit": git_commit(),
        "python": platform.python_version(),
        "libraries": {name: _version(name) for name in LIBRARIES},
        "study": study.name,
        "config_hash": study.hash,
        **facts,
    }


def derived(study: Study, inputs: Iterable[Path], **facts: Any) -> dict[str, Any]:
    """Collect what made an artifact out of others.

    Parameters
    ----------
    study : Study
        The study it belongs to.
    inputs : iterable of pathlib.Path
        Every artifact it was made of.
    **facts
        What only this artifact has.

    Returns
    -------
    dict
        JSON-ready: facts on which all inputs agree, and of others that are words or numbers the
        list of all values, so that no input speaks for the others.
    """
    notes = [read_provenance(path) for path in inputs]
    made = provenance(study)
    for name in dict.fromkeys(name for note in notes for name in note if name not in made):
        values = {json.dumps(note.get(name), sort_keys=True): note.get(name) for note in notes}
        if len(values) == 1:
            made[name] = next(iter(values.values()))
        elif not any(isinstance(value, (dict, list)) for value in values.values()):
            made[name] = [values[text] for text in sorted(values)]
    return made | facts


def rows_hash(frames: Iterable[pl.DataFrame], *words: str) -> str:
    """Hash the rows of frames together with some words.

    The files of the frames would not do: their provenance differs from commit to commit.

    Parameters
    ----------
    frames : iterable of polars.DataFrame
        Rows, in their order.
    *words : str
        Whatever else a result depends on.

    Returns
    -------
    str
        32 hex digits.
    """
    digest = hashlib.sha256(json.dumps(words).encode())
    for frame in frames:
        digest.update(frame.rechunk().write_ipc(None, compression="uncompressed").getbuffer())
    return digest.hexdigest()[:32]


@cache
def git_commit() -> str | None:
    """Return the commit of the checkout, with ``+`` when files differ from it; None outside one."""
    git = ["git", "-C", str(PACKAGE)]
    try:
        head = subprocess.run(
            [*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True
        )
        changes = subprocess.run(
            [*git, "status", "--porcelain", "--untracked-files=no"],
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return head.stdout.strip() + ("+" if changes.stdout else "")


@cache
def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None
