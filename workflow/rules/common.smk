"""The study that the config describes; every mistake in it is said here, before any job starts."""

from pathlib import Path

from snakemake.exceptions import WorkflowError
from tiewise.errors import InputError
from tiewise.study import keys
from tiewise.study.config import load_study
from tiewise.study.layout import Layout
from tiewise.study.published import published_files
from tiewise.study.sources import package_hash, source_hash

ROOT = Path(str(workflow.current_basedir)).resolve().parents[1]
try:
    STUDY = load_study(config, ROOT)
    for spec in (*STUDY.datasets.values(), *STUDY.models.values()):
        spec.source.local_files()
except InputError as error:
    raise WorkflowError(str(error)) from None

layout = Layout()


def key(rule):
    """What the artifacts of a rule depend on beside its inputs: parts of the study, and code."""
    script = ROOT / "workflow" / "scripts" / f"{rule}.py"
    return lambda wildcards: keys.key(STUDY, rule, wildcards) | {
        "code": source_hash(script)
    }


def either(names):
    """Regular expression that matches exactly these names."""
    return "|".join(re.escape(name) for name in names)


wildcard_constraints:
    dataset=either(STUDY.datasets),
    model=either(STUDY.models),
    dtype=either(STUDY.dtypes),
    regime=either(STUDY.regimes),
    recipe=either(STUDY.recipes),
