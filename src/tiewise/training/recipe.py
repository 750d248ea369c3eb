"""The block that describes how a study trains rerankers of its own."""

from __future__ import annotations

import os

from pydantic import Field

from tiewise.models.spec import Block
from tiewise.store.blocks import read_block


class Recipe(Block):
    """How a cross-encoder is trained; `config/training/NAME.yaml`."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]*$", description="Name of the recipe.")
    base: str = Field(description="Name of the model block that gives tokenizer and layers.")
    dataset: str = Field(description="Name of the data set block whose other queries it learns.")
    layers: list[int] = Field(min_length=1, description="Layers of the base that are kept.")
    n_queries: int = Field(gt=0, description="Queries to train on, the first by hash.")
    n_siblings: int = Field(ge=0, description="Documents of grade 1 in a query's list.")
    n_negatives: int = Field(gt=0, description="Candidates without a judgement in it.")
    hardest: int = Field(gt=0, description="First candidates that negatives are drawn from.")
    queries_a_step: int = Field(gt=0, description="Lists in an optimiser step.")
    learning_rate: float = Field(gt=0, description="Peak of the learning rate.")
    distillation: float = Field(
        ge=0, description="Weight of the base's similarities, beside 1 of the judgements."
    )
    temperature: float = Field(
        gt=0, description="Difference of similarities that is a difference of 1 between logits."
    )
    max_length: int = Field(gt=8, description="Tokens of a pair.")
    seed: int = Field(ge=0, description="Seed of lists and of new weights.")


def load_recipe(path: str | os.PathLike[str]) -> Recipe:
    """Read a recipe from a YAML file; `InputError` names all of its problems."""
    return read_block(path, Recipe)
