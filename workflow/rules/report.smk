"""Tables, figures and the page: views of the artifacts."""

from tiewise.report import names


rule tables:
    """Lay out every table in CSV, Markdown and LaTeX."""
    input:
        layout.summary(),
        layout.averages(),
        layout.tie_summary(),
        layout.verdicts(),
        layout.claims(),
        PAIRS,
        [
            kind(*unit)
            for kind in (layout.alternatives, layout.toolkits, layout.cost)
            for unit in UNITS
        ],
    output:
        [
            report(
                f"{layout.table(name)}.csv",
                caption=f"../report/{name}.rst",
                category="Tables",
                labels={"table": name},
            )
            for name in names.TABLES
        ],
        [
            f"{layout.table(name)}{suffix}"
            for name in names.TABLES
            for suffix in names.TABLE_SUFFIXES[1:]
        ],
    log:
        "results/logs/tables.log",
    benchmark:
        "results/logs/tables.benchmark.tsv"
    shadow:
        "minimal"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        key=key("tables"),
    message:
        "Tables"
    script:
        "../scripts/tables.py"


rule figures:
    """Draw every figure in PDF, SVG and PNG."""
    input:
        layout.summary(),
        layout.averages(),
        [layout.distribution(model) for model in STUDY.models],
    output:
        [
            report(
                f"{layout.figure(name)}.svg",
                caption=f"../report/{caption}.rst",
                category="Figures",
                labels={"figure": name},
            )
            for name, caption in names.figures(STUDY).items()
        ],
        [
            f"{layout.figure(name)}{suffix}"
            for name in names.figures(STUDY)
            for suffix in (".pdf", ".png")
        ],
    log:
        "results/logs/figures.log",
    benchmark:
        "results/logs/figures.benchmark.tsv"
    shadow:
        "minimal"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        key=key("figures"),
    message:
        "Figures"
    script:
        "../scripts/figures.py"


rule page:
    """Bring the study together on one page that loads nothing from elsewhere."""
    input:
        rules.tables.input,
        layout.worst(),
        [
            layout.data(dataset, table)
            for dataset in STUDY.datasets
            for table in ("qrels", "candidates")
        ],
        [layout.first_stage(dataset) for dataset in STUDY.datasets],
        [f"{layout.figure(name)}.svg" for name in names.SHARED_FIGURES],
    output:
        report(layout.page(), caption="../report/page.rst", category="Page"),
    log:
        "results/logs/page.log",
    benchmark:
        "results/logs/page.benchmark.tsv"
    shadow:
        "minimal"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        key=key("page"),
    message:
        "Page"
    script:
        "../scripts/page.py"


rule notebooks:
    """Execute the notebooks; a target of its own, as they need no results of the study."""
    input:
        sorted((ROOT / "notebooks").glob("*.py")),
    output:
        [
            layout.notebook(path.stem)
            for path in sorted((ROOT / "notebooks").glob("*.py"))
        ],
    log:
        "results/logs/notebooks.log",
    benchmark:
        "results/logs/notebooks.benchmark.tsv"
    threads: 2
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=package_hash(),
    message:
        "Notebooks"
    script:
        "../scripts/notebooks.py"
