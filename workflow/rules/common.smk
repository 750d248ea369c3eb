"""The study that the config describes; every mistake in it is said here, before any job starts."""

from pathlib import Path

from snakemake.exceptions import WorkflowError
from tiewise.errors import InputError
from tiewise.models.recipe import recipe_of
from tiewise.study.config import fingerprint, load_study
from tiewise.study.layout import Layout
from tiewise.study.provenance import source_hash
from tiewise.study.published import published_files
from tiewise.study.reading import options

ROOT = Path(str(workflow.current_basedir)).resolve().parents[1]
try:
    STUDY = load_study(config, ROOT)
except InputError as error:
    raise WorkflowError(str(error)) from None

layout = Layout()
READING = ["study/reading", "data/candidates", "errors", "store"]
"""Sources that decide how a step reads judgements and runs."""


def either(names):
    """Regular expression that matches exactly these names."""
    return "|".join(re.escape(name) for name in names)


wildcard_constraints:
    dataset=either(STUDY.datasets),
    model=either(STUDY.models),
    dtype=either(STUDY.dtypes),
    regime=either(STUDY.regimes),
    recipe=either(STUDY.recipes),
