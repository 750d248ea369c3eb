"""Forward passes: the expensive artifact, one pass per model dtype for all of its regimes."""


def trained(wildcards):
    """Weights of a model that the study trains; nothing for one that comes from elsewhere."""
    source = STUDY.models[wildcards.model].source
    return [layout.weights(source.recipe, source.head)] if source.recipe else []


def training_table(table):
    """Table of the data set that a recipe trains on."""
    return lambda wildcards: layout.data(STUDY.recipes[wildcards.recipe].dataset, table)


rule training:
    """Train a recipe's rerankers, one with each head, on queries that the study does not test."""
    input:
        corpus=training_table("corpus"),
        queries=training_table("queries"),
        qrels=training_table("qrels"),
    output:
        sigmoid=layout.weights("{recipe}", "sigmoid"),
        softmax=layout.weights("{recipe}", "softmax"),
    log:
        "results/logs/training/{recipe}.log",
    benchmark:
        "results/logs/training/{recipe}.benchmark.tsv"
    threads: 2
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        key=key("training"),
    message:
        "Training of {wildcards.recipe}"
    script:
        "../scripts/training.py"


rule self_test:
    """Check a model's known values, so that wrong weights or prompts score nothing."""
    input:
        weights=trained,
    output:
        self_test=layout.self_test("{model}"),
    log:
        "results/logs/self_test/{model}.log",
    benchmark:
        "results/logs/self_test/{model}.benchmark.tsv"
    resources:
        gpu=1,
        mem_mb=8000,
        runtime=30,
    params:
        key=key("self_test"),
    message:
        "Self-test of {wildcards.model}"
    script:
        "../scripts/self_test.py"


rule logits:
    """Run a model in one dtype over a data set."""
    input:
        after=branch(STUDY.config.self_test, then=rules.self_test.output),
        weights=trained,
        corpus=layout.data("{dataset}", "corpus"),
        queries=layout.data("{dataset}", "queries"),
        candidates=layout.data("{dataset}", "candidates"),
    output:
        logits=layout.logits("{dataset}", "{model}", "{dtype}"),
    log:
        "results/logs/logits/{dataset}/{model}.{dtype}.log",
    benchmark:
        "results/logs/logits/{dataset}/{model}.{dtype}.benchmark.tsv"
    threads: 8
    resources:
        gpu=1,
        mem_mb=8000,
        runtime=720,
    params:
        key=key("logits"),
    message:
        "Logits of {wildcards.model} in {wildcards.dtype} on {wildcards.dataset}"
    script:
        "../scripts/logits.py"
