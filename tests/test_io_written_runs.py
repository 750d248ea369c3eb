"""A written run reads back as it was, and what a format cannot say is not written."""

from __future__ import annotations

import warnings
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiewise.errors import InputError
from tiewise.io import read_run, write_run


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=4),
            st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=6),
            st.floats(allow_nan=False),
        ),
        min_size=1,
        max_size=20,
        unique_by=lambda row: (row[0], row[1]),
    )
)
def test_a_written_run_reads_back_to_the_same_scores(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, float]]
) -> None:
    rows = [row for row in rows if row[0][0] not in "#{["] or [("q", "d", 0.5)]
    run = pl.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")
    folder = tmp_path_factory.mktemp("written")
    for name in ("run.txt", "run.parquet"):
        write_run(run, folder / name)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            read = read_run(folder / name)
        assert {(q, d): s for q, d, s in read.select(run.columns).rows()} == {
            (q, d): s for q, d, s in rows
        }


def test_a_written_run_is_in_rank_order_and_keeps_the_order_of_ties(tmp_path: Path) -> None:
    run = {"q2": {"a": 1.0, "b": 2.0, "c": 1.0}, "q1": {"z": 0.1}}
    write_run(run, tmp_path / "run.txt", tag="sys")
    assert (tmp_path / "run.txt").read_text() == (
        "q2 Q0 b 1 2 sys\nq2 Q0 a 2 1 sys\nq2 Q0 c 3 1 sys\nq1 Q0 z 1 0.10000000000000001 sys\n"
    )


def test_what_the_format_cannot_say_is_not_written(tmp_path: Path) -> None:
    run = {"#q": {"annual report": 1.0}}
    with pytest.raises(InputError) as caught:
        write_run(run, tmp_path / "run.txt", tag="my tag")
    text = str(caught.value)
    assert "annual report" in text
    assert "'#q'" in text
    assert "my tag" in text
    assert not (tmp_path / "run.txt").exists()
