from tiewise.study.cost import cost
from tiewise.study.job import job

with job(snakemake) as study:
    cost(study, snakemake.wildcards.model)
