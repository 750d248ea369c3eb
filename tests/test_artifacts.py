"""Artifacts are whole or absent, of the stated columns, and know where they come from."""

from __future__ import annotations

import errno
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

from steps import ALL_KINDS
from tiewise.errors import InputError
from tiewise.store.artifacts import read_artifact, read_provenance, write_artifact, writing

KIND = ALL_KINDS["scores"]
SCORES = pl.DataFrame({"query_id": ["q"], "doc_id": ["007"], "score": [0.5]})


def test_rows_and_provenance_come_back_as_written(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "scores.parquet"
    write_artifact(SCORES, path, provenance={"dtype": "bf16", "seed": 3}, kind=KIND)
    assert read_artifact(path).equals(SCORES)
    assert read_provenance(path) == {"dtype": "bf16", "seed": 3}


def test_pandas_and_pyarrow_read_the_file_and_its_schema_metadata(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    write_artifact(SCORES, path, provenance={"a": 1})
    assert pd.read_parquet(path)["doc_id"].tolist() == ["007"]
    assert pq.read_schema(path).metadata[b"tiewise"] == b'{"a": 1}'


def test_a_table_lacking_a_column_is_refused_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    with pytest.raises(InputError, match="lacks columns, 1: 'score'"):
        write_artifact(SCORES.drop("score"), path, provenance={}, kind=KIND)
    assert not path.exists()


def test_ids_that_are_no_text_are_refused(tmp_path: Path) -> None:
    numbers = SCORES.with_columns(doc_id=pl.lit(7))
    with pytest.raises(InputError, match="column 'doc_id' of a scores table is"):
        write_artifact(numbers, tmp_path / "scores.parquet", provenance={}, kind=KIND)


def test_every_kind_of_artifact_names_documents_and_queries_by_text() -> None:
    for kind in ALL_KINDS.values():
        ids = {name: dtype for name, dtype in kind.columns.items() if name.endswith("_id")}
        assert all(dtype == pl.String for dtype in ids.values()), kind.name


def test_a_failed_write_keeps_the_finished_file_and_leaves_no_part(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    write_artifact(SCORES, path, provenance={"run": 1})
    with pytest.raises(InputError, match="disk is full"):
        _fill_the_disk(path)
    assert read_provenance(path) == {"run": 1}
    assert [file.name for file in tmp_path.iterdir()] == ["scores.parquet"]


def test_a_file_where_a_folder_must_be_gives_one_clear_message(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("in the way")
    with pytest.raises(InputError, match=r"results/scores\.parquet: cannot be written"):
        write_artifact(SCORES, tmp_path / "results" / "scores.parquet", provenance={})


def test_reading_what_is_no_parquet_file_names_it(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    path.write_text("q1 Q0 d1 1 0.5 tag")
    with pytest.raises(InputError, match=r"scores\.parquet: not a readable Parquet file"):
        read_artifact(path)


def _fill_the_disk(path: Path) -> None:
    with writing(path) as part:
        part.write_bytes(b"half a fi")
        raise OSError(errno.ENOSPC, "No space left on device")
