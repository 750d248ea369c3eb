from tiewise.study.job import job
from tiewise.study.steps.run_model import logits

with job(snakemake) as study:
    logits(study, snakemake.wildcards.model, snakemake.wildcards.dtype, snakemake.threads)
