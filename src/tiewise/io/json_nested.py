"""JSON of BEIR, ranx, pytrec_eval and MTEB: objects of query, document and number."""

from __future__ import annotations

import json
from typing import Any

from tiewise.errors import InputError
from tiewise.io.source import Source, text_of


def load_object(source: Source) -> dict[str, Any]:
    """Parse a JSON object, refusing a repeated key, which Python's parser would drop in silence.

    Raises
    ------
    InputError
        It is no JSON (with the line), no object, or has a key twice.

    Examples
    --------
    >>> load_object(Source("run.json", b'{"q": {"a": 1.0, "a": 2.0}}'))
    Traceback (most recent call last):
        ...
    tiewise.errors.InputError: run.json: duplicate key 'a' in one object
    """
    try:
        found = json.loads(text_of(source), object_pairs_hook=_without_repeats)
    except json.JSONDecodeError as error:
        place = f"{source.name}:{error.lineno}:{error.colno}"
        raise InputError(f"{place}: not valid JSON: {error.msg}") from None
    except UnicodeDecodeError as error:
        line = source.raw.count(b"\n", 0, error.start) + 1
        raise InputError(f"{source.name}:{line}: not UTF-8: {error.reason}") from None
    except _RepeatedKeyError as error:
        raise InputError(f"{source.name}: duplicate key {error.args[0]!r} in one object") from None
    except RecursionError:
        raise InputError(f"{source.name}: JSON nested too deeply") from None
    if not isinstance(found, dict):
        kind = type(found).__name__
        raise InputError(f"{source.name}: JSON {kind}; legal: an object of queries")
    return found


class _RepeatedKeyError(Exception):
    """A JSON object has one key twice."""


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _RepeatedKeyError(key)
            seen.add(key)
    return found
