from tiewise.study.job import job
from tiewise.study.steps.average_datasets import averages
from tiewise.study.steps.find_worst import worst
from tiewise.study.steps.summarise_ties import tie_summary

with job(snakemake) as study:
    averages(study)
    tie_summary(study)
    worst(study)
