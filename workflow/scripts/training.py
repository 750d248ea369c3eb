from tiewise.study.job import run
from tiewise.study.steps.train_rerankers import train_rerankers

run(snakemake, train_rerankers)
