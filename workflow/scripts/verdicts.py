from tiewise.study.job import run
from tiewise.study.steps.check_published import check_published

run(snakemake, check_published)
