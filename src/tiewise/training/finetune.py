"""Fine-tune a small cross-encoder from an encoder's lower layers, with heads of one and two logits.

It serves studies that need a reranker of each scoring function where no hub is reachable. One
training serves both heads; each is saved as an ordinary checkpoint.
"""

from __future__ import annotations

import json
import logging
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional
from tqdm import tqdm

from tiewise.store.artifacts import writing
from tiewise.training.recipe import Recipe

log = logging.getLogger(__name__)

HEADS = {"sigmoid": [0], "softmax": [1, 2]}
"""Rows of the trained head that each checkpoint takes: one logit; the pair no, yes."""
BUCKET = 16
"""Steps whose lists are sorted by length together."""
ANCHOR = 0.02
"""Weight that holds logits near the scaled similarities."""
TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")


@dataclass(frozen=True)
class TrainingList:
    """A query and the documents that it is trained with.

    Attributes
    ----------
    query : str
        Its text.
    documents : tuple of str
        Their texts.
    gains : tuple of float
        1 for the right document, 0.5 for a sibling, 0 for a negative.
    similarities : tuple of float
        Cosines of the base model.
    """

    query: str
    documents: tuple[str, ...]
    gains: tuple[float, ...]
    similarities: tuple[float, ...]


def finetune(base: Path, lists: Sequence[TrainingList], recipe: Recipe) -> Any:
    """Train the base's kept layers with a new head of three logits.

    Parameters
    ----------
    base : pathlib.Path
        Folder of a BERT encoder.
    lists : sequence of TrainingList
        Seen once each.
    recipe : Recipe
        How.

    Returns
    -------
    transformers.BertForSequenceClassification
        In evaluation mode; the same on every call with one number of threads.

    Notes
    -----
    A head's loss is listwise: the cross-entropy of a softmax over the list's documents with the
    gains, and with a softmax of the base's similarities, which the base knows before any training.
    Embeddings of words stay as they are.
    """
    torch.manual_seed(recipe.seed)
    model = _cut(base, recipe)
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=recipe.learning_rate, weight_decay=0.01)
    steps = divide_into_steps(lists, recipe)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, _warm_up(len(steps)))
    encode = _encoder(base, recipe.max_length)
    losses = []
    for step in tqdm(steps, desc=recipe.name, unit="step", disable=not sys.stderr.isatty()):
        loss = _loss(model(**encode(step)).logits, step, recipe)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad(set_to_none=True)
        losses.append(loss.item())
    tenth = max(1, len(losses) // 10)
    first, last = sum(losses[:tenth]) / tenth, sum(losses[-tenth:]) / tenth
    log.info("%s: %d lists, loss from %.3f to %.3f", recipe.name, len(lists), first, last)
    return model.eval()


def divide_into_steps(lists: Sequence[TrainingList], recipe: Recipe) -> list[list[TrainingList]]:
    """Divide the lists into steps of similar length, so that little of a batch is padding.

    Parameters
    ----------
    lists : sequence of TrainingList
        In any order.
    recipe : Recipe
        Size of a step, and seed of their order.

    Returns
    -------
    list of list of TrainingList
        Every list once.
    """
    size = recipe.queries_a_step
    draw = torch.Generator().manual_seed(recipe.seed)
    steps = []
    for start in range(0, len(lists), size * BUCKET):
        bucket = sorted(lists[start : start + size * BUCKET], key=_longest)
        divided = [bucket[i : i + size] for i in range(0, len(bucket), size)]
        steps += [divided[i] for i in torch.randperm(len(divided), generator=draw).tolist()]
    return steps


def save_checkpoint(model: Any, base: Path, rows: Sequence[int], folder: Path) -> None:
    """Save some rows of the head with the body as an ordinary checkpoint.

    Parameters
    ----------
    model : transformers.BertForSequenceClassification
        What `finetune` returned.
    base : pathlib.Path
        Where the tokenizer is.
    rows : sequence of int
        Rows of the head, one a logit.
    folder : pathlib.Path
        Where; made when missing.
    """
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: tensor.detach().contiguous() for name, tensor in model.state_dict().items()}
    for name in ("classifier.weight", "classifier.bias"):
        weights[name] = weights[name][list(rows)].contiguous()
    config = model.config.to_dict() | {
        "architectures": ["BertForSequenceClassification"],
        "id2label": {i: f"LABEL_{i}" for i in range(len(rows))},
        "label2id": {f"LABEL_{i}": i for i in range(len(rows))},
    }
    with writing(folder / "config.json") as part:
        part.write_text(json.dumps(config, indent=2, sort_keys=True), encoding="utf-8")
    for name in TOKENIZER_FILES:
        shutil.copyfile(base / name, folder / name)
    with writing(folder / "model.safetensors") as part:
        save_file(weights, part, {"format": "pt"})


def _cut(base: Path, recipe: Recipe) -> Any:
    from transformers import BertForSequenceClassification

    model: Any = BertForSequenceClassification.from_pretrained(
        base,
        num_labels=sum(map(len, HEADS.values())),
        dtype=torch.float32,
        attn_implementation="sdpa",
        use_safetensors=True,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    kept = (model.bert.encoder.layer[i] for i in recipe.layers)
    model.bert.encoder.layer = torch.nn.ModuleList(kept)
    model.config.num_hidden_layers = len(recipe.layers)
    for parameter in model.bert.embeddings.parameters():
        parameter.requires_grad = False
    # The base never saw a second segment: only this embedding tells the document from the query.
    model.bert.embeddings.token_type_embeddings.weight.requires_grad = True
    return model.train()


def _encoder(base: Path, max_length: int) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    tokenizer.enable_padding()
    tokenizer.enable_truncation(max_length)

    def encode(step: Sequence[TrainingList]) -> dict[str, torch.Tensor]:
        pairs = [(one.query, document) for one in step for document in one.documents]
        encoded = tokenizer.encode_batch(pairs)
        return {
            "input_ids": torch.tensor([one.ids for one in encoded]),
            "attention_mask": torch.tensor([one.attention_mask for one in encoded]),
            "token_type_ids": torch.tensor([one.type_ids for one in encoded]),
        }

    return encode


def _longest(one: TrainingList) -> int:
    return len(one.query) + max(map(len, one.documents))


def _loss(logits: torch.Tensor, step: Sequence[TrainingList], recipe: Recipe) -> torch.Tensor:
    targets = torch.tensor([s for one in step for s in one.similarities])
    # On the scale of logits; the middle of usual similarities is a logit of 0.
    targets = (targets - 0.45) / recipe.temperature
    loss = torch.zeros(())
    for scores in (logits[:, 0], logits[:, 2] - logits[:, 1]):
        for one, place in _places(step):
            gains = torch.tensor(one.gains)
            wanted = gains / gains.sum() + recipe.distillation * targets[place].softmax(0)
            loss = loss - (wanted * scores[place].log_softmax(0)).sum() / len(step)
        # A list's softmax leaves a constant open, which a sigmoid would show.
        loss = loss + ANCHOR * functional.mse_loss(scores, targets)
    return loss


def _places(step: Sequence[TrainingList]) -> Iterator[tuple[TrainingList, slice]]:
    start = 0
    for one in step:
        yield one, slice(start, start + len(one.documents))
        start += len(one.documents)


def _warm_up(n_steps: int) -> Any:
    """Rise over the first tenth of the steps, then fall to a fiftieth."""
    rising = max(1, n_steps // 10)
    falling = max(1, n_steps - rising)
    return lambda step: min((step + 1) / rising, max(0.02, (n_steps - step) / falling))
