from tiewise.study.job import job
from tiewise.study.steps.judge_scores import metrics

with job(snakemake) as study:
    metrics(study, snakemake.wildcards.model)
