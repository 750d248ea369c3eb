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
from typing import Any

import polars as pl

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


def source_hash(*parts: str) -> str:
    """Hash those sources of the package that a rule's result depends on.

    Snakemake sees a change of a rule and of its script, but not of the code they import; this
    hash as a parameter of the rule makes such a change rerun it, and only it.

    Parameters
    ----------
    *parts : str
        Modules or subpackages, such as ``"measures"`` or ``"study/steps"``.

    Returns
    -------
    str
        16 hex digits.

    Raises
    ------
    FileNotFoundError
        A part that the package does not have.
    """
    digest = hashlib.sha256()
    for part in parts:
        files = sorted((PACKAGE / part).rglob("*.*")) or [PACKAGE / f"{part}.py"]
        for path in files:
            if path.suffix != ".pyc" and not path.is_dir():
                digest.update(path.relative_to(PACKAGE).as_posix().encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


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
