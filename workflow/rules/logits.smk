"""Forward passes: the expensive artifact, one pass per model dtype for all of its regimes."""


rule logits:
    """Run a model in one dtype over every data set, so that it is loaded once."""
    input:
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
        spec=lambda w: fingerprint(STUDY.models[w.model]),
        arithmetic=STUDY.config.arithmetic,
        device=STUDY.config.device,
        code=source_hash("models", "precision", "errors"),
    message:
        "Logits of {wildcards.model} in {wildcards.dtype}"
    script:
        "../scripts/logits.py"
