"""Files of a repository on the Hugging Face hub: downloaded once, checked, or one clear message.

The hub's own environment variables hold: ``HF_ENDPOINT``, ``HF_HOME``, ``HF_HUB_OFFLINE``,
``HF_TOKEN``.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any, Literal, TypeVar, cast

from tiewise.errors import InputError, Problems

log = logging.getLogger(__name__)
Kind = Literal["dataset", "model"]
T = TypeVar("T")
ATTEMPTS = 3
PAUSE = 1.0
"""Seconds before a second attempt; twice as long before a third."""


def download(repo: str, revision: str, names: Iterable[str], kind: Kind) -> Path:
    """Get files of a repository into the hub's cache.

    Parameters
    ----------
    repo, revision : str
        Owner/name and commit.
    names : iterable of str
        Paths, with ``*`` where any text may stand.
    kind : {"dataset", "model"}
        Which part of the hub the repository is in.

    Returns
    -------
    pathlib.Path
        The snapshot's folder; files that were there already are not asked for again.

    Raises
    ------
    InputError
        The repository, revision or network is not there, or a file came damaged.
    """
    from huggingface_hub import snapshot_download

    patterns = [*names]
    # It waits as long as Retry-After says, and goes on where a connection was cut.
    return Path(
        _persistently(
            lambda: snapshot_download(
                repo, repo_type=kind, revision=revision, allow_patterns=patterns
            ),
            _Asked(repo, revision, kind),
        )
    )


def list_files(repo: str, revision: str | None, kind: Kind) -> tuple[str, list[str]]:
    """Ask for the commit of a repository, the newest for None, and the names of its files.

    Raises
    ------
    InputError
        The repository, revision or network is not there.
    """
    from huggingface_hub import HfApi

    info: Any = _persistently(
        lambda: HfApi().repo_info(repo, repo_type=kind, revision=revision),
        _Asked(repo, revision, kind),
    )
    return str(info.sha), [file.rfilename for file in info.siblings or []]


@dataclass(frozen=True)
class _Asked:
    """What was asked of the hub, as messages name it."""

    repo: str
    revision: str | None
    kind: Kind

    def __str__(self) -> str:
        return f"{self.repo}@{(self.revision or 'main')[:8]}"


class _Unsteady(Exception):
    """A request that may succeed when tried again."""


def _persistently(request: Callable[[], T], asked: _Asked) -> T:
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return _attempt(request, asked)
        except _Unsteady as error:
            log.warning("%s: attempt %d of %d: %s", asked.repo, attempt, ATTEMPTS, error)
            said = f"{asked}: download failed: {error}"
            if attempt < ATTEMPTS:
                sleep(PAUSE * attempt)
    raise InputError(f"{said}; run the same command again to go on")


def _attempt(request: Callable[[], T], asked: _Asked) -> T:
    from huggingface_hub import errors

    # The error of the HTTP library beneath, which is another one in every major version.
    network_error = cast(type[Exception], errors.HfHubHTTPError.__mro__[1])
    try:
        return request()
    except errors.GatedRepoError:
        said = "access must be granted: accept its terms on the hub and set HF_TOKEN"
    except errors.RepositoryNotFoundError:
        said = f"no such {asked.kind} repository, or a private one and HF_TOKEN does not open it"
    except errors.RevisionNotFoundError:
        said = f"no revision {asked.revision}"
    except (errors.LocalEntryNotFoundError, errors.OfflineModeIsEnabled):
        said = "not in the cache, and the hub cannot be reached; fetch it where there is a network"
    except (network_error, OSError) as error:
        raise _Unsteady(_short(error)) from error
    raise InputError(f"{asked}: {said}")


def _short(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]


def verified(folder: Path, files: Iterable[Path]) -> dict[str, str]:
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
    problems = Problems()
    for file in sorted(files):
        name, blob = file.relative_to(folder).as_posix(), file.resolve()
        with blob.open("rb") as content:
            digests[name] = hashlib.file_digest(content, "sha256").hexdigest()
        # Large files go by their SHA-256, small ones by git's hash; other names say nothing.
        is_large, is_small = len(blob.name) == 64, len(blob.name) == 40
        if (is_large and digests[name] != blob.name) or (is_small and _git_hash(blob) != blob.name):
            problems.append(f"{blob}: damaged download of {name}; delete this file and run again")
    problems.stop()
    return digests


def _git_hash(file: Path) -> str:
    content = file.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
