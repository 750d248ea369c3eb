"""Tie statistics: how many scores are left, how alike regimes rank, which queries move most."""


rule ties:
    """Count the ties of a model's scores in every regime, per query."""
    input:
        scores=[layout.scores("{dataset}", "{model}", r) for r in STUDY.regimes],
    output:
        ties=[layout.ties("{dataset}", "{model}", r) for r in STUDY.regimes],
    log:
        "results/logs/ties/{dataset}/{model}.log",
    benchmark:
        "results/logs/ties/{dataset}/{model}.benchmark.tsv"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        key=key("ties"),
    message:
        "Ties of {wildcards.model} on {wildcards.dataset}"
    script:
        "../scripts/ties.py"


rule agreement:
    """Compare a model's ranking in every regime with FP32's, per query."""
    input:
        corpus=layout.data("{dataset}", "corpus"),
        scores=[layout.scores("{dataset}", "{model}", r) for r in STUDY.regimes],
    output:
        agreement=[layout.agreement("{dataset}", "{model}", r) for r in STUDY.regimes],
    log:
        "results/logs/agreement/{dataset}/{model}.log",
    benchmark:
        "results/logs/agreement/{dataset}/{model}.benchmark.tsv"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        key=key("agreement"),
    message:
        "Agreement of {wildcards.model} with FP32 on {wildcards.dataset}"
    script:
        "../scripts/agreement.py"


rule distribution:
    """Count where a model's scores fall in every regime, all data sets together."""
    input:
        scores=[
            layout.scores(d, "{model}", r)
            for d in STUDY.datasets
            for r in STUDY.regimes
        ],
    output:
        distribution=layout.distribution("{model}"),
    log:
        "results/logs/distribution/{model}.log",
    benchmark:
        "results/logs/distribution/{model}.benchmark.tsv"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        key=key("distribution"),
    message:
        "Distribution of the scores of {wildcards.model}"
    script:
        "../scripts/distribution.py"


rule tie_summary:
    """Average ties and agreement over queries."""
    input:
        ties=[layout.ties(*cell) for cell in STUDY.cells],
        agreement=[layout.agreement(*cell) for cell in STUDY.cells],
    output:
        tie_summary=layout.tie_summary(),
    log:
        "results/logs/tie_summary.log",
    benchmark:
        "results/logs/tie_summary.benchmark.tsv"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        key=key("tie_summary"),
    message:
        "Ties on average"
    script:
        "../scripts/tie_summary.py"


rule worst:
    """Find the queries that ties move most, with the texts of what is tied."""
    input:
        corpus=[layout.data(d, "corpus") for d in STUDY.datasets],
        queries=[layout.data(d, "queries") for d in STUDY.datasets],
        qrels=[layout.data(d, "qrels") for d in STUDY.datasets],
        candidates=[layout.data(d, "candidates") for d in STUDY.datasets],
        metrics=[layout.metrics(*cell) for cell in STUDY.cells],
        scores=[layout.scores(*cell) for cell in STUDY.cells],
    output:
        worst=layout.worst(),
    log:
        "results/logs/worst.log",
    benchmark:
        "results/logs/worst.benchmark.tsv"
    resources:
        mem_mb=8000,
        runtime=60,
    params:
        key=key("worst"),
    message:
        "Queries that ties move most"
    script:
        "../scripts/worst.py"
