"""Notebooks: sources that Python can read, executed into notebooks with their outputs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tiewise.errors import InputError
from tiewise.store.artifacts import writing

MINUTES = 10
"""A cell that takes longer is an error."""


def execute(source: Path, target: Path) -> dict[str, Any]:
    """Execute a notebook in the folder of its source.

    Parameters
    ----------
    source : pathlib.Path
        A Python file with cells (``# %%``).
    target : pathlib.Path
        The notebook to write, with outputs.

    Returns
    -------
    dict
        The notebook.

    Raises
    ------
    InputError
        A cell failed; the message is its error.
    """
    import jupytext
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    notebook = jupytext.read(source)
    folder = {"metadata": {"path": str(source.parent)}}
    try:
        client = NotebookClient(notebook, timeout=60 * MINUTES, resources=folder)
        # A progress bar cannot be drawn here, which is no news to a reader.
        client.execute(env=os.environ | {"PYTHONWARNINGS": "ignore:IProgress"})
    except CellExecutionError as error:
        raise InputError(f"{source.name}: a cell failed: {error}") from error
    with writing(target) as part:
        part.write_text(jupytext.writes(notebook, fmt="ipynb"), encoding="utf-8")
    return dict(notebook)
