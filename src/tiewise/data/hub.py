"""A data set on the Hugging Face hub, at a pinned revision, as MTEB lays it out."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from time import sleep
from typing import Any, Literal

import polars as pl
from pydantic import Field

from tiewise.data.files import read_table, read_tables
from tiewise.data.layout import find_files, patterns
from tiewise.data.normal import Dataset
from tiewise.data.source import Source
from tiewise.errors import InputError

log = logging.getLogger(__name__)
ATTEMPTS = 3
PAUSE = 1.0
"""Seconds before a second attempt; twice as long before a third."""


class HubSource(Source):
    """A data set repository of the hub.

    The hub's own environment variables hold: ``HF_ENDPOINT``, ``HF_HOME``, ``HF_HUB_OFFLINE``,
    ``HF_TOKEN``.
    """

    kind: Literal["hub"] = Field(description="Which source this is.")
    repo: str = Field(pattern=r"^[\w.-]+/[\w.-]+$", description="Repository, owner/name.")
    revision: str = Field(pattern=r"^[0-9a-f]{40}$", description="Commit, 40 hex digits.")
    subset: str | None = Field(
        default=None, description="Prefix of the configs of a multilingual data set, such as en."
    )
    split: str = Field(default="test", description="Which split: test, dev, ...")

    def read(self) -> Dataset:
        """Download what is not in the cache yet, and read it; errors as of `Source.read`."""
        folder, files = self._files()
        digests = checked(folder, [file for found in files.values() for file in found])
        tables = read_tables(files)
        facts = {"source": {**self.model_dump(), "sha256": digests}}
        return Dataset(tables["corpus"], tables["queries"], tables["qrels"], facts)

    def read_candidates(self) -> pl.DataFrame:
        """Read the candidates of the repository's config ``top_ranked``."""
        _, files = self._files()
        if "top_ranked" not in files:
            raise InputError(f"{self.repo}: no config top_ranked, so no candidates are given")
        return read_table(files["top_ranked"], "top_ranked")

    def fetch(self) -> None:
        """Download what `read` needs, for a machine that will be offline."""
        self._files()

    def _files(self) -> tuple[Path, Mapping[str, list[Path]]]:
        card = _card(download(self.repo, self.revision, ["README.md"]))
        wanted = patterns(card, self.subset, self.split, self.repo)
        names = [name for groups in wanted.values() for group in groups for name in group]
        folder = download(self.repo, self.revision, ["README.md", *names])
        return folder, find_files(folder, wanted)


def _card(folder: Path) -> Mapping[str, Any]:
    from huggingface_hub import metadata_load

    readme = folder / "README.md"
    return metadata_load(readme) or {} if readme.is_file() else {}


def download(repo: str, revision: str, names: Iterable[str]) -> Path:
    """Get files of a data set repository into the hub's cache.

    Parameters
    ----------
    repo, revision : str
        Owner/name and commit.
    names : iterable of str
        Paths, with ``*`` where any text may stand.

    Returns
    -------
    pathlib.Path
        The snapshot's folder; files that were there already are not asked for again.

    Raises
    ------
    InputError
        The repository, revision or network is not there, or a file came damaged.
    """
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return _snapshot(repo, revision, [*names])
        except _Unsteady as error:
            log.warning("%s: attempt %d of %d: %s", repo, attempt, ATTEMPTS, error)
            said = f"{repo}@{revision[:8]}: download failed: {error}"
            if attempt < ATTEMPTS:
                sleep(PAUSE * attempt)
    raise InputError(f"{said}; run the same command again to go on")


class _Unsteady(Exception):
    """A download that may succeed when tried again."""


def _snapshot(repo: str, revision: str, names: list[str]) -> Path:
    from huggingface_hub import errors, snapshot_download

    try:
        # Waits as long as Retry-After says, and goes on where a connection was cut.
        found = snapshot_download(
            repo, repo_type="dataset", revision=revision, allow_patterns=names
        )
        return Path(found)
    except errors.GatedRepoError:
        said = "access must be granted: accept its terms on the hub and set HF_TOKEN"
    except errors.RepositoryNotFoundError:
        said = "no such data set repository, or a private one and HF_TOKEN does not open it"
    except errors.RevisionNotFoundError:
        said = f"no revision {revision}"
    except errors.LocalEntryNotFoundError:
        said = "not in the cache, and the hub cannot be reached; fetch it where there is a network"
    except (errors.HfHubHTTPError, OSError) as error:
        raise _Unsteady(_short(error)) from error
    raise InputError(f"{repo}@{revision[:8]}: {said}")


def _short(error: Exception) -> str:
    return str(error).strip().splitlines()[0][:200]


def checked(folder: Path, files: Iterable[Path]) -> dict[str, str]:
    """Compare cached files with the hashes by which the hub names their content.

    Parameters
    ----------
    folder : pathlib.Path
        The snapshot's folder; its files are links to blobs named by their hash.
    files : iterable of pathlib.Path
        Files under it.

    Returns
    -------
    dict
        SHA-256 by path.

    Raises
    ------
    InputError
        Files whose content is not what the hub has, all at once.
    """
    digests: dict[str, str] = {}
    problems: list[str] = []
    for file in sorted(files):
        name, blob = file.relative_to(folder).as_posix(), file.resolve()
        with blob.open("rb") as content:
            digests[name] = hashlib.file_digest(content, "sha256").hexdigest()
        # Large files go by their SHA-256, small ones by git's hash; other names say nothing.
        is_large, is_small = len(blob.name) == 64, len(blob.name) == 40
        if (is_large and digests[name] != blob.name) or (is_small and _git_hash(blob) != blob.name):
            problems.append(f"{blob}: damaged download of {name}; delete this file and run again")
    if problems:
        raise InputError(problems)
    return digests


def _git_hash(file: Path) -> str:
    content = file.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
