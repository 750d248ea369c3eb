from tiewise.study.job import run
from tiewise.study.steps.find_candidates import find_candidates

run(snakemake, find_candidates)
