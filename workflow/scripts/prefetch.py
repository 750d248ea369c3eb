from tiewise.study import steps
from tiewise.study.job import job

with job(snakemake) as study:
    steps.prefetch(study)
