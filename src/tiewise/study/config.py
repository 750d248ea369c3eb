"""The typed config of a study; whatever is wrong with it is said before any job starts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from tiewise import measures
from tiewise.data.spec import DatasetSpec, load_dataset_spec
from tiewise.errors import Problems, did_you_mean, some
from tiewise.models.spec import ModelSpec, load_model_spec
from tiewise.precision.regimes import Regime
from tiewise.runs.policies import parse_policy
from tiewise.store.blocks import fingerprint, validate_block
from tiewise.training.recipe import Recipe, load_recipe

T = TypeVar("T")
CUTOFFS = (1, 3, 5, 10, 20, 50, 100)
DEFAULT_MEASURES = [f"{m}@{k}" for m in ("nDCG", "RR", "AP", "R") for k in CUTOFFS]


class StudyConfig(BaseModel):
    """Keys of a study's config file; `config/README.md` explains each."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    study: str = Field(
        pattern=r"^[a-z0-9][a-z0-9._-]*$", description="Name of the study, shown in every footer."
    )
    datasets: list[str] = Field(
        min_length=1, description="Data sets: names of blocks under `<catalog>/datasets/`."
    )
    models: list[str] = Field(
        min_length=1, description="Models: names of blocks under `<catalog>/models/`."
    )
    regimes: list[str] = Field(
        default=["fp32", "bf16", "fp16", "bf16-hps", "fp16-hps"],
        min_length=1,
        description="Precision regimes: model dtype, and score dtype where it differs.",
    )
    measures: list[str] = Field(
        default=DEFAULT_MEASURES, min_length=1, description="Measures, each with its cut-off."
    )
    table_measures: list[str] = Field(
        default=["nDCG@10", "RR@10"],
        min_length=1,
        description="Measures that the tables show; each must be among `measures`.",
    )
    policies: list[str] = Field(
        default=["input", "trec"],
        min_length=1,
        description="Tie policies of the oblivious value; tables and figures show the first.",
    )
    score_type: Literal["float64", "float32"] = Field(
        default="float64", description="What counts as equal when scores are compared."
    )
    empty: Literal["zero", "skip"] = Field(
        default="zero", description="Queries without relevant documents: score 0, or left out."
    )
    missing: Literal["zero", "skip"] = Field(
        default="zero", description="Judged queries without candidates: score 0, or left out."
    )
    arithmetic: Literal["auto", "native", "simulated"] = Field(
        default="auto",
        description="How a low precision is computed; auto takes native where the device can.",
    )
    device: str = Field(default="auto", description="auto, cpu, cuda, cuda:N or mps.")
    batch_rule: Literal["tokens", "fixed"] = Field(
        default="tokens",
        description="Batches of a number of tokens, longest first; or of a number of inputs of one"
        " query, in the data set's order, as the paper did.",
    )
    batch_size: int | None = Field(
        default=None,
        ge=1,
        description="Tokens or inputs of a batch; left out: tokens as the device can take, or the"
        " paper's 16 inputs.",
    )
    self_test: bool = Field(
        default=True,
        description="Check each model's known values before its first scoring; stand-ins for a"
        " model have other values.",
    )
    on_nonfinite: Literal["last", "error"] = Field(
        default="last", description="NaN or infinite logits: counted and ranked last, or an error."
    )
    catalog: list[str] = Field(
        default=["config"],
        min_length=1,
        description="Folders, relative to the repository, that hold `models/` and `datasets/`.",
    )


@dataclass(frozen=True)
class Study:
    """A checked config with the blocks that it names.

    Attributes
    ----------
    config : StudyConfig
        The keys of the config file.
    datasets, models : dict
        Blocks by name, in the config's order.
    regimes : dict
        Precision regimes by name, in the config's order.
    recipes, bases : dict
        How the study trains rerankers of its own, and the models that they start from, by name
        of the recipe.
    """

    config: StudyConfig
    datasets: dict[str, DatasetSpec]
    models: dict[str, ModelSpec]
    regimes: dict[str, Regime]
    recipes: dict[str, Recipe]
    bases: dict[str, ModelSpec]

    @property
    def name(self) -> str:
        """Name of the study."""
        return self.config.study

    @property
    def dtypes(self) -> list[str]:
        """Model dtypes, each once: one forward pass serves every regime of one."""
        return list(dict.fromkeys(regime.model_dtype for regime in self.regimes.values()))

    @property
    def hash(self) -> str:
        """Fingerprint of the whole study."""
        trained = [*self.recipes.values(), *self.bases.values()]
        return fingerprint(self.config, *self.datasets.values(), *self.models.values(), *trained)

    @property
    def cells(self) -> list[tuple[str, str, str]]:
        """Every data set, model and regime, in the order in which averages list them."""
        return [(d, m, r) for m in self.models for d in self.datasets for r in self.regimes]

    def regimes_of(self, dtype: str) -> list[Regime]:
        """Precision regimes that one model dtype serves."""
        return [regime for regime in self.regimes.values() if regime.model_dtype == dtype]


