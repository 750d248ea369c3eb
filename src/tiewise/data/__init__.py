"""Data sets: from a source to the normal form, and the candidates that models rank.

A data set is described by one block (`DatasetSpec`). `build_dataset` reads its source into the
normal form, `build_candidates` adds what the first stage found. The names below load on first use,
so that who needs one file of this package does not depend on all.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiewise.data.build import build_dataset as build_dataset
    from tiewise.data.candidates import build_candidates as build_candidates
    from tiewise.data.judgements import effective_qrels as effective_qrels
    from tiewise.data.normal import Dataset as Dataset
    from tiewise.data.spec import DatasetSpec as DatasetSpec
    from tiewise.data.spec import load_dataset_spec as load_dataset_spec
    from tiewise.data.texts import document_texts as document_texts

_HOME = {
    "Dataset": "tiewise.data.normal",
    "DatasetSpec": "tiewise.data.spec",
    "build_candidates": "tiewise.data.candidates",
    "build_dataset": "tiewise.data.build",
    "document_texts": "tiewise.data.texts",
    "effective_qrels": "tiewise.data.judgements",
    "load_dataset_spec": "tiewise.data.spec",
}

__all__ = [*_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
