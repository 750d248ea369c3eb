"""The steps of a study, one function a rule: artifacts in, artifacts out.

Every step finds its artifacts through `Layout` and can be called from Python as the workflow calls
it; a step that is repeated writes the same rows.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
from tqdm import tqdm

from tiewise.data import Dataset, build_candidates, build_dataset, document_texts
from tiewise.errors import InputError, Problems
from tiewise.judging.evaluate import average, evaluate
from tiewise.models.spec import ModelSpec
from tiewise.precision.regimes import Dtype
from tiewise.runs.ties import tie_statistics
from tiewise.store.artifacts import read_artifact, read_provenance, write_artifact, writing
from tiewise.study.config import Study, fingerprint
from tiewise.study.layout import RESULTS, Layout
from tiewise.study.provenance import provenance, rows_hash, source_hash
from tiewise.study.reading import read_qrels, read_run

if TYPE_CHECKING:
    from tiewise.models.batches import BatchRule

log = logging.getLogger(__name__)
DATA_TABLES = ("corpus", "queries", "qrels")
PAPER_BATCH = 16


def prefetch(study: Study) -> None:
    """Bring everything that a study needs to this machine, for one that will be offline.

    What cannot be had is named at the end, all at once; the rest is fetched all the same.
    """
    from tiewise.models.source import model_folder

    problems = Problems()
    sources = {name: spec.source.fetch for name, spec in study.datasets.items()}
    models = {name: partial(model_folder, spec.source) for name, spec in study.models.items()}
    for name, fetch in tqdm((sources | models).items(), disable=not sys.stderr.isatty()):
        try:
            fetch()
            log.info("%s is here", name)
        except InputError as error:
            problems += [f"{name}: {problem}" for problem in error.problems]
    problems.stop()


def dataset(study: Study, name: str, layout: Layout = RESULTS) -> None:
    """Bring a data set into the normal form: corpus, queries, qrels."""
    built = build_dataset(study.datasets[name])
    note = provenance(study, dataset=name, facts=built.facts)
    for table in DATA_TABLES:
        frame = getattr(built, table)
        log.info("%s: %d rows in %s", name, frame.height, table)
        write_artifact(frame, layout.data(name, table), provenance=note, kind=table)


def candidates(study: Study, name: str, layout: Layout = RESULTS) -> None:
    """Choose the documents that models rank for each query of a data set."""
    chosen, facts = build_candidates(study.datasets[name], read_dataset(name, layout))
    note = provenance(study, dataset=name, facts=facts)
    write_artifact(chosen, layout.data(name, "candidates"), provenance=note, kind="candidates")


def self_test(study: Study, model: str, layout: Layout = RESULTS) -> None:
    """Check the known values of a model; one that is off stops everything that needs the model."""
    from tiewise.models.self_test import check_model

    config = study.config
    found = check_model(study.models[model], device=config.device, arithmetic=config.arithmetic)
    write_artifact(found, layout.self_test(model), provenance=provenance(study, model=model))


def logits(
    study: Study, model: str, dtype: Dtype, threads: int = 1, layout: Layout = RESULTS
) -> None:
    """Run a model in one dtype over every data set, each of them at most once.

    Finished logits also stay in a cache under a hash of all that they depend on, and so do the
    finished shards of logits that are not. So when a job is killed, a later data set fails, or one
    is added to the study, nothing is computed again, although Snakemake deletes all outputs of a
    job that fails or reruns.
    """
    import torch

    torch.set_num_threads(threads)
    for name in study.datasets:
        cached = layout.cache(_logits_key(study, model, dtype, name, layout))
        if cached.exists():
            log.info("%s: logits of %s in %s taken from the cache", name, model, dtype)
        else:
            _forward(study, study.models[model], dtype, name, cached, layout)
        with writing(layout.logits(name, model, dtype)) as part:
            shutil.copyfile(cached, part)


def scores(study: Study, model: str, layout: Layout = RESULTS) -> None:
    """Apply a model's scoring function in the score dtype of each regime."""
    from tiewise.models.scores import score_candidates

    for name in study.datasets:
        chosen = read_artifact(layout.data(name, "candidates"))
        for dtype in study.dtypes:
            path = layout.logits(name, model, dtype)
            output, note = read_artifact(path), read_provenance(path)
            for regime in study.regimes_of(dtype):
                frame = score_candidates(
                    study.models[model],
                    output,
                    chosen,
                    regime,
                    on_nonfinite=study.config.on_nonfinite,
                )
                write_artifact(
                    frame,
                    layout.scores(name, model, regime.name),
                    provenance=note | {"regime": regime.name, "score_dtype": regime.score_dtype},
                    kind="scores",
                )


