"""Forward passes: the expensive artifact, one pass per model dtype for all of its regimes."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from tiewise.data.texts import document_texts
from tiewise.errors import InputError
from tiewise.models.source import WEIGHTS
from tiewise.models.spec import ModelSpec
from tiewise.precision.regimes import Dtype
from tiewise.store.artifacts import read_artifact, write_artifact, writing
from tiewise.study.keys import file_hash, key
from tiewise.study.layout import RESULTS, Layout
from tiewise.study.provenance import provenance, rows_hash
from tiewise.study.reading import trained_at
from tiewise.study.sources import PACKAGE, source_hash

if TYPE_CHECKING:
    from tiewise.models.batches import BatchRule
    from tiewise.study.config import Study

log = logging.getLogger(__name__)
PAPER_BATCH = 16


def run_model(
    study: Study,
    *,
    dataset: str,
    model: str,
    dtype: Dtype,
    weights: list[Path],
    corpus: Path,
    queries: Path,
    candidates: Path,
    logits: Path,
    threads: int = 1,
    layout: Layout = RESULTS,
) -> None:
    """Run a model in one dtype over a data set, and while it is loaded over the others too.

    Finished logits also stay in a cache under a hash of all that they depend on, and so do the
    finished shards of logits that are not. The jobs of other data sets find theirs there, so on one
    machine a model is loaded once; on several each job begins with its own data set, and leaves out
    what another has begun. When a job is killed nothing is computed again, although Snakemake
    deletes all outputs of a job that fails or reruns.
    """
    spec = trained_at(study.models[model], weights)
    tables = {"corpus": corpus, "queries": queries, "candidates": candidates}
    own = _Unit(study, spec, dtype, dataset, tables, layout)
    with own.alone():
        if own.cached.exists():
            log.info("%s: logits of %s in %s taken from the cache", dataset, model, dtype)
        else:
            own.forward(threads)
            _others(study, spec, dtype, dataset, threads, layout)
    with writing(logits) as part:
        shutil.copyfile(own.cached, part)


def _others(
    study: Study, spec: ModelSpec, dtype: Dtype, dataset: str, threads: int, layout: Layout
) -> None:
    """Run the model over the other data sets that are there, and that no other job has begun."""
    for name in study.datasets:
        tables = {t: layout.data(name, t) for t in ("corpus", "queries", "candidates")}
        if name == dataset or not all(path.exists() for path in tables.values()):
            continue
        try:
            unit = _Unit(study, spec, dtype, name, tables, layout)
            with unit.alone(wait=False):
                if not unit.cached.exists():
                    unit.forward(threads)
        except Timeout:
            log.info("%s: another job runs %s in %s", name, spec.name, dtype)
        except InputError as error:
            log.info("%s: left to its own job: %s", name, error)


class _Unit:
    """One model in one dtype on one data set, and its place in the cache."""

    def __init__(
        self,
        study: Study,
        spec: ModelSpec,
        dtype: Dtype,
        name: str,
        tables: Mapping[str, Path],
        layout: Layout,
    ) -> None:
        self._study, self._spec, self._dtype, self._name = study, spec, dtype, name
        self._tables = {table: read_artifact(path) for table, path in tables.items()}
        self.cached = layout.cache(self._key())

    def _key(self) -> str:
        """Hash all that logits depend on: texts, model, dtype, parts of the config, code."""
        about = {"model": self._spec.name, "dtype": self._dtype, "dataset": self._name}
        source = self._spec.source
        return rows_hash(
            self._tables.values(),
            json.dumps(key(self._study, "logits", about)),
            file_hash(Path(str(source.path), WEIGHTS)) if source.recipe else "",
            self._dtype,
            source_hash(PACKAGE / "models" / "logits.py"),
        )

    def alone(self, wait: bool = True) -> FileLock:
        """Keep other jobs from the same unit; raise where one has begun it, or wait for it."""
        self.cached.parent.mkdir(parents=True, exist_ok=True)
        return FileLock(self.cached.with_suffix(".lock"), timeout=-1 if wait else 0)

    def forward(self, threads: int) -> None:
        """Run the model, and put its logits into the cache."""
        import torch

        from tiewise.models.logits import compute_logits

        torch.set_num_threads(threads)
        corpus, config = self._tables["corpus"], self._study.config
        text = document_texts(corpus, self._study.datasets[self._name].text)
        shards = self.cached.with_suffix(".shards")
        frame, facts = compute_logits(
            self._spec,
            self._dtype,
            queries=self._tables["queries"],
            corpus=corpus.select("doc_id", text=text),
            candidates=self._tables["candidates"],
            dataset=self._name,
            arithmetic=config.arithmetic,
            device=config.device,
            batch_rule=_batch_rule(self._study),
            shards=shards,
        )
        log.info("%s: %d rows of logits, %s", self._name, frame.height, facts)
        about = {"dataset": self._name, "model": self._spec.name}
        note = provenance(self._study, **about, recipe=self._spec.source.recipe, **facts)
        write_artifact(frame, self.cached, provenance=note)
        shutil.rmtree(shards)


def _batch_rule(study: Study) -> BatchRule | None:
    """Batches as the config says; None for as many tokens as the device can take."""
    from tiewise.models.batches import BatchRule

    rule, size = study.config.batch_rule, study.config.batch_size
    if rule == "tokens" and size is None:
        return None
    return BatchRule(rule, size or PAPER_BATCH)
