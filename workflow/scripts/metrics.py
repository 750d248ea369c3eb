from tiewise.study.job import run
from tiewise.study.steps.judge_scores import judge_scores

run(snakemake, judge_scores)
