"""Language models that answer yes or no: the two answers' logits at the last place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from tiewise.errors import InputError, some
from tiewise.models.adapter import Adapter, Batch, Input
from tiewise.models.spec import ModelSpec
from tiewise.models.tokens import TextTokenizer, Tokens

_CHANGED_LOGITS = ("final_logit_softcapping", "logits_scaling", "logit_scale")


class YesNoLM(Adapter):
    """Adapter of a causal language model that judges a document.

    Prefix and suffix of the prompt are split into tokens alone and put around the body's tokens,
    so that no token spans a seam and only the body is cut when the whole is too long.
    """

    auto_class = "AutoModelForCausalLM"

    def __init__(self, spec: ModelSpec, model: Any, tokenizer: TextTokenizer) -> None:
        super().__init__(spec, model, tokenizer)
        changed = [key for key in _CHANGED_LOGITS if getattr(model.config, key, None) is not None]
        if changed:
            said = "its logits are changed after the LM head, which is not supported"
            raise InputError(f"{spec.name}: {said}: {some(changed)}")
        texts = (spec.prompt_prefix or "", spec.prompt_suffix or "")
        self._prefix, self._suffix = (piece.ids for piece in tokenizer.pieces(texts))
        tokenizer.max_length = spec.max_length - len(self._prefix) - len(self._suffix)
        if tokenizer.max_length < 1:
            raise InputError(f"{spec.name}: max_length leaves no room between prefix and suffix")
        answers = torch.tensor([tokenizer.token_id(token) for token in spec.answers or ()])
        # The head has a row for each token of the vocabulary; two of them are needed.
        head = model.get_output_embeddings()
        self._answers = torch.nn.Parameter(head.weight[answers.to(head.weight.device)], False)

    def tokenise(self, inputs: Sequence[Input]) -> list[Tokens]:
        """Turn bodies of prompts into token ids of whole prompts."""
        bodies = [self.tokenizer.compose(p) for p in self.tokenizer.pieces([b for (b,) in inputs])]
        prompts = ((self._prefix + body.ids + self._suffix, body.truncated) for body in bodies)
        return [Tokens(ids, [0] * len(ids), truncated) for ids, truncated in prompts]

    def forward(self, batch: Batch) -> torch.Tensor:
        """Judge a batch, shape (n, 2): the logits of no and yes in the model dtype."""
        hidden = self.model.get_decoder()(**batch, use_cache=False).last_hidden_state
        # Padding is on the left, so the last place is the last token of every prompt.
        return torch.nn.functional.linear(hidden[:, -1], self._answers)


def render_pair(spec: ModelSpec, query: str, document: str, dataset: str | None = None) -> Input:
    """Write a pair as a reranker wants to read it: the body of a prompt, or the two texts.

    Parameters
    ----------
    spec : ModelSpec
        Holds the template and instructions.
    query, document : str
        The texts.
    dataset : str, optional
        Data set, which may have its own instruction.

    Returns
    -------
    tuple of str
        The input.
    """
    if spec.pair_template is None:
        return (query, document)
    instruction = spec.instruction_for(dataset)
    return (spec.pair_template.format(query=query, document=document, instruction=instruction),)
