from tiewise.study.job import run
from tiewise.study.steps.time_upcast import time_upcast

run(snakemake, time_upcast)
