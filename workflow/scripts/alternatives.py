from tiewise.study.job import job
from tiewise.study.steps.ask_toolkits import toolkits
from tiewise.study.steps.try_alternatives import alternatives

with job(snakemake) as study:
    alternatives(study, snakemake.wildcards.model)
    toolkits(study, snakemake.wildcards.model)
