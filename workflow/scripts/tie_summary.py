from tiewise.study.job import run
from tiewise.study.steps.summarise_ties import summarise_ties

run(snakemake, summarise_ties)
