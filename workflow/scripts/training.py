from tiewise.study.job import job
from tiewise.study.steps.train_rerankers import train

with job(snakemake) as study:
    train(study, snakemake.wildcards.recipe, snakemake.threads)
