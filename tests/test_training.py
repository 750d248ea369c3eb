"""Training is deterministic, learns nothing that is tested, and leaves ordinary checkpoints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
import torch

from tiewise.data import build_dataset, load_dataset_spec
from tiewise.errors import InputError
from tiewise.models.logits import compute_logits
from tiewise.models.source import model_folder
from tiewise.models.spec import load_model_spec
from tiewise.training.finetune import (
    HEADS,
    TrainingList,
    divide_into_steps,
    finetune,
    save_checkpoint,
)
from tiewise.training.queries import build_training_set
from tiewise.training.recipe import load_recipe

ROOT = Path(__file__).resolve().parent.parent
RECIPE = load_recipe(ROOT / "config" / "training" / "icd10cm-reranker.yaml")
BASE = load_model_spec(ROOT / "config" / "models" / f"{RECIPE.base}.yaml")
ICD = load_dataset_spec(ROOT / "config" / "datasets" / f"{RECIPE.dataset}.yaml")
LISTS = [
    TrainingList("heart attack", ("Acute myocardial infarction", "Cough"), (1.0, 0.0), (0.6, 0.1)),
    TrainingList("swollen lymph nodes", ("Enlarged glands", "Headache"), (1.0, 0.0), (0.5, 0.2)),
] * 4


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Train twice on the same lists."""
    torch.set_num_threads(1)
    folders = []
    base = model_folder(BASE.source)
    for number in range(2):
        folder = tmp_path_factory.mktemp(f"run{number}")
        model = finetune(base, LISTS, RECIPE)
        for head, rows in HEADS.items():
            save_checkpoint(model, base, rows, folder / head)
        folders.append(folder)
    return folders


def test_the_same_lists_give_the_same_weights(checkpoints: list[Path]) -> None:
    for head in HEADS:
        one, other = ((folder / head / "model.safetensors").read_bytes() for folder in checkpoints)
        assert one == other


@pytest.mark.parametrize(("head", "n_logits"), [("sigmoid", 1), ("softmax", 2)])
def test_the_ordinary_adapter_loads_each_head(
    checkpoints: list[Path], head: str, n_logits: int
) -> None:
    spec = load_model_spec(ROOT / "config" / "models" / f"icd10cm-reranker-{head}.yaml")
    source = spec.source.model_copy(update={"path": str(checkpoints[0] / head)})
    pairs = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["right", "wrong"]})
    logits, facts = compute_logits(
        spec.model_copy(update={"source": source}),
        "fp32",
        queries=pl.DataFrame({"query_id": ["q"], "text": [LISTS[0].query]}),
        corpus=pl.DataFrame({"doc_id": ["right", "wrong"], "text": LISTS[0].documents}),
        candidates=pairs,
    )
    assert logits["logits"].dtype == pl.Array(pl.Float32, n_logits)
    assert facts["n_nonfinite"] == 0
    assert logits["logits"].to_numpy().std(axis=0).min() > 0


@pytest.mark.parametrize("n_lists", [1, 4, 66, 150])
def test_every_list_is_trained_on_once_whatever_its_length(n_lists: int) -> None:
    lists = [replace(LISTS[0], query=f"{n} " * (n % 7 + 1)) for n in range(n_lists)]
    steps = divide_into_steps(lists, RECIPE)
    assert sorted(one.query for step in steps for one in step) == sorted(o.query for o in lists)
    assert all(0 < len(step) <= RECIPE.queries_a_step for step in steps)


def test_no_query_to_train_on_shares_a_judged_document_with_the_sample() -> None:
    sample = build_dataset(ICD)
    apart = build_training_set(ICD, sample)
    assert apart.queries.height > RECIPE.n_queries
    assert set(apart.qrels["doc_id"]) & set(sample.qrels["doc_id"]) == set()
    assert set(apart.queries["query_id"]) & set(sample.queries["query_id"]) == set()
    assert set(apart.qrels["query_id"]) == set(apart.queries["query_id"])


def test_a_source_with_no_other_queries_is_refused() -> None:
    cwe = load_dataset_spec(ROOT / "config" / "datasets" / "cwe.yaml")
    with pytest.raises(InputError, match="no queries beside the sample"):
        build_training_set(cwe, build_dataset(cwe))
