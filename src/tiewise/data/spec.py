"""The block that describes a data set: one YAML file, checked before anything is read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from tiewise.data.bm25 import Bm25Candidates
from tiewise.data.given import GivenCandidates
from tiewise.data.sources.cwe import CweSource
from tiewise.data.sources.hub import HubSource
from tiewise.data.sources.icd10cm import Icd10cmSource
from tiewise.data.sources.irds import IrDatasetsSource
from tiewise.data.sources.local import LocalSource
from tiewise.data.sources.reranking import RerankingSource
from tiewise.data.texts import TextJoin
from tiewise.errors import InputError
from tiewise.store.blocks import check_name, read_yaml, validate_block

AnySource = Annotated[
    CweSource | HubSource | Icd10cmSource | IrDatasetsSource | LocalSource | RerankingSource,
    Field(discriminator="kind", description="Where the tables come from."),
]
AnyCandidates = Annotated[
    Bm25Candidates | GivenCandidates,
    Field(discriminator="kind", description="The first stage: which documents are ranked."),
]


class ExpectedCounts(BaseModel):
    """Rows of the normal form before a smaller sample is taken; a difference is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    n_documents: int | None = Field(default=None, ge=1, description="Documents in the corpus.")
    n_queries: int | None = Field(default=None, ge=1, description="Queries with judgements.")
    n_qrels: int | None = Field(default=None, ge=1, description="Judgements, of any grade.")
    n_relevant: int | None = Field(default=None, ge=1, description="Judgements above 0.")


class DatasetSpec(BaseModel):
    """Keys of a data set's block."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(
        pattern=r"^[a-z0-9][a-z0-9._-]*$",
        description="Name of the data set: the stem of its file, and the folder of its artifacts.",
    )
    title: str = Field(min_length=1, description="Name as tables and figures show it.")
    protocol: str | None = Field(
        default=None, description="Whose choices the keys follow, such as mteb or paper."
    )
    description: str = Field(default="", description="What the task is, in one or two sentences.")
    source: AnySource
    n_queries: int | None = Field(
        default=None,
        ge=1,
        description="Take only so many queries, always the first by hash: a smaller number gives"
        " a subset of a larger one. Left out: all.",
    )
    n_documents: int | None = Field(
        default=None,
        ge=1,
        description="Take only so many documents: every judged one, then the first by hash."
        " For miniature studies. Left out: all.",
    )
    text: TextJoin = Field(
        default="strip", description="How a document's title and text become what a model reads."
    )
    grades: dict[int, str] = Field(
        default={}, description="What each grade means, for the reader of a report."
    )
    relevant_grades: list[float] | None = Field(
        default=None,
        description="Grades that count as relevant; every other becomes 0. Left out: all above 0.",
    )
    queries: Literal["judged", "relevant"] = Field(
        default="judged",
        description="Queries to keep: those with a judgement, or those with a relevant document.",
    )
    judgements: Literal["all", "candidates"] = Field(
        default="all",
        description="Judgements that count: all, or those of candidates only, so that a relevant"
        " document which the first stage missed costs nothing.",
    )
    ignore_identical_ids: bool = Field(
        default=False,
        description="Leave out a candidate that has the id of its query: the query's own text.",
    )
    candidates: AnyCandidates
    expected: ExpectedCounts = Field(
        default=ExpectedCounts(), description="Counts that the source must have."
    )
    licence: str = Field(min_length=1, description="Terms under which the data may be used.")
    citation: str = Field(min_length=1, description="What to cite.")


def load_dataset_spec(path: str | os.PathLike[str]) -> DatasetSpec:
    """Read and check the block of a data set.

    Parameters
    ----------
    path : path
        A YAML file; its stem must be the block's `name`. Its key ``extends`` may name other YAML
        files, relative to it, whose keys hold where it does not say otherwise; of several files the
        last one that has a key decides.

    Returns
    -------
    DatasetSpec
        The checked block.

    Raises
    ------
    InputError
        A file is missing or the block breaks the model: all problems at once, with the nearest
        names.
    """
    spec = validate_block(_extended(Path(path), ()), DatasetSpec, where=str(path))
    check_name(spec, path)
    return spec


def _extended(path: Path, above: tuple[Path, ...]) -> dict[str, Any]:
    """Read a block with the keys of the files that it extends."""
    if path.resolve() in above:
        raise InputError(f"{path}: extends: goes round in a circle")
    own = read_yaml(path)
    named = own.pop("extends", [])
    bases = [named] if isinstance(named, str) else named
    if not (isinstance(bases, list) and all(isinstance(base, str) for base in bases)):
        raise InputError(f"{path}: extends: found {named!r}, not the name of a file or several")
    block: dict[str, Any] = {}
    for base in bases:
        block |= _extended(path.parent / base, (*above, path.resolve()))
    return block | own
