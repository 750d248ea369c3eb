from tiewise.study.job import run
from tiewise.study.steps.check_model import check_model

run(snakemake, check_model)
