from tiewise.report.figures.study import draw_figures
from tiewise.study.job import job

with job(snakemake) as study:
    draw_figures(study)
