"""Which file of a data set's folder holds which table, as MTEB and BEIR lay them out.

A repository of the hub is such a folder, so the hub and a local folder share this page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tiewise.errors import Problems, did_you_mean

TABLES = ("corpus", "queries", "qrels", "top_ranked")
OPTIONAL = "top_ranked"

CONFIGS: Mapping[str, tuple[str, ...]] = {
    "corpus": ("corpus",),
    "queries": ("queries", "query"),
    "qrels": ("default", "qrels"),
    "top_ranked": ("top_ranked",),
}
"""Configs of an MTEB repository that hold each table."""

Alternatives = Sequence[Sequence[str]]
"""Patterns of file names: of the first group that has a file, all files."""


def find_files(folder: Path, wanted: Mapping[str, Alternatives]) -> dict[str, list[Path]]:
    """Find the files of each table in a folder.

    Parameters
    ----------
    folder : pathlib.Path
        The data set's folder, or the snapshot of its repository.
    wanted : mapping
        By table, what `patterns` returned.

    Returns
    -------
    dict
        Files by table, in the order of their names; `OPTIONAL` only where there is one.

    Raises
    ------
    InputError
        Tables without a file, all at once.
    """
    files: dict[str, list[Path]] = {}
    problems = Problems()
    for table, alternatives in wanted.items():
        for group in alternatives:
            found = sorted({p for pattern in group for p in folder.glob(pattern) if p.is_file()})
            if found:
                files[table] = found
                break
        else:
            if table != OPTIONAL:
                names = ", ".join(pattern for group in alternatives for pattern in group)
                problems.append(f"{folder}: no file of {table}; looked for {names}")
    problems.stop()
    return files


def patterns(
    card: Mapping[str, Any], subset: str | None, split: str, where: str
) -> dict[str, Alternatives]:
    """Say under which names the files of each table lie.

    Parameters
    ----------
    card : mapping
        Metadata of the folder's README; its ``configs`` say which file is what. Without them the
        usual names are tried: ``corpus.jsonl``, ``qrels/test.tsv`` and the like.
    subset : str, optional
        The part of a multilingual data set, such as ``en``.
    split : str
        Such as ``test`` or ``dev``. A corpus or queries that have one split only are taken whatever
        its name.
    where : str
        The folder or repository; begins every problem.

    Returns
    -------
    dict
        Alternatives by table.

    Raises
    ------
    InputError
        Unknown subsets and splits, all at once, with the nearest names.

    Examples
    --------
    >>> card = {"configs": [{"config_name": "corpus", "data_files": "corpus.jsonl"}]}
    >>> patterns(card, None, "test", "me/mine")
    Traceback (most recent call last):
        ...
    tiewise.errors.InputError: 2 problems:
      me/mine: no config 'queries'; legal: corpus
      me/mine: no config 'default'; legal: corpus
    """
    configs = {config["config_name"]: config for config in card.get("configs", [])}
    if not configs:
        return {table: _usual_names(table, subset, split) for table in TABLES}
    prefix = f"{subset}-" if subset else ""
    problems = Problems()
    found: dict[str, Alternatives] = {}
    for table, names in CONFIGS.items():
        name = next((prefix + n for n in names if prefix + n in configs), None)
        if name is not None:
            files = _by_split(configs[name])
            # Corpus and queries may have one split of any name; judgements must be those meant.
            if len(files) == 1 and (table != "qrels" or NAMELESS in files):
                found[table] = list(files.values())
            elif split in files:
                found[table] = [files[split]]
            else:
                said = did_you_mean(split, files)
                problems.append(f"{where}: config {name!r}: no split {split!r}; {said}")
        elif table != OPTIONAL:
            wanted = prefix + names[0]
            problems.append(f"{where}: no config {wanted!r}; {did_you_mean(wanted, configs)}")
    problems.stop()
    return found


NAMELESS = ""
"""Split of files that a config lists without one."""


def _by_split(config: Mapping[str, Any]) -> dict[str, list[str]]:
    data_files = config.get("data_files", [])
    by_split: dict[str, list[str]] = {}
    for item in [data_files] if isinstance(data_files, str) else data_files:
        entry = {"split": NAMELESS, "path": item} if isinstance(item, str) else item
        paths = entry["path"]
        by_split.setdefault(entry["split"], []).extend([paths] if isinstance(paths, str) else paths)
    return by_split


def _usual_names(table: str, subset: str | None, split: str) -> Alternatives:
    prefix = f"{subset}-" if subset else ""
    endings = ["jsonl", "jsonl.gz", "parquet"]
    if table == "qrels":
        endings.insert(0, "tsv")
    return [
        [f"{prefix}{name}.{ending}"]
        for folder in (("qrels", "default") if table == "qrels" else (table,))
        for ending in endings
        for name in (f"{folder}/{split}", f"{folder}/{split}-*", folder)
    ]
