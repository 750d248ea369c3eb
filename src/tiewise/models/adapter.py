"""What the three kinds of model have in common: inputs to token ids, a batch to outputs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import torch

from tiewise.models.spec import ModelSpec
from tiewise.models.tokens import TextTokenizer, Tokens

Input = tuple[str, ...]
"""What a model reads at once: one text, or a query and a document."""

Batch = dict[str, torch.Tensor]
"""Padded input tensors of shape (n, length), by the name the model gives them."""


class Adapter(ABC):
    """A loaded model of one kind.

    Parameters
    ----------
    spec : ModelSpec
        The block.
    model : torch.nn.Module
        A transformers model in the model dtype, in evaluation mode, on its device.
    tokenizer : TextTokenizer
        The model's tokenizer.
    """

    auto_class: ClassVar[str]
    """Name of the class of transformers that loads the checkpoint."""

    def __init__(self, spec: ModelSpec, model: Any, tokenizer: TextTokenizer) -> None:
        self.spec = spec
        self.model = model
        self.tokenizer = tokenizer

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        device: torch.device = self.model.device
        return device

    @abstractmethod
    def tokenise(self, inputs: Sequence[Input]) -> list[Tokens]:
        """Turn inputs into token ids, in the same order."""

    @abstractmethod
    def forward(self, batch: Batch) -> torch.Tensor:
        """Run the model: a row of logits, or an embedding, for each row of the batch."""

    def pad(self, tokens: Sequence[Tokens]) -> Batch:
        """Fill a batch up to its longest input, on the model's device."""
        longest = max(len(one.ids) for one in tokens)
        left = self.spec.padding_side == "left"

        def filled(rows: Sequence[Sequence[int]], value: int) -> torch.Tensor:
            gaps = [[value] * (longest - len(row)) for row in rows]
            full = [[*g, *r] if left else [*r, *g] for r, g in zip(rows, gaps, strict=True)]
            return torch.tensor(full, dtype=torch.int64).to(self.device, non_blocking=True)

        batch = {
            "input_ids": filled([one.ids for one in tokens], self.tokenizer.pad_id),
            "attention_mask": filled([[1] * len(one.ids) for one in tokens], 0),
        }
        if getattr(self.model.config, "type_vocab_size", 0) > 1:  # tells two texts apart
            batch["token_type_ids"] = filled([one.type_ids for one in tokens], 0)
        return batch