def metrics(study: Study, model: str, layout: Layout = RESULTS) -> None:
    """Judge a model's scores in every regime, per query, under every tie policy."""
    config = study.config
    for name, regime in layout.cells(study):
        qrels = read_qrels(study, name, layout)
        path = layout.scores(name, model, regime)
        run = read_run(study, path)
        frames = [
            evaluate(
                qrels,
                run,
                config.measures,
                policy=policy,
                score_type=config.score_type,
                per_query=True,
                empty=config.empty,
                missing=config.missing,
            )
            for policy in config.policies
        ]
        note = read_provenance(path) | {"policies": config.policies}
        write_artifact(
            pl.concat(frames), layout.metrics(name, model, regime), provenance=note, kind="metrics"
        )


def ties(study: Study, model: str, layout: Layout = RESULTS) -> None:
    """Count the ties of a model's scores in every regime, and those that FP32 does not have."""
    for name, regime in layout.cells(study):
        path = layout.scores(name, model, regime)
        reference = layout.scores(name, model, "fp32") if "fp32" in study.regimes else None
        frame = tie_statistics(read_run(study, path), reference and read_run(study, reference))
        write_artifact(
            frame,
            layout.ties(name, model, regime),
            provenance=read_provenance(path),
            kind="ties",
        )


def summary(study: Study, layout: Layout = RESULTS) -> None:
    """Average the measures over queries: one row per cell, measure and tie policy."""
    rows, notes = [], {}
    for model in study.models:
        for name, regime in layout.cells(study):
            path = layout.metrics(name, model, regime)
            note = notes[f"{name}/{model}/{regime}"] = read_provenance(path)
            cell = {
                "dataset": name,
                "model": model,
                "regime": regime,
                "arithmetic": note["arithmetic"],
            }
            averages = average(read_artifact(path))
            rows.append(averages.select(*_literals(cell), pl.all()))
    write_artifact(
        pl.concat(rows), layout.summary(), provenance=provenance(study, cells=notes), kind="summary"
    )


def read_dataset(name: str, layout: Layout = RESULTS) -> Dataset:
    """Read a data set's tables."""
    corpus, queries, qrels = (read_artifact(layout.data(name, table)) for table in DATA_TABLES)
    return Dataset(corpus, queries, qrels)


def _logits_key(study: Study, model: str, dtype: str, name: str, layout: Layout) -> str:
    tables = (layout.data(name, table) for table in ("corpus", "queries", "candidates"))
    return rows_hash(
        (read_artifact(table) for table in tables),
        fingerprint(study.models[model]),
        *_weights(study.models[model]),
        dtype,
        study.config.arithmetic,
        study.config.device,
        str(_batch_rule(study)),
        source_hash("models", "precision"),
    )


def _weights(spec: ModelSpec) -> Iterator[str]:
    """Hash the weights of a model on this machine, which unlike other sources can change."""
    if spec.source.path is not None:
        for file in sorted(Path(spec.source.path, spec.source.folder).glob("*.safetensors")):
            with file.open("rb") as weights:
                yield hashlib.file_digest(weights, "sha256").hexdigest()


def _batch_rule(study: Study) -> BatchRule | None:
    """Batches as the config says; None for as many tokens as the device can take."""
    from tiewise.models.batches import BatchRule

    rule, size = study.config.batch_rule, study.config.batch_size
    if rule == "tokens" and size is None:
        return None
    return BatchRule(rule, size or PAPER_BATCH)


def _forward(
    study: Study, spec: ModelSpec, dtype: Dtype, name: str, target: Path, layout: Layout
) -> None:
    from tiewise.models.logits import compute_logits

    corpus = read_artifact(layout.data(name, "corpus"))
    shards = target.with_suffix(".shards")
    frame, facts = compute_logits(
        spec,
        dtype,
        queries=read_artifact(layout.data(name, "queries")),
        corpus=corpus.select("doc_id", text=document_texts(corpus, study.datasets[name].text)),
        candidates=read_artifact(layout.data(name, "candidates")),
        dataset=name,
        arithmetic=study.config.arithmetic,
        device=study.config.device,
        batch_rule=_batch_rule(study),
        shards=shards,
    )
    log.info("%s: %d rows of logits, %s", name, frame.height, facts)
    note: dict[str, Any] = provenance(study, dataset=name, model=spec.name, **facts)
    write_artifact(frame, target, provenance=note)
    shutil.rmtree(shards)


def _literals(cell: dict[str, str]) -> list[pl.Expr]:
    return [pl.lit(value).alias(key) for key, value in cell.items()]
