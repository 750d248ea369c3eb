"""Train the rerankers of a recipe on queries that the study does not test."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tiewise.data.candidates import build_candidates
from tiewise.data.normal import Dataset
from tiewise.data.texts import document_texts
from tiewise.models.logits import compute_logits
from tiewise.models.source import model_folder
from tiewise.models.spec import ModelSpec
from tiewise.study.reading import read_dataset
from tiewise.training.finetune import HEADS, TrainingList, finetune, save_checkpoint
from tiewise.training.queries import build_training_set
from tiewise.training.recipe import Recipe

if TYPE_CHECKING:
    from tiewise.study.config import Study

REPRODUCIBLE = "AUTO,STRICT"
"""MKL's mode in which the same input gives the same bits."""
log = logging.getLogger(__name__)


def train_rerankers(
    study: Study,
    *,
    recipe: str,
    corpus: Path,
    queries: Path,
    qrels: Path,
    sigmoid: Path,
    softmax: Path,
    threads: int = 1,
) -> None:
    """Train a recipe's cross-encoder and save the weights of a checkpoint for each of its heads."""
    import torch

    # MKL else schedules products, and so rounds their sums, as the moment has it. It reads this
    # before its first product in a process, and here none was made yet.
    os.environ.setdefault("MKL_CBWR", REPRODUCIBLE)
    torch.set_num_threads(threads)
    todo, base = study.recipes[recipe], study.bases[recipe]
    spec = study.datasets[todo.dataset]
    apart = build_training_set(spec, read_dataset(corpus, queries, qrels))
    asked = apart.queries.head(todo.n_queries)
    grades = apart.qrels.join(asked, on="query_id", how="semi", maintain_order="left")
    learned = Dataset(apart.corpus, asked, grades)
    candidates, _ = build_candidates(spec, learned)
    pairs = pl.concat(_pairs(todo, learned, candidates))
    lists = list(_lists(base, learned, pairs))
    folder = model_folder(base.source)
    model = finetune(folder, lists, todo)
    for head, weights in {"sigmoid": sigmoid, "softmax": softmax}.items():
        save_checkpoint(model, folder, HEADS[head], weights.parent)


def _pairs(recipe: Recipe, data: Dataset, candidates: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Choose the documents of each query's list: the right one, siblings, hard negatives."""
    draw = np.random.default_rng(recipe.seed)
    judged = data.qrels.partition_by("query_id", maintain_order=True, as_dict=True)
    ranked = candidates.partition_by("query_id", maintain_order=True, as_dict=True)
    for query in data.queries["query_id"]:
        grades = judged[query,].sort("doc_id")
        right = grades.filter(pl.col("grade") == 2)["doc_id"].head(1).to_list()
        siblings = grades.filter(pl.col("grade") == 1)["doc_id"].to_list()
        found = ranked[query,]["doc_id"].to_list()
        wrong = [d for d in found if d not in set(grades["doc_id"])][: recipe.hardest]
        near = [d for d in siblings if d in set(found)]
        siblings = near if len(near) >= recipe.n_siblings else siblings
        chosen = {
            1.0: right,
            0.5: _some(draw, siblings, recipe.n_siblings),
            0.0: _some(draw, wrong, recipe.n_negatives),
        }
        yield pl.DataFrame(
            [(query, doc, gain) for gain, docs in chosen.items() for doc in docs],
            schema={"query_id": pl.String, "doc_id": pl.String, "gain": pl.Float64},
            orient="row",
        )


def _some(draw: np.random.Generator, ids: list[str], n: int) -> list[str]:
    return [ids[i] for i in draw.permutation(len(ids))[:n]]


def _lists(base: ModelSpec, data: Dataset, pairs: pl.DataFrame) -> Iterator[TrainingList]:
    """Give the chosen pairs their texts and the base model's similarity."""
    corpus = data.corpus.select("doc_id", text=document_texts(data.corpus))
    logits, _ = compute_logits(base, "fp32", queries=data.queries, corpus=corpus, candidates=pairs)
    vectors = {(side, one): np.array(vector) for side, one, vector in logits.iter_rows()}
    texts = dict(corpus.iter_rows())
    wording = dict(data.queries.select("query_id", "text").iter_rows())
    for (query,), rows in pairs.group_by("query_id", maintain_order=True):
        documents = rows["doc_id"].to_list()
        yield TrainingList(
            wording[query],
            tuple(texts[d] for d in documents),
            tuple(rows["gain"]),
            tuple(float(vectors["query", query] @ vectors["document", d]) for d in documents),
        )
