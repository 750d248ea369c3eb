from pathlib import Path

from tiewise.study.job import job
from tiewise.study.steps.check_claims import claims
from tiewise.study.steps.check_published import verdicts

with job(snakemake) as study:
    verdicts(study, map(Path, snakemake.input.published))
    claims(study)
