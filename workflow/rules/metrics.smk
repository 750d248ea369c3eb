"""Tie-aware measures, per query and on average."""


rule metrics:
    """Judge a model's scores in every regime, per query."""
    input:
        [
            layout.data(dataset, table)
            for dataset in STUDY.datasets
            for table in ("qrels", "candidates")
        ],
        [
            layout.scores(dataset, "{model}", regime)
            for dataset, regime in layout.cells(STUDY)
        ],
    output:
        [
            layout.metrics(dataset, "{model}", regime)
            for dataset, regime in layout.cells(STUDY)
        ],
    log:
        "results/logs/metrics/{model}.log",
    benchmark:
        "results/logs/metrics/{model}.benchmark.tsv"
    threads: 2
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        key=key("metrics"),
    message:
        "Metrics of {wildcards.model}"
    script:
        "../scripts/metrics.py"


rule summary:
    """Average over queries: the one table that all tables and figures are views of."""
    input:
        [
            layout.metrics(dataset, model, regime)
            for model in STUDY.models
            for dataset, regime in layout.cells(STUDY)
        ],
    output:
        layout.summary(),
    log:
        "results/logs/summary.log",
    benchmark:
        "results/logs/summary.benchmark.tsv"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        key=key("summary"),
    message:
        "Averages over queries"
    script:
        "../scripts/summary.py"
