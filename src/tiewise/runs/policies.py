"""Tie policies: how a tool that knows nothing of ties orders the candidates of a tie group."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import polars as pl

from tiewise.errors import InputError, did_you_mean

POLICIES = ("input", "trec", "docid", "rank", "random(seed)")
"""Input order; document id descending, ascending by UTF-8 bytes; rank column; at random."""


@dataclass(frozen=True)
class Policy:
    """A tie policy.

    Attributes
    ----------
    kind : {"input", "trec", "docid", "rank", "random"}
        The rule.
    seed : int
        Seed of ``random``, 0 or more.
    """

    kind: str
    seed: int = 0

    def __str__(self) -> str:
        return f"random({self.seed})" if self.kind == "random" else self.kind

    def sort(self, run: pl.DataFrame) -> pl.DataFrame:
        """Sort candidates by query, and by this policy within a query.

        Parameters
        ----------
        run : polars.DataFrame
            Columns query (an integer), query_id, doc_id, and rank for the policy ``rank``.

        Returns
        -------
        polars.DataFrame
            The same rows. Whatever the order of `run`, a policy other than ``input`` gives one
            order (``rank`` too, where ranks differ).
        """
        if self.kind == "input":
            return run if run["query"].is_sorted() else run.sort("query", maintain_order=True)
        if self.kind == "rank":
            return run.sort("query", "rank", maintain_order=True)
        ordered = run.sort("query", "doc_id", descending=[False, self.kind == "trec"])
        return self._shuffled(ordered) if self.kind == "random" else ordered

    def _shuffled(self, ordered: pl.DataFrame) -> pl.DataFrame:
        # The query's id seeds its generator, so that no other query changes its order.
        rows = []
        lengths = ordered.group_by("query", "query_id", maintain_order=True).len()
        first = 0
        for query_id, length in lengths.select("query_id", "len").iter_rows():
            rng = np.random.default_rng([self.seed, *query_id.encode()])
            rows.append(first + rng.permutation(length))
            first += length
        return ordered[np.concatenate(rows)] if rows else ordered


def parse_policy(text: str | Policy) -> Policy:
    """Read a tie policy.

    Raises
    ------
    InputError
        For an unknown policy, with the nearest; for ``random`` without a seed.

    Examples
    --------
    >>> parse_policy("random(7)")
    Policy(kind='random', seed=7)
    """
    if isinstance(text, Policy):
        return text
    if isinstance(text, str):
        if match := re.fullmatch(r"random\((\d+)\)", text):
            return Policy("random", int(match[1]))
        if text in POLICIES and text != "random(seed)":
            return Policy(text)
        if text.startswith("random"):
            raise InputError(f"tie policy {text!r}: give a seed, such as 'random(0)'")
    raise InputError(f"tie policy {text!r} is unknown: {did_you_mean(str(text), POLICIES)}")
