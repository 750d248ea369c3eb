from tiewise.study.job import run
from tiewise.study.steps.ask_toolkits import ask_toolkits

run(snakemake, ask_toolkits)
