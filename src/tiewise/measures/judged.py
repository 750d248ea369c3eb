"""Judged@k: how much of a ranking the judgements speak about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tiewise.kernel.documents import Batch, Relevant
from tiewise.kernel.ranking import Floats
from tiewise.measures.base import Measure
from tiewise.measures.linear import Uniform


@dataclass(frozen=True)
class Judged(Uniform, Measure):
    """Share of the candidates within the cut-off that are judged, whatever the grade, 0 to 1.

    The divisor is min(k, candidates): a short list that is judged in full has 1.

    Examples
    --------
    >>> from tiewise import evaluate
    >>> evaluate({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}, ["Judged@1"])["expected"].item()
    0.5
    """

    symbol: ClassVar[str] = "Judged"

    def documents(self, batch: Batch) -> Relevant:
        """Find all judged documents, each with gain 1."""
        return batch.relevant("judged", np.ones_like, self.cutoff)

    def norm(self, batch: Batch) -> Floats:
        """Candidates within the cut-off."""
        return np.minimum(batch.n_candidates, self.limit(batch)).astype(np.float64)
