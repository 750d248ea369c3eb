"""When reading stops, and warnings of what is only odd."""

from __future__ import annotations

import warnings

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
