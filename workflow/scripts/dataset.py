from tiewise.study.job import job
from tiewise.study.steps.build_dataset import dataset

with job(snakemake) as study:
    dataset(study, snakemake.wildcards.dataset)
