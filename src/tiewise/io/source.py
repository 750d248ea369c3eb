"""Get at the bytes of an input: a file or standard input, gzip by content."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

from tiewise.errors import InputError

STDIN = "-"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_OTHER_COMPRESSIONS = {
    **{b"BZh%d1AY&SY" % level: "bzip2" for level in range(1, 10)},
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
    b"PK\x03\x04": "zip",
}


@dataclass(frozen=True)
class Source:
    """The bytes of one input and the name to use in messages."""

    name: str
    raw: bytes


def read_source(path: str | os.PathLike[str]) -> Source:
    """Read an input whole, unpacking gzip whatever its name.

    Parameters
    ----------
    path : path
        A file, or ``-`` for standard input.

    Returns
    -------
    Source
        Unpacked bytes without a UTF-8 byte order mark.

    Raises
    ------
    InputError
        The path is missing, a directory or unreadable, or the content is damaged gzip, another
        compression, or UTF-16.
    """
    name = os.fspath(path)
    if name == STDIN:
        name, raw = "standard input", sys.stdin.buffer.read()
    else:
        raw = _file_bytes(Path(name), name)
    if raw.startswith(b"\x1f\x8b"):
        raw = _unzip(raw, name)
    for magic, kind in _OTHER_COMPRESSIONS.items():
        if raw.startswith(magic):
            raise InputError(
                f"{name}: the content is {kind}; legal: plain or gzip; unpack it first"
            )
    if raw.startswith(_UTF16):
        raise InputError(f"{name}: the content is UTF-16; legal: UTF-8; convert it first")
    return Source(name, raw.removeprefix(_BYTE_ORDER_MARK))


def text_of(source: Source) -> bytes:
    """Return the bytes of a source that must be text.

    Raises
    ------
    InputError
        There is a NUL byte, which no text has.

    Examples
    --------
    >>> text_of(Source("run.txt", b"ab" + bytes(3)))
    Traceback (most recent call last):
        ...
    tiewise.errors.InputError: run.txt: a binary file (NUL at byte 2); legal: text, JSON or Parquet
    """
    nul = source.raw.find(b"\0")
    if nul >= 0:
        raise InputError(
            f"{source.name}: a binary file (NUL at byte {nul}); legal: text, JSON or Parquet"
        )
    return source.raw


def _file_bytes(path: Path, name: str) -> bytes:
    try:
        return path.read_bytes()
    except IsADirectoryError:
        raise InputError(f"{name}: a directory; legal: a file, or - for standard input") from None
    except FileNotFoundError:
        near = sorted(p.name for p in path.parent.glob("*")) if path.parent.is_dir() else []
        raise InputError(f"{name}: no such file{_nearest(path.name, near)}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{name}: cannot be read: {reason}") from None


def _nearest(name: str, present: list[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, present, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _unzip(raw: bytes, name: str) -> bytes:
    try:
        return gzip.decompress(raw)
    except EOFError:
        raise InputError(f"{name}: truncated gzip: it ends before its data do") from None
    except (OSError, zlib.error) as error:
        raise InputError(f"{name}: damaged gzip: {error}") from None
