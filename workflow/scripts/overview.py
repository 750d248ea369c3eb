from tiewise.study.averages import averages, tie_summary
from tiewise.study.job import job
from tiewise.study.worst import worst

with job(snakemake) as study:
    averages(study)
    tie_summary(study)
    worst(study)
