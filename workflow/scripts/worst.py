from tiewise.study.job import run
from tiewise.study.steps.find_worst import find_worst

run(snakemake, find_worst)
