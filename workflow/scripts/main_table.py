from tiewise.report import views
from tiewise.study.job import job

with job(snakemake) as study:
    views.main_table(study)
