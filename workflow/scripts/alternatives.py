from tiewise.study.alternatives import alternatives
from tiewise.study.job import job
from tiewise.study.toolkits import toolkits

with job(snakemake) as study:
    alternatives(study, snakemake.wildcards.model)
    toolkits(study, snakemake.wildcards.model)
