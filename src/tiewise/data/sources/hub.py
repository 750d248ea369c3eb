"""A data set on the Hugging Face hub, at a pinned revision, as MTEB lays it out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import polars as pl
from pydantic import Field

from tiewise.data.normal import Dataset
from tiewise.data.sources.base import Source
from tiewise.data.sources.files import read_table, read_tables
from tiewise.data.sources.folders import find_files, patterns
from tiewise.errors import InputError
from tiewise.store.hub import download, verified


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
        digests = verified(folder, [file for found in files.values() for file in found])
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
        card = _card(download(self.repo, self.revision, ["README.md"], "dataset"))
        wanted = patterns(card, self.subset, self.split, self.repo)
        names = [name for groups in wanted.values() for group in groups for name in group]
        folder = download(self.repo, self.revision, ["README.md", *names], "dataset")
        return folder, find_files(folder, wanted)


def _card(folder: Path) -> Mapping[str, Any]:
    from huggingface_hub import metadata_load

    readme = folder / "README.md"
    return metadata_load(readme) or {} if readme.is_file() else {}
