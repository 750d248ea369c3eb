"""Blocks of configuration: YAML checked against a pydantic model, every problem named at once."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tiewise.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from pydantic import BaseModel

    Block = TypeVar("Block", bound=BaseModel)


def read_block(path: str | os.PathLike[str], model: type[Block]) -> Block:
    """Read one YAML file as a checked block.

    Parameters
    ----------
    path : path
        A YAML file that holds one mapping.
    model : type of pydantic.BaseModel
        What the mapping must be.

    Returns
    -------
    pydantic.BaseModel
        The block, an instance of `model`.

    Raises
    ------
    InputError
        The file is missing, is no YAML mapping, or breaks the model; all problems at once.
    """
    block = validate_block(read_yaml(path), model, where=str(path))
    check_name(block, path)
    return block


def check_name(block: BaseModel, path: str | os.PathLike[str]) -> None:
    """Refuse a block whose name is not that of its file.

    Raises
    ------
    InputError
        Naming both.
    """
    name, stem = getattr(block, "name", None), Path(path).stem
    if name not in (None, stem):
        raise InputError(f"{path}: name: found {name!r}, must be {stem!r}")


def read_yaml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a YAML file that must hold a mapping."""
    import yaml

    try:
        raw = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except yaml.YAMLError as error:
        raise InputError(f"{path}: not valid YAML: {error}") from error
    if not isinstance(raw, dict):
        raise InputError(f"{path}: holds {type(raw).__name__}, not a mapping of keys to values")
    return raw


def validate_block(raw: Mapping[str, Any], model: type[Block], where: str) -> Block:
    """Check a mapping against a model and say all that is wrong with it.

    Parameters
    ----------
    raw : mapping
        What was found.
    model : type of pydantic.BaseModel
        What is legal.
    where : str
        Where it was found; begins every problem.

    Examples
    --------
    >>> from pydantic import BaseModel, ConfigDict
    >>> class Box(BaseModel):
    ...     model_config = ConfigDict(extra="forbid")
    ...     width: int
    >>> validate_block({"width": 3}, Box, "box.yaml")
    Box(width=3)
    >>> validate_block({"widht": 3}, Box, "box.yaml")
    Traceback (most recent call last):
        ...
    tiewise.errors.InputError: 2 problems:
      box.yaml: width: Field required
      box.yaml: widht: no such key; did you mean 'width'? legal: width
    """
    from pydantic import ValidationError

    try:
        return model.model_validate(raw)
    except ValidationError as error:
        raise InputError([_problem(e, model, where) for e in error.errors()]) from None


def fingerprint(*blocks: BaseModel) -> str:
    """Hash blocks of configuration: the same keys and values give the same 16 hex digits."""
    text = json.dumps([block.model_dump(mode="json") for block in blocks], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _problem(error: Mapping[str, Any], model: type[BaseModel], where: str) -> str:
    place = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        legal = _keys_at(model, error["loc"][:-1])
        return f"{where}: {place}: no such key; {did_you_mean(str(error['loc'][-1]), legal)}"
    if error["type"] in ("literal_error", "enum"):
        # pydantic lists the legal values as "'a', 'b' or 'c'".
        legal = error["ctx"]["expected"].replace(" or ", ", ").split(", ")
        said = did_you_mean(str(error["input"]), [value.strip("'") for value in legal])
        return f"{where}: {place}: found {error['input']!r}; {said}"
    if error["type"] == "union_tag_invalid":
        key, tag = error["ctx"]["discriminator"].strip("'"), error["ctx"]["tag"]
        legal = [value.strip("'") for value in error["ctx"]["expected_tags"].split(", ")]
        return f"{where}: {place}.{key}: found {tag!r}; {did_you_mean(tag, legal)}"
    found = "" if error["type"] == "missing" else f", found {error['input']!r}"
    return f"{where}: {place}: {error['msg'].removeprefix('Value error, ')}{found}"


def _keys_at(model: type[BaseModel], place: tuple[int | str, ...]) -> list[str]:
    """Legal keys of the mapping at a place inside a model: walk the JSON Schema to it."""
    schema = model.model_json_schema()
    node: dict[str, Any] = schema
    for part in place:
        members = node.get("discriminator", {}).get("mapping", {})
        if part in members:  # the place names a member of a union by its tag, not by a key
            node = {"$ref": members[part]}
            continue
        node = _resolve(node, schema)
        if isinstance(part, int):
            node = node.get("items", {})
        elif "properties" in node:
            node = node["properties"].get(part, {})
        else:
            node = node.get("additionalProperties", node)
    return list(_resolve(node, schema).get("properties", {}))


def _resolve(node: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    for option in node.get("anyOf", node.get("oneOf", [])):
        if "$ref" in option:
            node = option
    if "$ref" in node:
        return dict(schema["$defs"][node["$ref"].rsplit("/", 1)[-1]])
    return node
