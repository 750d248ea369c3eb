"""Tie-aware evaluation of retrieval runs: how much of a score is the order of its ties?

The names below are the interface; they load on first use, so that ``import tiewise`` stays fast
and never imports torch.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiewise.errors import InputError as InputError
    from tiewise.evaluate import evaluate as evaluate
    from tiewise.evaluate import evaluate_arrays as evaluate_arrays

_HOME = {
    "InputError": "tiewise.errors",
    "evaluate": "tiewise.evaluate",
    "evaluate_arrays": "tiewise.evaluate",
}

__all__ = ["InputError", "__version__", "evaluate", "evaluate_arrays"]  # noqa: F822 (lazy)
__version__ = version("tiewise")


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'tiewise' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
