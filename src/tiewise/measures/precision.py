"""P@k and R-precision: the share of the first places that hold a relevant document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tiewise.kernel.documents import Batch
from tiewise.kernel.ranking import Floats, Ints
from tiewise.measures.base import Binary
from tiewise.measures.linear import Uniform


@dataclass(frozen=True)
class Precision(Uniform, Binary):
    """Relevant documents within the cut-off / k, 0 to 1, also where fewer than k are candidates.

    Without a cut-off the divisor is the number of candidates (trec_eval's ``set_P``).

    Examples
    --------
    >>> from tiewise import evaluate_arrays
    >>> evaluate_arrays([[1.0, 1.0]], [[1, 0]], ["P@5"])["P@5"].expected
    array([0.2])
    """

    symbol: ClassVar[str] = "P"

    def norm(self, batch: Batch) -> Floats:
        """Return the cut-off."""
        return self.depth(batch).astype(np.float64)


@dataclass(frozen=True)
class RPrecision(Uniform, Binary):
    """Precision at the place R, the number of relevant documents of the query, 0 to 1.

    Examples
    --------
    >>> from tiewise import evaluate_arrays
    >>> evaluate_arrays([[3.0, 1.0, 1.0]], [[1, 1, 0]], ["Rprec"])["Rprec"].expected
    array([0.75])
    """

    symbol: ClassVar[str] = "Rprec"
    takes_cutoff: ClassVar[bool] = False

    def limit(self, batch: Batch) -> Ints:
        """Count the relevant documents."""
        return batch.n_relevant(self.rel)

    def norm(self, batch: Batch) -> Floats:
        """Count the relevant documents."""
        return self.limit(batch).astype(np.float64)
