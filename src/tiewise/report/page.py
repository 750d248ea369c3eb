"""Self-contained pages: one HTML file that can be sent to a colleague."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from tiewise.errors import InputError


def render(template: str, **context: Any) -> str:
    """Render a page of ``templates/``; every text in it is escaped.

    Parameters
    ----------
    template : str
        File name of the template.
    **context
        What it shows.

    Raises
    ------
    InputError
        The package jinja2 is not installed.
    """
    try:
        import jinja2
    except ImportError:
        raise InputError("pages need the package jinja2 (pip install jinja2)") from None
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("tiewise.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["value"] = value
    return environment.get_template(template).render(version=version("tiewise"), **context)


def value(number: float | None) -> str:
    """Show a measure's value with four decimals, or a dash.

    Examples
    --------
    >>> value(0.12345), value(None)
    ('0.1235', '–')
    """
    return "–" if number is None else f"{number:.4f}"
