"""A data set in a local folder: BEIR's JSON lines and TSV, or files with MTEB's columns."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import polars as pl
from pydantic import Field

from tiewise.data.normal import Dataset
from tiewise.data.sources.base import Source
from tiewise.data.sources.files import read_table, read_tables
from tiewise.data.sources.folders import find_files, patterns
from tiewise.errors import InputError


class LocalSource(Source):
    """A folder with corpus, queries and qrels."""

    kind: Literal["local"] = Field(description="Which source this is.")
    path: str = Field(
        min_length=1, description="The folder; a relative one from where the study is started."
    )
    subset: str | None = Field(
        default=None, description="Prefix of the tables of a multilingual data set, such as en."
    )
    split: str = Field(default="test", description="Which qrels: test, dev, ...")
    files: dict[Literal["corpus", "queries", "qrels", "top_ranked"], str] = Field(
        default={}, description="File of a table that has another name than usual."
    )

    def read(self) -> Dataset:
        """Read the tables; errors as of `Source.read`."""
        folder, files = self._files()
        names = {t: [f.relative_to(folder).as_posix() for f in files[t]] for t in files}
        facts = {"source": {"kind": self.kind, "path": self.path, "files": names}}
        tables = read_tables(files)
        return Dataset(tables["corpus"], tables["queries"], tables["qrels"], facts)

    def read_candidates(self) -> pl.DataFrame:
        """Read the candidates of a file ``top_ranked``."""
        _, files = self._files()
        if "top_ranked" not in files:
            raise InputError(f"{self.path}: no file of top_ranked, so no candidates are given")
        return read_table(files["top_ranked"], "top_ranked")

    def local_files(self) -> list[tuple[str, Path]]:
        """List the files of the tables."""
        folder, files = self._files()
        return [
            (f.relative_to(folder).as_posix(), f) for table in sorted(files) for f in files[table]
        ]

    def _files(self) -> tuple[Path, dict[str, list[Path]]]:
        folder = Path(self.path).expanduser()
        if not folder.is_dir():
            raise InputError(f"{self.path}: no such folder")
        wanted = patterns({}, self.subset, self.split, self.path)
        wanted |= {table: [[name]] for table, name in self.files.items()}
        return folder, find_files(folder, wanted)
