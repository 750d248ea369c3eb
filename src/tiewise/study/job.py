"""What surrounds a step when the workflow runs it: its study, files, log and last words."""

from __future__ import annotations

import inspect
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tiewise.errors import InputError
from tiewise.study.config import Study, load_study

AFTER = "after"
"""Name of a rule's inputs that only put jobs in order: no step receives them."""


def run(snakemake: Any, step: Callable[..., None]) -> None:
    """Run a step as a job of the workflow.

    The step receives the study, and by name the rule's wildcards, inputs and outputs; a name that
    only one of the two knows ends the job, so rule and step cannot drift apart.

    Parameters
    ----------
    snakemake : object
        What Snakemake hands to a script.
    step : callable
        Takes the study, then by name wildcards (str), inputs and outputs (a path, or a list of
        paths where the rule has a list), and ``threads`` if it has a parameter of this name.
    """
    with job(snakemake) as study:
        step(study, **_named(snakemake, step))


def _named(snakemake: Any, step: Callable[..., None]) -> dict[str, Any]:
    named: dict[str, Any] = dict(snakemake.wildcards.items())
    for files in (snakemake.input, snakemake.output):
        for name, value in files.items():
            named[name] = Path(value) if isinstance(value, str) else [Path(v) for v in value]
    named.pop(AFTER, None)
    if "threads" in inspect.signature(step).parameters:
        named["threads"] = snakemake.threads
    return named


@contextmanager
def job(snakemake: Any) -> Iterator[Study]:
    """Load the job's study and keep its log; wrong input ends it with one message.

    Parameters
    ----------
    snakemake : object
        What Snakemake hands to a script: ``config``, ``log`` and ``scriptdir`` are used.

    Yields
    ------
    Study
        The study that the config describes.
    """
    logging.basicConfig(
        level=logging.INFO,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
        datefmt="%Y-%m-%dT%H:%M:%S",
        filename=snakemake.log[0],
        filemode="w",
        force=True,
    )
    logging.captureWarnings(True)
    logging.getLogger("bm25s").setLevel(logging.INFO)  # it asks for its debug messages by itself
    try:
        yield load_study(snakemake.config, Path(snakemake.scriptdir).resolve().parents[1])
    except InputError as error:
        logging.error("%s", error)
        sys.exit(f"error: {error}")
    except Exception:
        logging.exception("the step failed")
        raise
