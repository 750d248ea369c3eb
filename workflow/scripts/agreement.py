from tiewise.study.job import run
from tiewise.study.steps.measure_agreement import measure_agreement

run(snakemake, measure_agreement)
