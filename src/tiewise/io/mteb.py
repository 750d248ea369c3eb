"""MTEB prediction files: version 2 by subset and split, version 1 flat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tiewise.errors import InputError, did_you_mean

META = "mteb_model_meta"


def is_mteb(nested: Mapping[str, Any]) -> bool:
    """Tell whether a JSON object is an MTEB prediction file of version 2."""
    return META in nested


def select_split(
    nested: Mapping[str, Any], name: str, *, subset: str | None = None, split: str | None = None
) -> Mapping[str, Any]:
    """Take one run out of an MTEB prediction file of version 2.

    Parameters
    ----------
    nested : mapping
        Subset to split to query to document to score, beside ``mteb_model_meta``.
    name : str
        What to call it in messages.
    subset, split : str, optional
        Which; needed only where the file has several.

    Returns
    -------
    mapping
        Query to document to score.

    Raises
    ------
    InputError
        There are several and none was named, or the one named is not there; the message lists them.

    Examples
    --------
    >>> file = {"mteb_model_meta": {}, "default": {"test": {"q": {"d": 1.0}}, "dev": {}}}
    >>> select_split(file, "p.json", split="test")
    {'q': {'d': 1.0}}
    >>> select_split(file, "p.json")
    Traceback (most recent call last):
        ...
    tiewise.errors.InputError: p.json: several splits: dev, test; say which with split=
    """
    subsets = {key: value for key, value in nested.items() if key != META}
    splits = _choose(subsets, name, "subset", subset)
    run: Mapping[str, Any] = _choose(splits, name, "split", split)
    return run


def _choose(options: Any, name: str, kind: str, wanted: str | None) -> Any:
    if not isinstance(options, Mapping) or not options:
        raise InputError(f"{name}: empty: there is no {kind} in this MTEB prediction file")
    if wanted is not None and wanted not in options:
        raise InputError(f"{name}: no {kind} {wanted!r}; {did_you_mean(wanted, options)}")
    if wanted is None and len(options) > 1:
        listed = ", ".join(sorted(options))
        raise InputError(f"{name}: several {kind}s: {listed}; say which with {kind}=")
    return options[wanted if wanted is not None else next(iter(options))]
