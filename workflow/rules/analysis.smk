"""What tables and figures are views of, beside the measures and ties themselves."""


rule agreement:
    """Compare a model's ranking in every regime with FP32's; count where its scores fall."""
    input:
        [layout.data(dataset, "corpus") for dataset in STUDY.datasets],
        [
            layout.scores(dataset, "{model}", regime)
            for dataset, regime in layout.cells(STUDY)
        ],
    output:
        [
            layout.agreement(dataset, "{model}", regime)
            for dataset, regime in layout.cells(STUDY)
        ],
        layout.distribution("{model}"),
    log:
        "results/logs/agreement/{model}.log",
    benchmark:
        "results/logs/agreement/{model}.benchmark.tsv"
    threads: 2
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        key=key("agreement"),
    message:
        "Agreement of {wildcards.model} with FP32"
    script:
        "../scripts/agreement.py"


rule alternatives:
    """Deal with a model's ties in every other way, and as each toolkit does."""
    input:
        [
            layout.data(dataset, table)
            for dataset in STUDY.datasets
            for table in ("qrels", "candidates")
        ],
        [
            layout.logits(dataset, "{model}", dtype)
            for dataset in STUDY.datasets
            for dtype in STUDY.dtypes
        ],
        [
            layout.scores(dataset, "{model}", regime)
            for dataset, regime in layout.cells(STUDY)
        ],
    output:
        [layout.alternatives(dataset, "{model}") for dataset in STUDY.datasets],
        [layout.toolkits(dataset, "{model}") for dataset in STUDY.datasets],
    log:
        "results/logs/alternatives/{model}.log",
    benchmark:
        "results/logs/alternatives/{model}.benchmark.tsv"
    threads: 2
    resources:
        mem_mb=8000,
        runtime=120,
    params:
        key=key("alternatives"),
    message:
        "Ways to deal with the ties of {wildcards.model}"
    script:
        "../scripts/alternatives.py"


rule cost:
    """Time the upcast of a model's logits."""
    input:
        [layout.data(dataset, "candidates") for dataset in STUDY.datasets],
        [
            layout.logits(dataset, "{model}", dtype)
            for dataset in STUDY.datasets
            for dtype in STUDY.dtypes
        ],
    output:
        [layout.cost(dataset, "{model}") for dataset in STUDY.datasets],
    log:
        "results/logs/cost/{model}.log",
    benchmark:
        "results/logs/cost/{model}.benchmark.tsv"
    resources:
        gpu=1,
        mem_mb=8000,
        runtime=30,
    params:
        key=key("cost"),
    message:
        "Cost of the upcast for {wildcards.model}"
    script:
        "../scripts/cost.py"


rule first_stage:
    """Judge the candidates' own order, which models have to beat."""
    input:
        layout.data("{dataset}", "qrels"),
        layout.data("{dataset}", "candidates"),
    output:
        layout.first_stage("{dataset}"),
    log:
        "results/logs/first_stage/{dataset}.log",
    benchmark:
        "results/logs/first_stage/{dataset}.benchmark.tsv"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        key=key("first_stage"),
    message:
        "First stage of {wildcards.dataset}"
    script:
        "../scripts/first_stage.py"


rule pairs:
    """Compare every pair of models on a data set."""
    input:
        layout.data("{dataset}", "qrels"),
        layout.data("{dataset}", "candidates"),
        [
            layout.scores("{dataset}", model, regime)
            for model in STUDY.models
            for regime in STUDY.regimes
        ],
    output:
        layout.pairs("{dataset}"),
    log:
        "results/logs/pairs/{dataset}.log",
    benchmark:
        "results/logs/pairs/{dataset}.benchmark.tsv"
    threads: 2
    resources:
        mem_mb=8000,
        runtime=120,
    params:
        key=key("pairs"),
    message:
        "Pairs of models on {wildcards.dataset}"
    script:
        "../scripts/pairs.py"


PAIRS = [layout.pairs(name) for name in STUDY.datasets if len(STUDY.models) > 1]


rule overview:
    """Average over data sets and queries; find the queries that ties move most."""
    input:
        layout.summary(),
        [
            layout.data(dataset, table)
            for dataset in STUDY.datasets
            for table in ("corpus", "queries", "qrels", "candidates")
        ],
        [
            kind(dataset, model, regime)
            for kind in (layout.ties, layout.agreement, layout.metrics, layout.scores)
            for model in STUDY.models
            for dataset, regime in layout.cells(STUDY)
        ],
    output:
        layout.averages(),
        layout.tie_summary(),
        layout.worst(),
    log:
        "results/logs/overview.log",
    benchmark:
        "results/logs/overview.benchmark.tsv"
    threads: 2
    resources:
        mem_mb=8000,
        runtime=60,
    params:
        key=key("overview"),
    message:
        "Overview of the study"
    script:
        "../scripts/overview.py"


rule verdicts:
    """Hold published numbers and the paper's claims against the study's."""
    input:
        layout.summary(),
        PAIRS,
        [
            layout.cost(dataset, model)
            for dataset in STUDY.datasets
            for model in STUDY.models
        ],
        published=published_files(STUDY, ROOT),
    output:
        layout.verdicts(),
        layout.claims(),
    log:
        "results/logs/verdicts.log",
    benchmark:
        "results/logs/verdicts.benchmark.tsv"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        key=key("verdicts"),
    message:
        "Verdicts on published numbers and claims"
    script:
        "../scripts/verdicts.py"
