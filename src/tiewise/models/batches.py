"""How inputs are put into batches: it fixes the padding, and with it the last bits of a result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch


@dataclass(frozen=True)
class BatchRule:
    """A rule that divides inputs into batches.

    Parameters
    ----------
    rule : {"tokens", "fixed"}
        ``tokens``: sort by length, longest first, and fill each batch up to `size` tokens, padding
        counted: little padding, even memory. ``fixed``: `size` inputs in the data set's order.
    size : int
        Tokens, or inputs, of a batch.

    Examples
    --------
    >>> BatchRule("tokens", 12).divide([2, 6, 3, 5])
    [[1, 3], [2, 0]]
    >>> BatchRule("fixed", 3).divide([2, 6, 3, 5])
    [[0, 1, 2], [3]]
    """

    rule: Literal["tokens", "fixed"]
    size: int

    def divide(self, lengths: Sequence[int]) -> list[list[int]]:
        """Divide inputs of given lengths; returns their places, batch by batch."""
        if self.rule == "fixed":
            places = range(len(lengths))
            return [list(places[i : i + self.size]) for i in range(0, len(lengths), self.size)]
        batches: list[list[int]] = []
        # Equal lengths keep their order, so that the division is one of the inputs alone.
        for place in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
            if batches and (len(batches[-1]) + 1) * lengths[batches[-1][0]] <= self.size:
                batches[-1].append(place)
            else:
                batches.append([place])
        return batches

    def __str__(self) -> str:
        if self.rule == "fixed":
            return f"{self.size} inputs, in order"
        return f"{self.size} tokens, longest first"


def default_rule(device: torch.device) -> BatchRule:
    """Token budget that keeps a device busy and its caches or memory unstrained."""
    return BatchRule("tokens", 4096 if device.type == "cpu" else 65536)
