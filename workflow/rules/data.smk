"""Data sets in the normal form, and the candidates that models rank."""


localrules:
    prefetch,


rule prefetch:
    """Fetch what a study needs, on a machine with network: snakemake prefetch."""
    log:
        "results/logs/prefetch.log",
    message:
        "Data sets and models from where they are kept"
    script:
        "../scripts/prefetch.py"


rule dataset:
    """Bring a data set into the normal form."""
    output:
        corpus=layout.data("{dataset}", "corpus"),
        queries=layout.data("{dataset}", "queries"),
        qrels=layout.data("{dataset}", "qrels"),
    log:
        "results/logs/dataset/{dataset}.log",
    benchmark:
        "results/logs/dataset/{dataset}.benchmark.tsv"
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        key=key("dataset"),
    message:
        "Data set {wildcards.dataset}"
    script:
        "../scripts/dataset.py"


rule candidates:
    """Choose the documents that models rank for each query."""
    input:
        corpus=layout.data("{dataset}", "corpus"),
        queries=layout.data("{dataset}", "queries"),
        qrels=layout.data("{dataset}", "qrels"),
    output:
        candidates=layout.data("{dataset}", "candidates"),
    log:
        "results/logs/candidates/{dataset}.log",
    benchmark:
        "results/logs/candidates/{dataset}.benchmark.tsv"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        key=key("candidates"),
    message:
        "Candidates of {wildcards.dataset}"
    script:
        "../scripts/candidates.py"
