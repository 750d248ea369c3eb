from tiewise.study.job import job
from tiewise.study.steps.check_model import self_test

with job(snakemake) as study:
    self_test(study, snakemake.wildcards.model)
