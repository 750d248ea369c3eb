from tiewise.study.job import job
from tiewise.study.steps.find_candidates import candidates

with job(snakemake) as study:
    candidates(study, snakemake.wildcards.dataset)
