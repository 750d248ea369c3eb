"""What tables and the page are views of, beside the measures and ties themselves."""


rule first_stage:
    """Judge the candidates' own order, which models have to beat."""
    input:
        qrels=layout.data("{dataset}", "qrels"),
        candidates=layout.data("{dataset}", "candidates"),
    output:
        first_stage=layout.first_stage("{dataset}"),
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


rule alternatives:
    """Deal with a model's ties in every other way."""
    input:
        qrels=layout.data("{dataset}", "qrels"),
        candidates=layout.data("{dataset}", "candidates"),
        logits=[layout.logits("{dataset}", "{model}", d) for d in STUDY.dtypes],
    output:
        alternatives=layout.alternatives("{dataset}", "{model}"),
    log:
        "results/logs/alternatives/{dataset}/{model}.log",
    benchmark:
        "results/logs/alternatives/{dataset}/{model}.benchmark.tsv"
    resources:
        mem_mb=8000,
        runtime=120,
    params:
        key=key("alternatives"),
    message:
        "Ways to deal with the ties of {wildcards.model} on {wildcards.dataset}"
    script:
        "../scripts/alternatives.py"


rule toolkits:
    """Compute what each toolkit would print for a model's scores."""
    input:
        qrels=layout.data("{dataset}", "qrels"),
        candidates=layout.data("{dataset}", "candidates"),
        scores=[layout.scores("{dataset}", "{model}", r) for r in STUDY.regimes],
    output:
        toolkits=layout.toolkits("{dataset}", "{model}"),
    log:
        "results/logs/toolkits/{dataset}/{model}.log",
    benchmark:
        "results/logs/toolkits/{dataset}/{model}.benchmark.tsv"
    resources:
        mem_mb=8000,
        runtime=60,
    params:
        key=key("toolkits"),
    message:
        "What toolkits print for {wildcards.model} on {wildcards.dataset}"
    script:
        "../scripts/toolkits.py"


rule cost:
    """Time the upcast of a model's logits."""
    input:
        candidates=layout.data("{dataset}", "candidates"),
        logits=[layout.logits("{dataset}", "{model}", d) for d in STUDY.dtypes],
    output:
        cost=layout.cost("{dataset}", "{model}"),
    log:
        "results/logs/cost/{dataset}/{model}.log",
    benchmark:
        "results/logs/cost/{dataset}/{model}.benchmark.tsv"
    resources:
        gpu=1,
        mem_mb=8000,
        runtime=30,
    params:
        key=key("cost"),
    message:
        "Cost of the upcast for {wildcards.model} on {wildcards.dataset}"
    script:
        "../scripts/cost.py"


rule pairs:
    """Compare every pair of models on a data set."""
    input:
        qrels=layout.data("{dataset}", "qrels"),
        candidates=layout.data("{dataset}", "candidates"),
        scores=[
            layout.scores("{dataset}", m, r)
            for r in STUDY.regimes
            for m in STUDY.models
        ],
    output:
        pairs=layout.pairs("{dataset}"),
    log:
        "results/logs/pairs/{dataset}.log",
    benchmark:
        "results/logs/pairs/{dataset}.benchmark.tsv"
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
UNITS = [(name, model) for model in STUDY.models for name in STUDY.datasets]


rule verdicts:
    """Hold published numbers against the study's."""
    input:
        summary=layout.summary(),
        published=published_files(STUDY, ROOT),
    output:
        verdicts=layout.verdicts(),
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
        "Verdicts on published numbers"
    script:
        "../scripts/verdicts.py"


rule claims:
    """Hold the paper's claims against the study."""
    input:
        summary=layout.summary(),
        pairs=PAIRS,
        cost=[layout.cost(*unit) for unit in UNITS],
    output:
        claims=layout.claims(),
    log:
        "results/logs/claims.log",
    benchmark:
        "results/logs/claims.benchmark.tsv"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        key=key("claims"),
    message:
        "Verdicts on the paper's claims"
    script:
        "../scripts/claims.py"
