from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from model_factory import make_checkpoint, shipped
from sample_texts import small_task
from tiewise.errors import InputError
from tiewise.models.batches import BatchRule
from tiewise.models.inputs import prepare_inputs
from tiewise.models.logits import compute_logits
from tiewise.models.shards import _ahead
from tiewise.models.spec import ModelSpec
from tiewise.store.artifacts import write_artifact

TESTS = Path(__file__).resolve().parent
QUERIES, CORPUS, CANDIDATES = small_task(12, 10)


@pytest.fixture(scope="module")
def spec(tmp_path_factory):
    folder = make_checkpoint("XLMRobertaForSequenceClassification", tmp_path_factory.mktemp("m"))
    return shipped("bge-reranker-v2-m3", folder)


def logits(spec, **keys):
    tables = {"queries": QUERIES, "corpus": CORPUS, "candidates": CANDIDATES}
    return compute_logits(spec, "fp32", device="cpu", **tables, shard_size=20, **keys)


# Slow enough to be killed in the middle; each shard of 20 pairs is one batch.
SLOW = """
import sys, time
from pathlib import Path
sys.path.insert(0, {tests!r})
from test_models_shards import logits
from tiewise.models.kinds.sequence_classifier import SequenceClassifier
from tiewise.models.spec import ModelSpec

spec = ModelSpec.model_validate_json(Path({block!r}).read_text())
forward = SequenceClassifier.forward

def slow(self, batch):
    time.sleep(0.4)
    return forward(self, batch)

SequenceClassifier.forward = slow
logits(spec, shards={shards!r})
"""


def test_a_killed_job_goes_on_and_ends_with_the_same_file(spec, tmp_path):
    block, shards = tmp_path / "block.json", tmp_path / "shards"
    block.write_text(spec.model_dump_json())
    program = SLOW.format(tests=str(TESTS), block=str(block), shards=str(shards))
    job = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while len(list(shards.glob("shard-*"))) < 2:
        assert job.poll() is None, job.stderr.read().decode()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(job.pid, signal.SIGKILL)
    job.wait()
    job.stderr.close()
    finished = {path: path.stat().st_mtime_ns for path in shards.glob("shard-*")}
    assert 2 <= len(finished) < 6

    files = {}
    for name, folder in (("resumed", shards), ("undisturbed", tmp_path / "fresh"), ("none", None)):
        frame, facts = logits(spec, shards=folder)
        del facts["cost"]
        write_artifact(frame, tmp_path / name, provenance=facts)
        files[name] = (tmp_path / name).read_bytes()
    assert files["resumed"] == files["undisturbed"] == files["none"]
    assert {path: path.stat().st_mtime_ns for path in finished} == finished  # not done again


def test_shards_of_other_work_are_done_anew(spec, tmp_path, caplog):
    caplog.set_level("INFO")
    logits(spec, shards=tmp_path)
    other = spec.model_copy(update={"max_length": 400, "max_query_length": 300})
    logits(other, shards=tmp_path)
    assert caplog.text.count("is of other work") == 6
    caplog.clear()
    logits(other, shards=tmp_path)
    assert "is of other work" not in caplog.text


def test_a_damaged_shard_is_done_anew(spec, tmp_path):
    whole, _ = logits(spec, shards=tmp_path)
    (tmp_path / "shard-00001.safetensors").write_bytes(b"half a fi")
    assert logits(spec, shards=tmp_path)[0].equals(whole)


def test_parts_of_several_devices_make_the_whole(spec, tmp_path):
    whole, _ = logits(spec)
    parts = [logits(spec, part=(i, 4)) for i in range(4)]
    assert [facts["part"] for _, facts in parts] == ["1/4", "2/4", "3/4", "4/4"]
    together = pl.concat([frame for frame, _ in parts])
    on = ["query_id", "doc_id"]
    assert CANDIDATES.join(together, on=on, how="left", maintain_order="left").equals(whole)
    assert sum(facts["n_rows"] for _, facts in parts) == len(together) == len(CANDIDATES)
    with pytest.raises(InputError, match="part 7 of 8 has no shard"):
        logits(spec, part=(6, 8))


@pytest.mark.parametrize("rule", ["tokens", "fixed"])
def test_no_query_is_divided_between_shards(spec, rule):
    inputs = prepare_inputs(spec, QUERIES, CORPUS, CANDIDATES, distinct=rule == "tokens")
    for size in (1, 10, 15, 20, 119, 120, 10**6):
        shards = inputs.shards(size)
        assert [place for shard in shards for place in shard] == list(range(120))
        assert all(0 < len(shard) < size + 10 for shard in shards)
        queries = [set(inputs.group[list(shard)]) for shard in shards]
        assert sum(map(len, queries)) == 12


def test_texts_are_divided_evenly(spec):
    keys = {"pooling": "mean", "normalise": True, "scoring": "dot", "kind": "bi-encoder"}
    keys |= {"truncation": "longest_first", "max_query_length": None}
    encoder = ModelSpec.model_validate(spec.model_dump() | keys)
    inputs = prepare_inputs(encoder, QUERIES, CORPUS, CANDIDATES)
    assert [len(shard) for shard in inputs.shards(8)] == [8, 8, 6]


def test_fixed_batches_hold_one_query_in_the_order_of_its_candidates():
    group = np.array([0] * 5 + [1] * 3)
    assert BatchRule("fixed", 3).divide([9] * 8, group) == [[0, 1, 2], [3, 4], [5, 6, 7]]


def test_a_token_budget_counts_padding_and_holds_every_input_once():
    lengths = np.random.default_rng(0).integers(1, 600, size=500).tolist()
    batches = BatchRule("tokens", 1000).divide(lengths)
    assert sorted(place for batch in batches for place in batch) == list(range(500))
    for batch in batches:
        longest = max(lengths[place] for place in batch)
        assert longest * len(batch) <= 1000 or len(batch) == 1
    padded = sum(max(lengths[p] for p in batch) * len(batch) for batch in batches)
    assert padded < 1.05 * sum(lengths)


@pytest.mark.parametrize("in_thread", [True, False])
def test_the_next_texts_are_prepared_while_the_present_ones_run(in_thread):
    made = []

    def make(item):
        made.append(item)
        return item

    for item in _ahead(make, range(4), in_thread):
        if in_thread and item < 3:
            deadline = time.monotonic() + 5
            while len(made) < item + 2 and time.monotonic() < deadline:
                time.sleep(0.001)
            assert made == list(range(item + 2))
    assert made == [0, 1, 2, 3]
    assert list(_ahead(make, [], in_thread)) == []
