"""The one exception for wrong input, and the words in which it speaks."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

SHOWN = 10
"""Problems, or examples of offending ids, that a message spells out before it only counts."""


class InputError(ValueError):
    """Input that cannot be used: every refusal of the package is one of these.

    Parameters
    ----------
    problems : str or sequence of str
        All problems found, each a sentence that says where it is, what was found and what is legal.

    Attributes
    ----------
    problems : tuple of str
        The problems, in the order found; the message lists the first ten and counts the rest.

    Examples
    --------
    >>> raise InputError(["run.txt:3: score 'x' is not a number", "run.txt:9: 5 columns, not 6"])
    Traceback (most recent call last):
        ...
    tiewise.errors.InputError: 2 problems:
      run.txt:3: score 'x' is not a number
      run.txt:9: 5 columns, not 6
    """

    def __init__(self, problems: str | Sequence[str]) -> None:
        self.problems: tuple[str, ...] = (
            (problems,) if isinstance(problems, str) else tuple(problems)
        )
        super().__init__(_message(self.problems))

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[str, ...]]]:
        # A worker process hands its exception over as a pickle: keep the problems whole.
        return type(self), (self.problems,)


def _message(problems: tuple[str, ...]) -> str:
    if len(problems) == 1:
        return problems[0]
    lines = [f"{len(problems)} problems:", *(f"  {p}" for p in problems[:SHOWN])]
    if len(problems) > SHOWN:
        lines.append(f"  ... and {len(problems) - SHOWN} more")
    return "\n".join(lines)


def did_you_mean(name: str, legal: Iterable[str]) -> str:
    """Say which legal names are nearest to a wrong one, or list them when none is near.

    Parameters
    ----------
    name : str
        What was found.
    legal : iterable of str
        What would have been right.

    Returns
    -------
    str
        The end of a sentence.

    Examples
    --------
    >>> did_you_mean("bf61", ["fp32", "bf16", "fp16"])
    "did you mean 'bf16'? legal: bf16, fp16, fp32"
    >>> did_you_mean("?", ["fp32", "bf16"])
    'legal: bf16, fp32'
    """
    names = sorted(set(legal))
    lowered = {n.lower(): n for n in names}
    near = difflib.get_close_matches(name.lower(), lowered, n=1, cutoff=0.5)
    listed = f"legal: {', '.join(names[:40])}" + (", ..." if len(names) > 40 else "")
    return f"did you mean {lowered[near[0]]!r}? {listed}" if near else listed


def some(ids: Iterable[object], total: int | None = None) -> str:
    """Count offending ids and show the first few.

    Examples
    --------
    >>> some(["d1", "d2"])
    "2: 'd1', 'd2'"
    >>> some(range(12), total=99)
    '99: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...'
    """
    listed = list(ids)
    total = len(listed) if total is None else total
    shown = ", ".join(repr(i) for i in listed[:SHOWN])
    return f"{total}: {shown}" + (", ..." if total > SHOWN else "")


class Problems(list[str]):
    """What is wrong with an input, collected so that one message names it all.

    Parameters
    ----------
    found : iterable of str
        Problems that are known already.
    limit : int, optional
        After so many, `full` says that it is time to stop looking.

    Examples
    --------
    >>> def refuse(word):
    ...     raise InputError(f"{word!r} is no number")
    >>> problems = Problems(limit=1)
    >>> problems.attempt(refuse, "x") is None, problems.full
    (True, True)
    >>> problems.stop()
    Traceback (most recent call last):
        ...
    tiewise.errors.InputError: 2 problems:
      'x' is no number
      reading stopped here, after 1 problem
    """

    def __init__(self, found: Iterable[str] = (), *, limit: int | None = None) -> None:
        super().__init__(found)
        self.limit = limit

    @property
    def full(self) -> bool:
        """Whether the limit is reached."""
        return self.limit is not None and len(self) >= self.limit

    def attempt(self, step: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Call a step that may refuse its input: return what it returns, None if it refused."""
        try:
            return step(*arguments, **options)
        except InputError as error:
            self.extend(error.problems)
            return None

    def stop(self) -> None:
        """Raise one `InputError` with all problems, if there are any."""
        if self.full:
            count = f"{self.limit} problem" + ("s" if self.limit != 1 else "")
            self.append(f"reading stopped here, after {count}")
        if self:
            raise InputError(self)
