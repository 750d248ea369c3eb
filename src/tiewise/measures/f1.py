"""F1@k: the harmonic mean of precision and recall at k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tiewise.kernel.documents import Batch
from tiewise.kernel.ranking import Floats
from tiewise.measures.base import Binary
from tiewise.measures.linear import Uniform


@dataclass(frozen=True)
class F1(Uniform, Binary):
    """2 P R / (P + R) = 2 hits / (k + R), 0 to 1: linear in the hits, as k and R are given.

    Without a cut-off k is the number of candidates (trec_eval's ``set_F``).

    Examples
    --------
    >>> from tiewise import evaluate_arrays
    >>> evaluate_arrays([[1.0, 1.0]], [[1, 0]], ["F1@1"])["F1@1"].expected
    array([0.5])
    """

    symbol: ClassVar[str] = "F1"

    def norm(self, batch: Batch) -> Floats:
        """Half of the cut-off plus the number of relevant documents."""
        return (self.depth(batch) + batch.n_relevant(self.rel)) / 2
