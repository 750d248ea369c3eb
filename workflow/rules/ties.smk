"""Tie statistics: how many scores are left, and which ties FP32 does not have."""


rule ties:
    """Count the ties of a model's scores in every regime, per query."""
    input:
        [
            layout.scores(dataset, "{model}", regime)
            for dataset, regime in layout.cells(STUDY)
        ],
    output:
        [
            layout.ties(dataset, "{model}", regime)
            for dataset, regime in layout.cells(STUDY)
        ],
    log:
        "results/logs/ties/{model}.log",
    benchmark:
        "results/logs/ties/{model}.benchmark.tsv"
    threads: 2
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        key=key("ties"),
    message:
        "Ties of {wildcards.model}"
    script:
        "../scripts/ties.py"
