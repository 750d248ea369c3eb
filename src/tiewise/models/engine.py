"""The forward engine: token ids in, outputs out, in batches, in one model dtype and arithmetic."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from tiewise.models.adapter import Adapter
from tiewise.models.batches import BatchRule
from tiewise.models.tokens import Tokens
from tiewise.precision.regimes import Dtype
from tiewise.precision.simulate import Simulated

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Forward:
    """Outputs of a model for some inputs.

    Attributes
    ----------
    outputs : ndarray of float32, shape (n, width)
        Logits or embeddings in the inputs' order; low-precision values are held exactly.
    truncated : ndarray of bool, shape (n,)
        Inputs that were cut to the model's length.
    n_tokens : int
        Tokens of all inputs, without padding.
    """

    outputs: npt.NDArray[np.float32]
    truncated: npt.NDArray[np.bool_]
    n_tokens: int


class Engine:
    """A loaded model with its way of computing.

    Parameters
    ----------
    adapter : Adapter
        The model.
    dtype : str
        Its model dtype.
    arithmetic : {"native", "simulated"}
        How that dtype is computed.
    batch_rule : BatchRule
        How inputs are put into batches.
    """

    def __init__(
        self, adapter: Adapter, dtype: Dtype, arithmetic: str, batch_rule: BatchRule
    ) -> None:
        self.adapter = adapter
        self.batch_rule = batch_rule
        self._arithmetic = Simulated(dtype) if arithmetic == "simulated" else nullcontext()

    def run(
        self,
        tokens: Sequence[Tokens],
        group: npt.NDArray[np.int64] | None = None,
        done: Callable[[int], object] = lambda n: None,
    ) -> Forward:
        """Run the model over inputs.

        Parameters
        ----------
        tokens : sequence of Tokens
            At least one input, as the adapter's `tokenise` makes them.
        group : ndarray of int64, shape (n,), optional
            Query of each input, for a batch rule that keeps queries apart.
        done : callable, optional
            Told the number of inputs after each batch.

        Returns
        -------
        Forward
            Outputs in the inputs' order, whatever the batches were.
        """
        lengths = [len(one.ids) for one in tokens]
        order: list[int] = []
        rows: list[torch.Tensor] = []
        with torch.inference_mode(), self._arithmetic:
            for places in self.batch_rule.divide(lengths, group):
                rows += self._batch([tokens[place] for place in places])
                order += places
                done(len(places))
            # Copied at the end, so that a GPU never waits for a copy between two batches. FP32
            # holds every lower dtype's numbers exactly.
            whole = torch.cat(rows).float().cpu().numpy()
        outputs = np.empty_like(whole, dtype=np.float32)
        outputs[order] = whole
        truncated = np.array([one.truncated for one in tokens], dtype=bool)
        return Forward(outputs, truncated, sum(lengths))

    def _batch(self, tokens: Sequence[Tokens]) -> list[torch.Tensor]:
        try:
            return [self.adapter.forward(self.adapter.pad(tokens))]
        except (RuntimeError, MemoryError) as error:
            if len(tokens) == 1 or not _is_out_of_memory(error):
                raise
        # Out here, because the exception's traceback would keep the batch's tensors alive.
        log.warning("out of memory with %d inputs in a batch: halved", len(tokens))
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        half = len(tokens) // 2
        return self._batch(tokens[:half]) + self._batch(tokens[half:])


def _is_out_of_memory(error: Exception) -> bool:
    # The CPU's allocator and MPS raise a plain RuntimeError.
    words = ("not enough memory", "out of memory", "can't allocate memory")
    known = isinstance(error, MemoryError | torch.OutOfMemoryError)
    return known or any(word in str(error).lower() for word in words)
