"""Runs in TREC text: every way of writing the same rows reads the same."""

from __future__ import annotations

import gzip
import io
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiewise.errors import InputError
from tiewise.io import InputWarning, read_run
from tiewise.io.source import Source
from tiewise.io.text_layout import parse_float
from tiewise.io.trec import RUN, read_trec_run

ROWS = [
    ("007", "NA", 1e-5, 1),
    ("007", "null", -2.5, 2),
    ("q#1", "a,b", 1e300, 1),
    ("q#1", 'say"so"', -float("inf"), 2),
    ("é", "文-1", 0.1 + 0.2, 1),
]
LINES = [f"{q} Q0 {d} {r} {s!r} tag" for q, d, s, r in ROWS]
PLAIN = "".join(f"{line}\n" for line in LINES).encode()

SAME_ROWS = {
    "plain": PLAIN,
    "no newline at the end": PLAIN[:-1],
    "tabs": PLAIN.replace(b" ", b"\t"),
    "many blanks": PLAIN.replace(b" ", b"  \t "),
    "indented": PLAIN.replace(b"007 ", b"  007 "),
    "blanks at the line's end": PLAIN.replace(b"\n", b" \t\n"),
    "CRLF": PLAIN.replace(b"\n", b"\r\n"),
    "byte order mark": b"\xef\xbb\xbf" + PLAIN,
    "blank lines": b"\n \n" + PLAIN.replace(b"\n", b"\n\n") + b"\n\t\n",
    "gzip": gzip.compress(PLAIN, mtime=0),
    "gzip in two members": gzip.compress(PLAIN[:120], mtime=0)
    + gzip.compress(PLAIN[120:], mtime=0),
    "form feed as a blank": PLAIN.replace(b" ", b"\f", 1),
}


def write(folder: Path, content: bytes, name: str = "run.txt") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def problems_of(path: Path) -> tuple[str, ...]:
    with pytest.raises(InputError) as caught:
        read_run(path)
    return caught.value.problems


@pytest.mark.parametrize("way", SAME_ROWS)
def test_every_way_of_writing_reads_the_same(way: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_run(write(tmp_path, SAME_ROWS[way])).rows() == ROWS


def test_the_name_says_nothing_about_the_format(tmp_path: Path) -> None:
    assert read_run(write(tmp_path, gzip.compress(PLAIN, mtime=0), "run.parquet")).rows() == ROWS


def test_standard_input_is_read_by_content(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(gzip.compress(PLAIN, mtime=0))

    monkeypatch.setattr("sys.stdin", Stdin())
    assert read_run("-").rows() == ROWS


@pytest.mark.filterwarnings("ignore:.*comment lines")
@pytest.mark.parametrize(
    ("content", "count"),
    [
        (PLAIN.replace(b"tag\n", b"tag more words\n", 1), 2),
        (PLAIN.replace(b"tag\n", b"my tag\n"), 5),
        (b"# two words\n" + PLAIN.replace(b"tag\n", b"my tag\n"), 5),
    ],
)
def test_words_after_the_tag_are_counted_and_ignored(
    content: bytes, count: int, tmp_path: Path
) -> None:
    with pytest.warns(InputWarning, match=f"words after the run tag, .*: {count};"):
        assert read_run(write(tmp_path, content)).rows() == ROWS


def test_only_a_hash_at_the_start_of_a_line_makes_a_comment(tmp_path: Path) -> None:
    commented = b"# made by hand\n" + PLAIN.replace(b"q#1", b"#q\nq#1", 1)
    with pytest.warns(InputWarning, match="comment lines.*: 2"):
        assert read_run(write(tmp_path, commented)).rows() == ROWS
    indented = PLAIN.replace(b"007 ", b" #7  ")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_run(write(tmp_path, indented))["query_id"].to_list()[:2] == ["#7", "#7"]


def test_line_numbers_count_comments_and_blank_lines(tmp_path: Path) -> None:
    path = write(tmp_path, b"# c\n\nq Q0 a 1 2 t\n\nq Q0 b 2 x t\n#\nq Q0 c 3 1 t\nq Q0 d 1\n")
    first, second = problems_of(path)
    assert first == f"{path}:5: score 'x' is not a number (legal: 1.5, 1e-5, -inf)"
    assert second == f"{path}:8: 4 columns, not 6 (query Q0 document rank score tag)"


def test_line_numbers_hold_beyond_the_first_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tiewise.io.text_table._BLOCK", 640)
    monkeypatch.setattr("tiewise.io.text_table._SMALL_BLOCK", 64)
    lines = [f"q Q0 d{i} {i} {-i} t" for i in range(100)]
    lines[70] = "q Q0 d70 70 bad t"
    path = write(tmp_path, "\n".join(lines).encode())
    assert problems_of(path)[0].startswith(f"{path}:71: score 'bad'")
    lines[70] = "q Q0 d3 70 -70 t"
    path = write(tmp_path, "\n".join(lines).encode())
    assert problems_of(path) == (
        f"{path}:71: document 'd3' of query 'q' is a duplicate: it is already at {path}:4",
    )


@given(st.integers(1, 200), st.integers(0, 3))
def test_block_size_does_not_matter(size: int, pad: int) -> None:
    content = b"\n" * pad + PLAIN
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tiewise.io.text_table._BLOCK", size)
        patch.setattr("tiewise.io.text_table._SMALL_BLOCK", size // 2)
        assert read_trec_run(Source("x", content)).rows() == ROWS


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"q Q0 annual report 2 9.25 t", ["rank 'report'", "whole number", "blank inside an id"]),
        (b"q Q0 b 2 9.5", ["5 columns, not 6"]),
        (b"q Q0 b 2 1,5 t", ["score '1,5'", "1.5"]),
        (b"q Q0 b 2 1_000 t", ["score '1_000'"]),
        (b"q Q0 b 2 0x10 t", ["score '0x10'"]),
        (b"q Q0 b 2 abc t", ["score 'abc'"]),
        (b"q Q0 b one 2 t", ["rank 'one'"]),
        (b"q Q0 b 1.5 2 t", ["rank '1.5'"]),
        (b"q Q0 b\xe9 1 2 t", ["0xe9", "UTF-8"]),
        (b"q Q0 b 2 nan t", ["NaN", "'b'", "'q'", "nonfinite"]),
        (b"q Q0 a 2 1 t", ["'a'", "'q'", "duplicate", ":1"]),
        (b"one", ["1 columns, not 6"]),
        (b"q  b 2 2 t", ["5 columns, not 6"]),
        (b"q\t\tb\t2\t2\tt", ["5 columns, not 6"]),
    ],
)
def test_a_wrong_line_is_named_with_what_is_legal(
    line: bytes, words: list[str], tmp_path: Path
) -> None:
    path = write(tmp_path, b"q Q0 a 1 3 t\n" + line + b"\n")
    (problem,) = problems_of(path)
    assert problem.startswith(f"{path}:2: ")
    for word in words:
        assert word in problem


