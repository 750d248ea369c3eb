from tiewise.study.job import run
from tiewise.study.steps.count_scores import count_scores

run(snakemake, count_scores)
