"""Judgements in TREC text and BEIR TSV: every layout reads the same."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from tiewise.errors import InputError
from tiewise.io import InputWarning, read_qrels

QRELS = [("q1", "d1", 2.0), ("q1", "d2", 0.0), ("007", "NA", -1.0)]


def write(folder: Path, content: bytes, name: str = "qrels.txt") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    "content",
    [
        b"q1 0 d1 2\nq1 0 d2 0\n007 0 NA -1\n",
        b"q1\t4.5\td1\t2\r\nq1\tx\td2\t0\r\n007\t0\tNA\t-1\r\n",
        b"q1 0  d1   2 \n\nq1 0 d2 0\n\n007 0 NA -1",
        b"q1 0 d1 2.0\nq1 0 d2 0\n007 0 NA -1\n",
        b"query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\n007\tNA\t-1\n",
        b"\xef\xbb\xbfquery_id doc_id relevance\r\nq1 d1 2\r\nq1 d2 0\r\n007 NA -1\r\n",
    ],
)
def test_qrels_of_every_layout_read_the_same(content: bytes, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_qrels(write(tmp_path, content)).rows() == QRELS


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (b"q 0 a 1\nq 0 b 0.2\n", 2, ["grade '0.2'", "integer"]),
        (b"q 0 a 1\nq 0 b x\n", 2, ["grade 'x'", "integer"]),
        (b"q 0 a 1\nq 0 b 1 extra\n", 2, ["5 columns, not 4"]),
        (b"q 0 a 1\nq b 1\n", 2, ["3 columns, not 4"]),
        (b"q a 1\n", 1, ["3 columns, not 4"]),
        (b"q 0 a 1\nq 0 a 2\n", 2, ["'a'", "'q'", "duplicate", ":1"]),
        (b"query-id\tcorpus-id\tscore\nq\ta\t1\nq\tb\n", 3, ["2 columns, not 3"]),
        (b"query-id\tcorpus-id\tscore\nq\ta\t1\nq\tb c\t1\n", 3, ["4 columns, not 3"]),
    ],
)
def test_wrong_qrels_are_refused_with_the_line(
    content: bytes, line: int, words: list[str], tmp_path: Path
) -> None:
    path = write(tmp_path, content)
    with pytest.raises(InputError) as caught:
        read_qrels(path)
    (problem,) = caught.value.problems
    assert problem.startswith(f"{path}:{line}: ")
    for word in words:
        assert word in problem


def test_repeated_judgements_are_merged_with_a_warning(tmp_path: Path) -> None:
    path = write(tmp_path, b"q 0 a 1\n# c\nq 0 b 0\nq 0 a 1\n")
    with pytest.warns(InputWarning) as caught:
        assert read_qrels(path).rows() == [("q", "a", 1.0), ("q", "b", 0.0)]
    found = [str(w.message) for w in caught]
    assert any("repeat an earlier judgement" in m and f": 1 ({path}:4)" in m for m in found)


def test_empty_qrels_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="empty: there is no judgement"):
        read_qrels(write(tmp_path, b"\n"))
