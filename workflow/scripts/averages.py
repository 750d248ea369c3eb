from tiewise.study.job import run
from tiewise.study.steps.average_datasets import average_datasets

run(snakemake, average_datasets)
