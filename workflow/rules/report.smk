"""Tables and figures: views of the artifacts."""


rule main_table:
    """T-main: what each model and regime scores, and how far ties move it."""
    input:
        layout.summary(),
    output:
        multiext("results/tables/main", ".csv", ".md", ".tex"),
    log:
        "results/logs/tables/main.log",
    benchmark:
        "results/logs/tables/main.benchmark.tsv"
    params:
        measures=STUDY.config.table_measures,
        code=source_hash("report"),
    message:
        "Table main"
    script:
        "../scripts/main_table.py"


rule cutoffs_figure:
    """F-cutoffs: expected value and its tie range against the cut-off."""
    input:
        layout.summary(),
    output:
        multiext("results/figures/cutoffs", ".pdf", ".svg", ".png"),
    log:
        "results/logs/figures/cutoffs.log",
    benchmark:
        "results/logs/figures/cutoffs.benchmark.tsv"
    params:
        measures=STUDY.config.table_measures,
        code=source_hash("report"),
    message:
        "Figure cutoffs"
    script:
        "../scripts/cutoffs_figure.py"
