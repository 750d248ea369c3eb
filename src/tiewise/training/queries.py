"""Queries to train on, that share no judged document with the queries to test on."""

from __future__ import annotations

import logging
from dataclasses import replace

import polars as pl

from tiewise.data.normal import Dataset, normalise
from tiewise.data.sources.icd10cm import Icd10cmSource
from tiewise.data.spec import DatasetSpec
from tiewise.errors import InputError

log = logging.getLogger(__name__)


def build_training_set(spec: DatasetSpec, test: Dataset) -> Dataset:
    """Take every query of a source that has nothing in common with a test sample.

    Parameters
    ----------
    spec : DatasetSpec
        Block of the test sample; its source must be ICD-10-CM, which has more queries than any
        sample takes.
    test : Dataset
        The sample. Queries with a document that is judged in it are left out, and so are whole
        categories of diagnoses.

    Returns
    -------
    Dataset
        In the normal form, with the corpus of `test`; queries in the order of their ids, which
        are hashes.

    Raises
    ------
    InputError
        A source of another kind.
    """
    if not isinstance(spec.source, Icd10cmSource):
        said = f"source {spec.source.kind} has no queries beside the sample; legal: icd10cm"
        raise InputError(f"{spec.name}: {said}")
    every = normalise(spec.source.read_every_term(), spec.name)
    tested = every.qrels.filter(pl.col("doc_id").is_in(test.qrels["doc_id"].implode()))
    apart = every.queries.join(tested, on="query_id", how="anti").sort("query_id")
    qrels = every.qrels.join(apart, on="query_id", how="semi", maintain_order="left")
    left_out = every.queries.height - apart.height
    log.info("%s: %d queries to train on, %d left out", spec.name, apart.height, left_out)
    return replace(every, corpus=test.corpus, queries=apart, qrels=qrels)
