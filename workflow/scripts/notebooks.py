from pathlib import Path

from tiewise.report.notebooks import execute
from tiewise.study.job import job

with job(snakemake):
    for source, target in zip(snakemake.input, snakemake.output, strict=True):
        execute(Path(source), Path(target))
