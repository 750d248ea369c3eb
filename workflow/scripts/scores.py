from tiewise.study.job import run
from tiewise.study.steps.compute_scores import compute_scores

run(snakemake, compute_scores)
