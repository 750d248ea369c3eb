"""Tie-aware measures, per query and on average."""


rule metrics:
    """Judge a model's scores in every regime, per query."""
    input:
        qrels=layout.data("{dataset}", "qrels"),
        candidates=layout.data("{dataset}", "candidates"),
        scores=[layout.scores("{dataset}", "{model}", r) for r in STUDY.regimes],
    output:
        metrics=[layout.metrics("{dataset}", "{model}", r) for r in STUDY.regimes],
    log:
        "results/logs/metrics/{dataset}/{model}.log",
    benchmark:
        "results/logs/metrics/{dataset}/{model}.benchmark.tsv"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        key=key("metrics"),
    message:
        "Metrics of {wildcards.model} on {wildcards.dataset}"
    script:
        "../scripts/metrics.py"


rule summary:
    """Average over queries: the one table that all tables and figures are views of."""
    input:
        metrics=[layout.metrics(*cell) for cell in STUDY.cells],
    output:
        summary=layout.summary(),
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


rule averages:
    """Average over the data sets of each group."""
    input:
        summary=layout.summary(),
    output:
        averages=layout.averages(),
    log:
        "results/logs/averages.log",
    benchmark:
        "results/logs/averages.benchmark.tsv"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        key=key("averages"),
    message:
        "Averages over data sets"
    script:
        "../scripts/averages.py"
