from tiewise.report.tables.study import write_tables
from tiewise.study.job import job

with job(snakemake) as study:
    write_tables(study)
