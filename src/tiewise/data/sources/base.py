"""What every source of a data set has in common."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from pydantic import BaseModel, ConfigDict

from tiewise.data.normal import Dataset
from tiewise.errors import InputError


class Source(BaseModel):
    """Where the tables of a data set come from.

    A source is one file with one class derived from this one, and its name in `spec.AnySource`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str

    def read(self) -> Dataset:
        """Read corpus, queries and qrels as the source has them; `normalise` checks them.

        Raises
        ------
        InputError
            The source is missing, changed or damaged, or lacks a table or a column.
        """
        raise NotImplementedError

    def local_files(self) -> list[tuple[str, Path]]:
        """List the files on this machine that it reads, which unlike other sources can change.

        Returns
        -------
        list of (str, pathlib.Path)
            Name relative to the source, and path.
        """
        return []

    def fetch(self) -> None:
        """Get what `read` needs onto this machine, so that it can run without a network."""

    def read_candidates(self) -> pl.DataFrame:
        """Read the candidates that come with the data set.

        Returns
        -------
        polars.DataFrame
            Columns query_id, doc_ids (list of strings, in first-stage order).

        Raises
        ------
        InputError
            The source has none.
        """
        raise InputError(f"source {self.kind} comes without candidates; legal: kind bm25")
