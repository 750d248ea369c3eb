"""Forward passes: the expensive artifact, one pass per model dtype for all of its regimes."""


def trained(wildcards):
    """Checkpoint of a model that the study trains; nothing for one that comes from elsewhere."""
    source = STUDY.models[wildcards.model].source
    if source.recipe is None:
        return []
    return layout.checkpoint(source.recipe, source.head) / "model.safetensors"


rule training:
    """Train a recipe's rerankers, one with each head, on queries that the study does not test."""
    input:
        lambda w: [
            layout.data(STUDY.recipes[w.recipe].dataset, table)
            for table in ("corpus", "queries", "qrels")
        ],
    output:
        layout.checkpoint("{recipe}", "sigmoid") / "model.safetensors",
        layout.checkpoint("{recipe}", "softmax") / "model.safetensors",
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
        trained,
    output:
        layout.self_test("{model}"),
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
    """Run a model in one dtype over every data set, so that it is loaded once."""
    input:
        branch(STUDY.config.self_test, then=rules.self_test.output),
        trained,
        [
            layout.data(dataset, table)
            for dataset in STUDY.datasets
            for table in ("corpus", "queries", "candidates")
        ],
    output:
        [layout.logits(dataset, "{model}", "{dtype}") for dataset in STUDY.datasets],
    log:
        "results/logs/logits/{model}.{dtype}.log",
    benchmark:
        "results/logs/logits/{model}.{dtype}.benchmark.tsv"
    threads: 8
    resources:
        gpu=1,
        mem_mb=8000,
        runtime=720,
    params:
        key=key("logits"),
    message:
        "Logits of {wildcards.model} in {wildcards.dtype}"
    script:
        "../scripts/logits.py"
