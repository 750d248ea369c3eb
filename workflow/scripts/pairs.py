from tiewise.study.job import job
from tiewise.study.pairs import pairs

with job(snakemake) as study:
    pairs(study, snakemake.wildcards.dataset)
