from tiewise.report.study_page.page import write_page
from tiewise.study.job import job

with job(snakemake) as study:
    write_page(study)
