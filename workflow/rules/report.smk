"""Tables, figures and the page: views of the artifacts."""

from tiewise.report import names


rule tables:
    """Lay out every table in CSV, Markdown and LaTeX."""
    input:
        layout.summary(),
        rules.overview.output,
        rules.verdicts.output,
        PAIRS,
        [
            kind(dataset, model)
            for kind in (layout.alternatives, layout.toolkits, layout.cost)
            for dataset in STUDY.datasets
            for model in STUDY.models
        ],
    output:
        [
            f"{layout.table(name)}{suffix}"
            for name in names.TABLES
            for suffix in names.TABLE_SUFFIXES
        ],
    log:
        "results/logs/tables.log",
    benchmark:
        "results/logs/tables.benchmark.tsv"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        measures=STUDY.config.table_measures,
        labels=names.labels(STUDY),
        code=source_hash(
            "report/tables", "report/names", "report/footer", "errors", "io/artifacts"
        ),
    message:
        "Tables"
    script:
        "../scripts/tables.py"


rule figures:
    """Draw every figure in PDF, SVG and PNG."""
    input:
        layout.summary(),
        layout.averages(),
        [layout.distribution(model) for model in STUDY.models],
    output:
        [
            f"{layout.figure(name)}{suffix}"
            for name in names.figures(STUDY)
            for suffix in names.FIGURE_SUFFIXES
        ],
    log:
        "results/logs/figures.log",
    benchmark:
        "results/logs/figures.benchmark.tsv"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        measures=STUDY.config.table_measures,
        labels=names.labels(STUDY),
        code=source_hash(
            "report/figures", "report/names", "report/footer", "errors", "io/artifacts"
        ),
    message:
        "Figures"
    script:
        "../scripts/figures.py"
