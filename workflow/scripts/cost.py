from tiewise.study.job import job
from tiewise.study.steps.time_upcast import cost

with job(snakemake) as study:
    cost(study, snakemake.wildcards.model)
