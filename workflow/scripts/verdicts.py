from pathlib import Path

from tiewise.study.claims import claims
from tiewise.study.job import job
from tiewise.study.verdicts import verdicts

with job(snakemake) as study:
    verdicts(study, map(Path, snakemake.input.published))
    claims(study)
