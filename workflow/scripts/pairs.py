from tiewise.study.job import job
from tiewise.study.steps.compare_models import pairs

with job(snakemake) as study:
    pairs(study, snakemake.wildcards.dataset)
