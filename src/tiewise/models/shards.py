"""Work in shards: each is written when done, so a killed job goes on after its last whole shard."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from tiewise.models.adapter import Input
from tiewise.models.engine import Engine, Forward
from tiewise.models.inputs import Inputs
from tiewise.models.tokens import Tokens
from tiewise.store.artifacts import writing

log = logging.getLogger(__name__)

Item = TypeVar("Item")
Made = TypeVar("Made")

SHARD_SIZE = 8192
"""Inputs of a shard: enough for even batches after sorting by length, minutes at most of work."""


@dataclass(frozen=True)
class ShardStore:
    """A folder that holds finished shards of one piece of work.

    Parameters
    ----------
    folder : pathlib.Path
        Made when missing. Files of other work are not taken for its own.
    work : str
        All that the outputs depend on beside the inputs: model, dtype, arithmetic, device, ...
    """

    folder: Path
    work: str

    def key(self, inputs: Sequence[Input]) -> str:
        """Fingerprint of a shard: the work and the very inputs."""
        digest = hashlib.sha256(self.work.encode())
        digest.update(json.dumps(list(inputs)).encode())
        return digest.hexdigest()

    def load(self, number: int, key: str) -> Forward | None:
        """Read a shard, when it is there and of this key."""
        try:
            with safe_open(self._path(number), framework="numpy") as file:
                note = file.metadata()
                if note["key"] != key:
                    log.info("shard %d is of other work: done anew", number)
                    return None
                outputs, truncated = file.get_tensor("outputs"), file.get_tensor("truncated")
        except (FileNotFoundError, SafetensorError):
            return None
        return Forward(outputs, truncated, int(note["n_tokens"]))

    def save(self, number: int, key: str, forward: Forward) -> None:
        """Write a shard: whole or not at all."""
        tensors = {"outputs": forward.outputs, "truncated": forward.truncated}
        note = {"key": key, "n_tokens": str(forward.n_tokens)}
        with writing(self._path(number)) as part:
            save_file(tensors, part, note)

    def _path(self, number: int) -> Path:
        return self.folder / f"shard-{number:05d}.safetensors"


def forward_shards(
    engine: Engine,
    inputs: Inputs,
    shards: Iterable[tuple[int, range]],
    *,
    store: ShardStore | None = None,
    done: Callable[[int], object] = lambda n: None,
) -> Iterator[Forward]:
    """Run a model over its inputs, shard by shard.

    Parameters
    ----------
    engine : Engine
        The loaded model.
    inputs : Inputs
        What it reads.
    shards : iterable of (int, range)
        Number of each shard, and its inputs.
    store : ShardStore, optional
        Where finished shards are kept and found again.
    done : callable, optional
        Told the number of inputs as they are done.

    Yields
    ------
    Forward
        A shard's outputs. They depend on the shard alone, so a run that was killed and started
        again gives the same as one that was not.
    """

    def prepare(shard: tuple[int, range]) -> tuple[int, range, str, Forward | list[Tokens]]:
        number, places = shard
        texts = inputs.render(places)
        key = store.key(texts) if store else ""
        found = store.load(number, key) if store else None
        return number, places, key, found or engine.adapter.tokenise(texts)

    for number, places, key, made in _ahead(prepare, shards, engine.adapter.device.type != "cpu"):
        if isinstance(made, Forward):
            done(len(places))
            yield made
            continue
        group = None if inputs.group is None else inputs.group[places.start : places.stop]
        forward = engine.run(made, group, done)
        if store:
            store.save(number, key, forward)
        yield forward


def _ahead(make: Callable[[Item], Made], items: Iterable[Item], in_thread: bool) -> Iterator[Made]:
    """Make something of each item; in a thread, the next while the present one is used.

    A device computes while the processor splits the next texts into tokens. Where the processor
    is the device, a second thread would only disturb it.
    """
    if not in_thread:
        yield from map(make, items)
        return
    with ThreadPoolExecutor(1) as pool:
        pending = None
        for item in items:
            following = pool.submit(make, item)
            if pending is not None:
                yield pending.result()
            pending = following
        if pending is not None:
            yield pending.result()


def joined(shards: Iterable[Forward]) -> Forward:
    """Put the outputs of consecutive shards together."""
    every = list(shards)
    return Forward(
        np.concatenate([shard.outputs for shard in every]),
        np.concatenate([shard.truncated for shard in every]),
        sum(shard.n_tokens for shard in every),
    )
