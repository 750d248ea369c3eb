"""Sequence classifiers: query and document together to one logit or one a class."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from tiewise.models.adapter import Adapter, Batch, Input
from tiewise.models.tokens import Tokens, unique


class SequenceClassifier(Adapter):
    """Adapter of a cross-encoder with a classification head.

    One logit is for a sigmoid. Of two or more, the last is that of the relevant class.
    """

    auto_class = "AutoModelForSequenceClassification"

    def tokenise(self, inputs: Sequence[Input]) -> list[Tokens]:
        """Turn pairs of query and document into token ids."""
        # A query stands in many pairs: each text is split once.
        queries, documents = unique(q for q, _ in inputs), unique(d for _, d in inputs)
        heads = dict(zip(queries, self.tokenizer.pieces(queries), strict=True))
        tails = dict(zip(documents, self.tokenizer.pieces(documents), strict=True))
        cut = set()
        if self.spec.max_query_length is not None:
            cut = {text for text, head in heads.items() if len(head) > self.spec.max_query_length}
            for text in cut:
                heads[text].truncate(self.spec.max_query_length)
        whole = ((q in cut, self.tokenizer.compose(heads[q], tails[d])) for q, d in inputs)
        return [Tokens(one.ids, one.type_ids, one.truncated or was_cut) for was_cut, one in whole]

    def forward(self, batch: Batch) -> torch.Tensor:
        """Score a batch, shape (n, n_logits) in the model dtype."""
        logits: torch.Tensor = self.model(**batch).logits
        return logits
