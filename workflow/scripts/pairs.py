from tiewise.study.job import run
from tiewise.study.steps.compare_models import compare_models

run(snakemake, compare_models)
