from tiewise.study.job import job
from tiewise.study.steps.compute_scores import scores

with job(snakemake) as study:
    scores(study, snakemake.wildcards.model)
