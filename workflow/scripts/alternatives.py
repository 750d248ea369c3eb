from tiewise.study.job import run
from tiewise.study.steps.try_alternatives import try_alternatives

run(snakemake, try_alternatives)
