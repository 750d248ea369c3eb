"""Miniature random checkpoints under the real repository ids and revisions of shipped models."""

from __future__ import annotations

from pathlib import Path

from hub_double.server import Repository
from model_factory import change_config, make_checkpoint
from tiewise.models.spec import ModelSpec

CLASSES = {
    "qwen3-reranker-0.6b": "Qwen3ForCausalLM",
    "bge-reranker-v2-m3": "XLMRobertaForSequenceClassification",
    "gte-multilingual-reranker-base": "GteForSequenceClassification",
    "qwen3-embedding-0.6b": "Qwen3Model",
    "multilingual-e5-large": "XLMRobertaModel",
}
"""The class that each shipped model of the hub has."""


def repository(spec: ModelSpec, folder: Path) -> Repository:
    """Make a miniature of a shipped model in a folder and return it as a repository."""
    make_checkpoint(CLASSES[spec.name], folder)
    if spec.name.startswith("gte"):
        # As its authors published it: for code of their own, which the block's changes replace.
        change_config(
            folder,
            model_type="new",
            architectures=["NewForSequenceClassification"],
            auto_map={"AutoConfig": "Alibaba-NLP/new-impl--configuration.NewConfig"},
            rope_scaling={"type": "ntk", "factor": 8.0},
            rope_theta=20000,
            rope_parameters=None,
        )
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    return Repository(str(spec.source.hub), str(spec.source.revision), files, kind="model")
