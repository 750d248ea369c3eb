"""Forward passes: the expensive artifact, one pass per model dtype for all of its regimes."""

from __future__ import annotations

import json
import logging
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tiewise.data.texts import document_texts
from tiewise.models.source import WEIGHTS
from tiewise.models.spec import ModelSpec
from tiewise.precision.regimes import Dtype
from tiewise.store.artifacts import read_artifact, write_artifact, writing
from tiewise.study.keys import file_hash, key
from tiewise.study.layout import RESULTS, Layout
from tiewise.study.provenance import provenance, rows_hash
from tiewise.study.sources import PACKAGE, source_hash

if TYPE_CHECKING:
    from tiewise.models.batches import BatchRule
    from tiewise.study.config import Study

log = logging.getLogger(__name__)
PAPER_BATCH = 16


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
            _forward(study, layout.located(study.models[model]), dtype, name, cached, layout)
        with writing(layout.logits(name, model, dtype)) as part:
            shutil.copyfile(cached, part)


def _logits_key(study: Study, model: str, dtype: str, name: str, layout: Layout) -> str:
    """Hash all that logits depend on: texts, model, dtype, arithmetic, device, batches, code."""
    here = replace(study, datasets={name: study.datasets[name]})
    spec = layout.located(study.models[model])
    trained = Path(str(spec.source.path), WEIGHTS) if spec.source.recipe else None
    tables = (layout.data(name, table) for table in ("corpus", "queries", "candidates"))
    return rows_hash(
        (read_artifact(table) for table in tables),
        json.dumps(key(here, "logits", {"model": model, "dtype": dtype, "dataset": name})),
        file_hash(trained) if trained else "",
        dtype,
        source_hash(PACKAGE / "models" / "logits.py"),
    )


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
    note = provenance(study, dataset=name, model=spec.name, recipe=spec.source.recipe, **facts)
    write_artifact(frame, target, provenance=note)
    shutil.rmtree(shards)
