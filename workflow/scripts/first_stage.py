from tiewise.study.job import run
from tiewise.study.steps.judge_first_stage import judge_first_stage

run(snakemake, judge_first_stage)
