"""What surrounds a step when the workflow runs it: its study, its log, its last words."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tiewise.errors import InputError
from tiewise.study.config import Study, load_study


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