def load_study(raw: Mapping[str, Any], root: Path) -> Study:
    """Check a study's config and read the blocks that it names.

    Parameters
    ----------
    raw : mapping
        The config as read from YAML.
    root : pathlib.Path
        The repository; catalog folders are relative to it.

    Returns
    -------
    Study
        The checked study.

    Raises
    ------
    InputError
        Everything that is wrong: misspelt keys, unknown models, data sets, regimes, measures and
        policies, each with the nearest legal name.
    """
    problems = Problems()
    config = problems.attempt(validate_block, raw, StudyConfig, "config")
    if config is None:
        # The names can still be checked, so that one run of the command shows every mistake.
        config = StudyConfig.model_construct(**_usable(raw))
    blocks = partial(_blocks, problems, config.catalog, root)
    datasets = blocks("datasets", config.datasets, load_dataset_spec)
    models = blocks("models", config.models, load_model_spec)
    regimes = {
        name: regime
        for name in config.regimes
        if (regime := problems.attempt(Regime.parse, name)) is not None
    }
    for name in dict.fromkeys([*config.measures, *config.table_measures]):
        problems.attempt(measures.parse, name)
    for name in config.policies:
        problems.attempt(parse_policy, name)
    problems += _disagreements(config, root)
    made_by = (spec.source.recipe for spec in models.values())
    recipes = blocks("training", filter(None, made_by), load_recipe)
    bases = blocks("models", [recipe.base for recipe in recipes.values()], load_model_spec)
    bases = {name: bases[recipe.base] for name, recipe in recipes.items() if recipe.base in bases}
    problems += [
        f"config: datasets: recipe {name} needs {recipe.dataset!r} among them"
        for name, recipe in recipes.items()
        if recipe.dataset not in config.datasets
    ]
    problems.stop()
    return Study(config, datasets, models, regimes, recipes, bases)


def _usable(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the keys whose values are legal on their own; an empty list stands for a lost one."""
    kept: dict[str, Any] = {"datasets": [], "models": []}
    for key, field in StudyConfig.model_fields.items():
        value = raw.get(key, kept.get(key, field.default))
        if isinstance(field.default, list) or key in kept:
            names = value if isinstance(value, list) else []
            kept[key] = [name for name in names if isinstance(name, str)]
        else:
            kept[key] = value
    return kept


def _blocks(
    problems: Problems,
    catalog: Iterable[str],
    root: Path,
    topic: str,
    names: Iterable[str],
    load: Callable[[Path], T],
) -> dict[str, T]:
    """Read the blocks of one topic that are named; the first catalog that has one wins."""
    paths: dict[str, Path] = {}
    for folder in reversed(list(catalog)):
        paths |= {path.stem: path for path in sorted((root / folder / topic).glob("*.yaml"))}
    blocks = {}
    for name in dict.fromkeys(names):
        if name not in paths:
            said = did_you_mean(name, paths)
            problems.append(f"config: {topic}: no block named {name!r}; {said}")
            continue
        block = problems.attempt(load, paths[name])
        if block is not None:
            blocks[name] = block
    return blocks


def _disagreements(config: StudyConfig, root: Path) -> Iterable[str]:
    for key in ("datasets", "models", "regimes", "measures", "table_measures", "policies"):
        values = getattr(config, key)
        twice = sorted({value for value in values if values.count(value) > 1})
        if twice:
            yield f"config: {key}: named more than once, {some(twice)}"
    for folder in config.catalog:
        if not (root / folder).is_dir():
            yield f"config: catalog: no such folder: {folder}"
    absent = [name for name in config.table_measures if name not in config.measures]
    if absent:
        yield f"config: table_measures: not among measures, {some(absent)}"
