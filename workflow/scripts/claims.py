from tiewise.study.job import run
from tiewise.study.steps.check_claims import check_claims

run(snakemake, check_claims)
