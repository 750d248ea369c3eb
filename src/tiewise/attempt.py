"""Collect what is wrong over several steps, so that one report names all of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tiewise.errors import InputError


def attempt(problems: list[str], step: Callable[..., Any], *arguments: Any) -> Any:
    """Call a step that may refuse its input.

    Parameters
    ----------
    problems : list of str
        Grows by what the step says.
    step : callable
        May raise `InputError`.
    *arguments
        Its arguments.

    Returns
    -------
    object
        What the step returns; None if it refused.

    Examples
    --------
    >>> from tiewise.measures import parse
    >>> problems = []
    >>> attempt(problems, parse, "RR@0") is None, problems
    (True, ["measure 'RR@0': the cutoff must be a positive whole number, found 0"])
    """
    try:
        return step(*arguments)
    except InputError as error:
        problems.extend(error.problems)
        return None


def stop(problems: list[str]) -> None:
    """Raise what was collected, if anything was.

    Raises
    ------
    InputError
        Naming all problems.

    Examples
    --------
    >>> stop([])
    """
    if problems:
        raise InputError(problems)
