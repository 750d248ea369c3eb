"""Scores of every precision regime: cheap functions of the logits."""


rule scores:
    """Apply a model's scoring function in the score dtype of each regime."""
    input:
        candidates=layout.data("{dataset}", "candidates"),
        logits=[layout.logits("{dataset}", "{model}", d) for d in STUDY.dtypes],
    output:
        scores=[layout.scores("{dataset}", "{model}", r) for r in STUDY.regimes],
    log:
        "results/logs/scores/{dataset}/{model}.log",
    benchmark:
        "results/logs/scores/{dataset}/{model}.benchmark.tsv"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        key=key("scores"),
    message:
        "Scores of {wildcards.model} on {wildcards.dataset}"
    script:
        "../scripts/scores.py"
