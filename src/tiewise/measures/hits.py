"""Hits@k: how many relevant documents are among the first k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tiewise.measures.base import Binary
from tiewise.measures.linear import Uniform


@dataclass(frozen=True)
class Hits(Uniform, Binary):
    """Number of relevant documents within the cut-off, 0 to k; trec_eval's ``num_rel_ret``.

    Examples
    --------
    >>> from tiewise import evaluate_arrays
    >>> evaluate_arrays([[3.0, 1.0, 1.0]], [[1, 1, 0]], ["Hits@2"])["Hits@2"].expected
    array([1.5])
    """

    symbol: ClassVar[str] = "Hits"