def test_all_problems_are_named_up_to_a_limit(tmp_path: Path) -> None:
    path = write(tmp_path, b"".join(b"q Q0 d%d 1 x t\n" % i for i in range(500)))
    problems = problems_of(path)
    assert len(problems) == 101
    assert problems[99].startswith(f"{path}:100: ")
    assert problems[100] == "reading stopped here, after 100 problems"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"\n# only a comment\n", "empty"),
        (gzip.compress(PLAIN, mtime=0)[:-9], "truncated gzip"),
        (gzip.compress(PLAIN, mtime=0)[:10] + b"garbage" * 9, "damaged gzip"),
        (b"q Q0 \0 1 2 t\n", "binary file"),
        (b"\xff\xfeq\0", "UTF-16"),
        (b"PK\x03\x04...", "zip"),
        (b"\x28\xb5\x2f\xfd...", "zstd"),
        (b"query-id\tcorpus-id\tscore\nq\td\t1\n", "header of qrels"),
    ],
)
@pytest.mark.filterwarnings("ignore::tiewise.io.InputWarning")
def test_a_file_of_another_kind_is_refused_by_name(
    content: bytes, words: str, tmp_path: Path
) -> None:
    path = write(tmp_path, content)
    (problem,) = problems_of(path)
    assert problem.startswith(str(path))
    assert words in problem


def test_a_directory_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    assert "a directory" in problems_of(tmp_path)[0]
    write(tmp_path, PLAIN, "run.txt")
    assert "no such file; did you mean 'run.txt'?" in problems_of(tmp_path / "rum.txt")[0]
    assert "no such file" in problems_of(tmp_path / "nowhere" / "run.txt")[0]
    assert "cannot be read" in problems_of(Path("a\0b"))[0]


def test_nan_scores_rank_last_only_when_asked(tmp_path: Path) -> None:
    path = write(tmp_path, b"q Q0 a 2 NaN t\nq Q0 b 1 -1e30 t\n")
    with pytest.warns(InputWarning, match="NaN scores rank last, 1.*query q document a"):
        run = read_run(path, nonfinite="last")
    assert run["score"].to_list() == [-float("inf"), -1e30]


@pytest.mark.parametrize(
    ("lines", "queries"),
    [
        ([("q", "a", 1, 2.0), ("q", "b", 2, 3.0)], 1),
        ([("q", "a", 2, 2.0), ("q", "b", 1, 1.0)], 1),
        ([("q", "a", 1, 2.0), ("p", "a", 1, 1.0), ("q", "b", 2, 3.0)], 1),
        ([("q", "a", 2, 2.0), ("q", "b", 1, 3.0)], 0),
        ([("q", "a", 2, 1.0), ("q", "b", 1, 1.0)], 0),
        ([("q", "a", 0, 2.0), ("q", "b", 0, 3.0)], 0),
        ([("q", "a", 1, 2.0), ("p", "a", 1, 9.0), ("q", "b", 2, 1.0)], 0),
    ],
)
def test_ranks_that_contradict_scores_give_a_warning(
    lines: list[tuple[str, str, int, float]], queries: int, tmp_path: Path
) -> None:
    text = "".join(f"{q} Q0 {d} {r} {s} t\n" for q, d, r, s in lines)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read_run(write(tmp_path, text.encode()))
    found = [str(w.message) for w in caught]
    assert len(found) == queries
    assert all("rank column contradicts the scores" in m and "'q'" in m for m in found)


@given(st.floats(allow_nan=False, width=64))
def test_scores_are_parsed_to_the_nearest_float64(value: float) -> None:
    for text in (repr(value), f"{value:.17g}", f"{value:.30e}"):
        run = read_trec_run(Source("x", f"q Q0 d 1 {text} t\n".encode()))
        assert run["score"][0] == value
        assert parse_float(text.encode()) == value


def test_the_layout_of_a_run_has_six_columns() -> None:
    assert RUN.titles == "query Q0 document rank score tag"
