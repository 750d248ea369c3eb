from tiewise.study.job import job
from tiewise.study.steps.count_ties import ties

with job(snakemake) as study:
    ties(study, snakemake.wildcards.model)
