from tiewise.study.job import job
from tiewise.study.steps.count_scores import distribution
from tiewise.study.steps.measure_agreement import agreement

with job(snakemake) as study:
    agreement(study, snakemake.wildcards.model)
    distribution(study, snakemake.wildcards.model)
