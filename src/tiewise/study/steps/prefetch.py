"""Bring everything that a study needs to this machine."""

from __future__ import annotations

import logging
import sys
from functools import partial
from typing import TYPE_CHECKING

from tqdm import tqdm

from tiewise.errors import InputError, Problems

if TYPE_CHECKING:
    from tiewise.study.config import Study

log = logging.getLogger(__name__)


def prefetch(study: Study) -> None:
    """Bring everything that a study needs to this machine, for one that will be offline.

    What cannot be had is named at the end, all at once; the rest is fetched all the same.
    """
    from tiewise.models.source import model_folder

    problems = Problems()
    sources = {name: spec.source.fetch for name, spec in study.datasets.items()}
    models = {name: partial(model_folder, spec.source) for name, spec in study.models.items()}
    for name, fetch in tqdm((sources | models).items(), disable=not sys.stderr.isatty()):
        try:
            fetch()
            log.info("%s is here", name)
        except InputError as error:
            problems += [f"{name}: {problem}" for problem in error.problems]
    problems.stop()
