from tiewise.study.job import run
from tiewise.study.steps.count_ties import count_ties

run(snakemake, count_ties)
