from tiewise.study.agreement import agreement
from tiewise.study.distribution import distribution
from tiewise.study.job import job

with job(snakemake) as study:
    agreement(study, snakemake.wildcards.model)
    distribution(study, snakemake.wildcards.model)
