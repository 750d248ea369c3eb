from tiewise.study.job import job
from tiewise.study.steps.judge_first_stage import first_stage

with job(snakemake) as study:
    first_stage(study, snakemake.wildcards.dataset)
