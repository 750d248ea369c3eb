"""Data sets: from a source to the normal form, and the candidates that models rank.

A data set is described by one block (`DatasetSpec`). `build_dataset` reads its source into the
normal form, `build_candidates` adds what the first stage found.
"""

from tiewise.data.build import build_dataset
from tiewise.data.candidates import build_candidates, effective_qrels
from tiewise.data.normal import Dataset
from tiewise.data.spec import DatasetSpec, load_dataset_spec
from tiewise.data.texts import document_texts

__all__ = [
    "Dataset",
    "DatasetSpec",
    "build_candidates",
    "build_dataset",
    "document_texts",
    "effective_qrels",
    "load_dataset_spec",
]
