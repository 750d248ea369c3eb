from tiewise.study.job import run
from tiewise.study.steps.average_queries import average_queries

run(snakemake, average_queries)
