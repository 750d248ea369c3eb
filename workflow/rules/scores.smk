"""Scores of every precision regime: cheap functions of the logits."""


rule scores:
    """Apply a model's scoring function in the score dtype of each regime."""
    input:
        [layout.data(dataset, "candidates") for dataset in STUDY.datasets],
        [
            layout.logits(dataset, "{model}", dtype)
            for dataset in STUDY.datasets
            for dtype in STUDY.dtypes
        ],
    output:
        [
            layout.scores(dataset, "{model}", regime)
            for dataset, regime in layout.cells(STUDY)
        ],
    log:
        "results/logs/scores/{model}.log",
    benchmark:
        "results/logs/scores/{model}.benchmark.tsv"
    threads: 2
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        key=key("scores"),
    message:
        "Scores of {wildcards.model}"
    script:
        "../scripts/scores.py"
