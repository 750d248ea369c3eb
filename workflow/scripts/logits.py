from tiewise.study.job import run
from tiewise.study.steps.run_model import run_model

run(snakemake, run_model)
