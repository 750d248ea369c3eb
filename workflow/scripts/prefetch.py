from tiewise.study.job import job
from tiewise.study.steps.prefetch import prefetch

with job(snakemake) as study:
    prefetch(study)
