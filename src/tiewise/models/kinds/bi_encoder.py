"""Bi-encoders: a text to one embedding, pooled and normalised in the model dtype."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from tiewise.models.adapter import Adapter, Batch, Input
from tiewise.models.spec import ModelSpec
from tiewise.models.tokens import Tokens


class BiEncoder(Adapter):
    """Adapter of a model that embeds queries and documents apart."""

    auto_class = "AutoModel"

    def tokenise(self, inputs: Sequence[Input]) -> list[Tokens]:
        """Turn texts (already with prefix or instruction) into token ids."""
        pieces = self.tokenizer.pieces([text for (text,) in inputs])
        return [self.tokenizer.compose(piece) for piece in pieces]

    def forward(self, batch: Batch) -> torch.Tensor:
        """Embed a batch, shape (n, n_dimensions) in the model dtype."""
        hidden = self.model(**batch).last_hidden_state
        embeddings = pool(hidden, batch["attention_mask"], str(self.spec.pooling))
        if self.spec.normalise:
            embeddings = torch.nn.functional.normalize(embeddings, dim=1)
        return embeddings


def pool(hidden: torch.Tensor, mask: torch.Tensor, pooling: str) -> torch.Tensor:
    """Make one vector of a text's token vectors, in their dtype.

    Parameters
    ----------
    hidden : torch.Tensor, shape (n, length, n_dimensions)
        Token vectors.
    mask : torch.Tensor of int, shape (n, length)
        1 for tokens, 0 for padding, which may be on either side.
    pooling : {"mean", "cls", "last"}
        Mean over the tokens, the first token, or the last one.

    Returns
    -------
    torch.Tensor, shape (n, n_dimensions)
        The embeddings.
    """
    if pooling == "mean":
        weights = mask.unsqueeze(-1).to(hidden.dtype)
        return (hidden * weights).sum(1) / weights.sum(1)
    place = mask.argmax(1) if pooling == "cls" else mask.shape[1] - 1 - mask.flip(1).argmax(1)
    return hidden[torch.arange(len(hidden), device=hidden.device), place]


def render_text(spec: ModelSpec, side: str, text: str, dataset: str | None = None) -> Input:
    """Write a query or a document as the model wants to read it.

    Parameters
    ----------
    spec : ModelSpec
        Holds the templates and instructions.
    side : {"query", "document"}
        Which template.
    text : str
        The text.
    dataset : str, optional
        Data set, which may have its own instruction.

    Returns
    -------
    tuple of one str
        The input.
    """
    template = spec.query_template if side == "query" else spec.document_template
    if template is None:
        return (text,)
    return (template.format(text=text, instruction=spec.instruction_for(dataset)),)
