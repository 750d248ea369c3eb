"""R@k and capped recall: the share of the relevant documents found within the cut-off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tiewise.kernel.documents import Batch
from tiewise.kernel.ranking import Floats
from tiewise.measures.base import Binary
from tiewise.measures.linear import Uniform


@dataclass(frozen=True)
class Recall(Uniform, Binary):
    """Relevant documents within the cut-off / all relevant documents, retrieved or not, 0 to 1.

    Examples
    --------
    >>> from tiewise import evaluate_arrays
    >>> evaluate_arrays([[1.0, 1.0]], [[1, 0]], ["R@1"], n_relevant=[5])["R@1"].expected
    array([0.1])
    """

    symbol: ClassVar[str] = "R"

    def norm(self, batch: Batch) -> Floats:
        """Count the relevant documents."""
        return batch.n_relevant(self.rel).astype(np.float64)


@dataclass(frozen=True)
class CappedRecall(Uniform, Binary):
    """Relevant documents within the cut-off / the most there could be, min(R, k), 0 to 1.

    BEIR's ``R_cap@k``. Without a cut-off it is recall.

    Examples
    --------
    >>> from tiewise import evaluate_arrays
    >>> evaluate_arrays([[1.0, 1.0]], [[1, 0]], ["R_cap@1"], n_relevant=[5])["R_cap@1"].expected
    array([0.5])
    """

    symbol: ClassVar[str] = "R_cap"

    def norm(self, batch: Batch) -> Floats:
        """Return the smaller of the number of relevant documents and the cut-off."""
        return np.minimum(batch.n_relevant(self.rel), self.limit(batch)).astype(np.float64)
