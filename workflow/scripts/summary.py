from tiewise.study.job import job
from tiewise.study.steps.average_queries import summary

with job(snakemake) as study:
    summary(study)
