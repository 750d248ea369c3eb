"""Texts to token ids, with special tokens, cut to a length, and a note of what was cut."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Encoding, Tokenizer

from tiewise.errors import InputError
from tiewise.models.spec import ModelSpec


@dataclass(frozen=True, slots=True)
class Tokens:
    """One input of a model.

    Attributes
    ----------
    ids : list of int
        Token ids with special tokens, without padding.
    type_ids : list of int
        0 for the first text of a pair, 1 for the second, as the tokenizer says.
    truncated : bool
        Whether anything was cut.
    """

    ids: list[int]
    type_ids: list[int]
    truncated: bool


class TextTokenizer:
    """A model's tokenizer, read from its own `tokenizer.json`.

    Parameters
    ----------
    tokenizer : tokenizers.Tokenizer
        Its padding and truncation settings are replaced.
    pad_id : int
        Token that fills batches up.
    max_length : int
        Tokens that `compose` leaves, special tokens included.
    truncation : {"longest_first", "only_second"}
        Side of a pair that is cut.

    Notes
    -----
    The classes of transformers rebuild some tokenizers from their own defaults; `tokenizer.json` is
    what the model was trained with, so it is read directly and the classes serve only models
    that have no such file.
    """

    def __init__(
        self, tokenizer: Tokenizer, pad_id: int, max_length: int, truncation: str = "longest_first"
    ) -> None:
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self._tokenizer = tokenizer
        self.pad_id = pad_id
        self.max_length = max_length
        self._truncation = truncation

    def pieces(self, texts: Sequence[str]) -> list[Encoding]:
        """Split texts into tokens, without special tokens and without a limit."""
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return list(encodings)

    def compose(self, first: Encoding, second: Encoding | None = None) -> Tokens:
        """Add special tokens around one text or a pair, and cut to the length."""
        special = self._tokenizer.num_special_tokens_to_add(second is not None)
        length = len(first) + (0 if second is None else len(second)) + special
        if length > self.max_length:
            self._tokenizer.enable_truncation(self.max_length, strategy=self._truncation)
        whole = self._tokenizer.post_process(first, second)
        if length > self.max_length:
            self._tokenizer.no_truncation()
        # A model cannot run on nothing: an empty text without special tokens becomes one padding.
        ids, type_ids = whole.ids or [self.pad_id], whole.type_ids or [0]
        return Tokens(ids, type_ids, length > self.max_length)

    def token_id(self, token: str) -> int:
        """Find the id of one token of the vocabulary."""
        found = self._tokenizer.token_to_id(token)
        if found is None:
            raise InputError(f"the model's vocabulary has no token {token!r}")
        return int(found)


def load_tokenizer(
    folder: Path, spec: ModelSpec, pad_id: int | None, max_length: int
) -> TextTokenizer:
    """Read the tokenizer of a model.

    Parameters
    ----------
    folder : pathlib.Path
        The model's files.
    spec : ModelSpec
        Says how pairs are cut.
    pad_id : int or None
        Padding token of the model's config. Without one any id serves, as padding is masked.
    max_length : int
        Tokens of an input, special ones included.
    """
    file = folder / "tokenizer.json"
    if file.is_file():
        tokenizer = Tokenizer.from_file(str(file))
    else:
        from transformers import AutoTokenizer

        fast = AutoTokenizer.from_pretrained(
            folder, trust_remote_code=spec.source.trust_remote_code, local_files_only=True
        )
        if not fast.is_fast:
            raise InputError(f"{folder}: no tokenizer.json, and none can be made from its files")
        tokenizer = fast.backend_tokenizer
    return TextTokenizer(tokenizer, pad_id or 0, max_length, spec.truncation)


def unique(texts: Iterable[str]) -> list[str]:
    """Each text once, in order of first appearance."""
    return list(dict.fromkeys(texts))
