"""How inputs are put into batches: it fixes the padding, and with it the last bits of a result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import torch


@dataclass(frozen=True)
class BatchRule:
    """A rule that divides inputs into batches.

    Parameters
    ----------
    rule : {"tokens", "fixed"}
        ``tokens``: sort by length, longest first, and fill each batch up to `size` tokens, padding
        counted: little padding, even memory; equal inputs are run once. ``fixed``: `size` inputs
        in the data set's order, each query's candidates by themselves and equal inputs as often
        as they come, as the paper did with `size` 16.
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

    def divide(
        self, lengths: Sequence[int], group: npt.NDArray[np.int64] | None = None
    ) -> list[list[int]]:
        """Divide inputs into batches.

        Parameters
        ----------
        lengths : sequence of int
            Tokens of each input.
        group : ndarray of int64, optional
            Query of each input: a fixed batch holds one query's only.

        Returns
        -------
        list of list of int
            Places of the inputs, batch by batch; a function of the lengths alone.
        """
        batches: list[list[int]] = []
        for place in self._order(lengths):
            if batches and self._fits(batches[-1], place, lengths, group):
                batches[-1].append(place)
            else:
                batches.append([place])
        return batches

    def _order(self, lengths: Sequence[int]) -> Sequence[int]:
        if self.rule == "fixed":
            return range(len(lengths))
        # The longest come first, so that memory runs out at once or never. Sorting is stable.
        return sorted(range(len(lengths)), key=lambda place: -lengths[place])

    def _fits(
        self,
        batch: Sequence[int],
        place: int,
        lengths: Sequence[int],
        group: npt.NDArray[np.int64] | None,
    ) -> bool:
        if self.rule == "tokens":
            return (len(batch) + 1) * lengths[batch[0]] <= self.size
        same_query = group is None or bool(group[batch[0]] == group[place])
        return same_query and len(batch) < self.size

    def __str__(self) -> str:
        if self.rule == "fixed":
            return f"{self.size} inputs in order"
        return f"{self.size} tokens, longest first"


def default_rule(device: torch.device) -> BatchRule:
    """Token budget that keeps a device busy and its caches or memory unstrained."""
    # Measured: on processors small batches stay in the cache and hold less padding.
    return BatchRule("tokens", 1024 if device.type == "cpu" else 65536)
