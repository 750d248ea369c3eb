from tiewise.study import steps
from tiewise.study.job import job

with job(snakemake) as study:
    steps.logits(study, snakemake.wildcards.model, snakemake.wildcards.dtype, snakemake.threads)
