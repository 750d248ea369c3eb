from tiewise.study.first_stage import first_stage
from tiewise.study.job import job

with job(snakemake) as study:
    first_stage(study, snakemake.wildcards.dataset)
