"""Collect what is wrong with an input, and warn of what is only odd."""

from __future__ import annotations

import warnings

from tiewise.errors import InputError

LIMIT = 100
"""Problems after which reading stops: a file of the wrong kind has one on every line."""


class InputWarning(UserWarning):
    """Input that is used, but not as its writer may have meant it."""


def warn(message: str) -> None:
    """Warn the caller of a reader.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn("run.txt: the rank column contradicts the scores")
    >>> caught[0].category.__name__
    'InputWarning'
    """
    warnings.warn(message, InputWarning, stacklevel=3)


class Problems:
    """The problems found so far in one input, raised together.

    Parameters
    ----------
    limit : int
        How many are kept; `full` says when it is time to stop looking.

    Examples
    --------
    >>> problems = Problems(limit=1)
    >>> problems.add("run.txt:1: 5 columns, not 6")
    >>> problems.full
    True
    >>> problems.raise_any()
    Traceback (most recent call last):
        ...
    tiewise.errors.InputError: 2 problems:
      run.txt:1: 5 columns, not 6
      reading stopped here, after 1 problem
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self.limit = limit
        self.found: list[str] = []

    def add(self, problem: str) -> None:
        """Keep one problem."""
        self.found.append(problem)

    @property
    def full(self) -> bool:
        """Whether the limit is reached."""
        return len(self.found) >= self.limit

    def raise_any(self) -> None:
        """Raise one `InputError` with all problems, if there are any."""
        if self.full:
            count = f"{self.limit} problem" + ("s" if self.limit > 1 else "")
            self.found.append(f"reading stopped here, after {count}")
        if self.found:
            raise InputError(self.found)
