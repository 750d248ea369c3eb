"""Tie-aware evaluation of retrieval runs.

How much of a score is the model, and how much is the order in which ties were broken?

The names below are the interface; they load on first use, so that ``import tiewise`` stays fast
and never imports torch.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiewise.errors import InputError as InputError
    from tiewise.io import read_qrels as read_qrels
    from tiewise.io import read_run as read_run
    from tiewise.judging.arrays import evaluate_arrays as evaluate_arrays
    from tiewise.judging.compare import compare as compare
    from tiewise.judging.evaluate import average as average
    from tiewise.judging.evaluate import coverage as coverage
    from tiewise.judging.evaluate import evaluate as evaluate
    from tiewise.runs.filters import drop_self as drop_self
    from tiewise.runs.filters import judged_only as judged_only
    from tiewise.runs.ties import tie_statistics as tie_statistics

_HOME = {
    "InputError": "tiewise.errors",
    "average": "tiewise.judging.evaluate",
    "compare": "tiewise.judging.compare",
    "coverage": "tiewise.judging.evaluate",
    "drop_self": "tiewise.runs.filters",
    "evaluate": "tiewise.judging.evaluate",
    "evaluate_arrays": "tiewise.judging.arrays",
    "judged_only": "tiewise.runs.filters",
    "read_qrels": "tiewise.io",
    "read_run": "tiewise.io",
    "tie_statistics": "tiewise.runs.ties",
}

__all__ = ["__version__", *sorted(_HOME)]
__version__ = version("tiewise")


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'tiewise' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
