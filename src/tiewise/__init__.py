"""Tie-aware evaluation of retrieval runs.

How much of a score is the model, and how much is the order in which ties were broken?

The names below are the interface; they load on first use, so that ``import tiewise`` stays fast
and never imports torch.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import version
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiewise.arrays import evaluate_arrays as evaluate_arrays
    from tiewise.compare import compare as compare
    from tiewise.errors import InputError as InputError
    from tiewise.evaluate import average as average
    from tiewise.evaluate import coverage as coverage
    from tiewise.evaluate import evaluate as evaluate
    from tiewise.io import read_qrels as read_qrels
    from tiewise.io import read_run as read_run
    from tiewise.runs.filters import drop_self as drop_self
    from tiewise.runs.filters import judged_only as judged_only
    from tiewise.ties import tie_statistics as tie_statistics

_HOME = {
    "InputError": "tiewise.errors",
    "average": "tiewise.evaluate",
    "compare": "tiewise.compare",
    "coverage": "tiewise.evaluate",
    "drop_self": "tiewise.runs.filters",
    "evaluate": "tiewise.evaluate",
    "evaluate_arrays": "tiewise.arrays",
    "judged_only": "tiewise.runs.filters",
    "read_qrels": "tiewise.io",
    "read_run": "tiewise.io",
    "tie_statistics": "tiewise.ties",
}

__all__ = ["__version__", *sorted(_HOME)]
__version__ = version("tiewise")


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'tiewise' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__


class _Package(ModuleType):
    """A package in which a function keeps the name that it shares with its module."""

    def __setattr__(self, name: str, value: Any) -> None:
        # The import of tiewise.evaluate ends with binding the module to the name `evaluate` here.
        if name in _HOME and isinstance(value, ModuleType):
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
