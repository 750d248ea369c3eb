from tiewise.study.job import run
from tiewise.study.steps.build_dataset import build_dataset

run(snakemake, build_dataset)
