"""What reruns after a change: what depends on it, no more and no less."""

from __future__ import annotations

import ast
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tiewise.study import keys
from tiewise.study.config import StudyConfig
from tiewise.study.sources import PACKAGE, source_hash, sources_of
from workflow_runs import CONFIG, DATASET, MODEL, ROOT, planned, snakemake

SCRIPTS = ROOT / "workflow" / "scripts"


def plan(home: Path, config: Path | None = None, **environment: str) -> dict[str, int]:
    """Jobs of each rule that a run of the finished study would execute after a change."""
    config = config or home / "study.yaml"
    return planned(snakemake(home / "run", "--dry-run", config=config, **environment))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Blocks of the miniature study, and the study in them, finished."""
    folder = tmp_path_factory.mktemp("home")
    catalog = folder / "catalog"
    shutil.copytree(ROOT / "config" / "models", catalog / "models")
    shutil.copytree(ROOT / "tests" / "miniature" / "datasets", catalog / "datasets")
    config = yaml.safe_load(CONFIG.read_text()) | {"catalog": [str(catalog)]}
    (folder / "study.yaml").write_text(yaml.safe_dump(config))
    done = snakemake(folder / "run", config=folder / "study.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def followers(home: Path) -> dict[str, set[str]]:
    """Rules that follow each rule, as the workflow itself draws them."""
    drawn = snakemake(home / "run", "--rulegraph", config=home / "study.yaml").stdout
    names = dict(re.findall(r"^\s*(\d+)\[label = \"(\w+)\"", drawn, re.M))
    edges = re.findall(r"^\s*(\d+) -> (\d+)", drawn, re.M)
    assert edges
    follows: dict[str, set[str]] = {name: set() for name in names.values()}
    for before, after in edges:
        follows[names[before]].add(names[after])
    return follows


def reached(rules: set[str], followers: dict[str, set[str]]) -> set[str]:
    found, todo = set(), [*rules]
    while todo:
        rule = todo.pop()
        if rule not in found:
            found.add(rule)
            todo += followers.get(rule, ())
    return found - {"default", "all"}


def changed(home: Path, tmp_path: Path, part: str, value: Any) -> Path:
    """Change one key of the study's config, or of the block of its data set or model."""
    block, name = part.split(".")
    config = yaml.safe_load((home / "study.yaml").read_text())
    if block == "config":
        config[name] = value
    else:
        catalog = tmp_path / "catalog"
        shutil.copytree(home / "catalog", catalog)
        file = catalog / f"{block}s" / f"{DATASET if block == 'dataset' else MODEL}.yaml"
        file.write_text(yaml.safe_dump(yaml.safe_load(file.read_text()) | {name: value}))
        config["catalog"] = [str(catalog)]
    path = tmp_path / "study.yaml"
    path.write_text(yaml.safe_dump(config))
    return path


# A part of the study, another value for it, and the parts of keys that it is.
CHANGES = [
    ("config.measures", ["nDCG@10", "RR@10", "P@3"], ["config.measures"]),
    ("config.table_measures", ["RR@10"], ["config.table_measures"]),
    ("config.policies", ["trec", "input"], ["config.policies", "policy"]),
    ("config.score_type", "float32", ["config.score_type"]),
    ("config.empty", "skip", ["config.empty"]),
    ("config.missing", "skip", ["config.missing"]),
    ("config.on_nonfinite", "error", ["config.on_nonfinite"]),
    ("config.batch_size", 512, ["config.batch_size"]),
    ("model.label", "Another name", ["model.label"]),
    ("model.licence", "MIT", []),
    ("model.scoring", "cosine", ["model.scoring"]),
    ("model.max_length", 32, ["model.max_length"]),
    ("model.self_test", [], ["model.self_test"]),
    ("dataset.title", "Another title", ["dataset.title"]),
    ("dataset.judgements", "candidates", ["dataset.judgements"]),
    ("dataset.text", "plain", ["dataset.text"]),
    ("dataset.n_queries", 11, ["dataset.n_queries"]),
    ("dataset.ignore_identical_ids", True, ["dataset.ignore_identical_ids"]),
]


@pytest.mark.parametrize(("part", "value", "parts"), CHANGES, ids=[c[0] for c in CHANGES])
def test_a_changed_part_reruns_the_rules_whose_keys_hold_it_and_what_follows(
    home: Path,
    followers: dict[str, set[str]],
    tmp_path: Path,
    part: str,
    value: Any,
    parts: list[str],
) -> None:
    holding = {rule for rule, key in keys.KEYS.items() if {*parts, "study"} & {*key}}
    jobs = plan(home, changed(home, tmp_path, part, value))
    assert set(jobs) == reached(holding & followers.keys(), followers)


def test_arithmetic_reruns_no_forward_pass_in_fp32(home: Path, tmp_path: Path) -> None:
    jobs = plan(home, changed(home, tmp_path, "config.arithmetic", "native"))
    assert jobs["logits"] == 1  # bf16


def test_a_label_reruns_no_forward_pass_and_no_score(home: Path, tmp_path: Path) -> None:
    jobs = plan(home, changed(home, tmp_path, "model.label", "Another name"))
    assert set(jobs) == {"tables", "figures", "page"}


def test_a_new_data_set_computes_its_own_cells_only(home: Path, tmp_path: Path) -> None:
    catalog = tmp_path / "catalog"
    shutil.copytree(home / "catalog", catalog)
    block = yaml.safe_load((catalog / "datasets" / f"{DATASET}.yaml").read_text())
    (catalog / "datasets" / "other.yaml").write_text(yaml.safe_dump(block | {"name": "other"}))
    config = yaml.safe_load((home / "study.yaml").read_text())
    config |= {"catalog": [str(catalog)], "datasets": [*config["datasets"], "other"]}
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(config))
    jobs = plan(home, tmp_path / "study.yaml")
    assert jobs.pop("logits") == 2  # fp32 and bf16, of the new data set
    own = {"dataset", "candidates", "first_stage", "scores", "metrics", "ties", "agreement"}
    for rule in own | {"alternatives", "toolkits", "cost"}:
        assert jobs.pop(rule) == 1, rule
    over_all = {"summary", "averages", "tie_summary", "distribution", "worst", "verdicts"}
    assert set(jobs) == over_all | {"claims", "tables", "figures", "page"}


def test_every_key_of_a_config_is_in_a_key_or_changes_only_what_there_is() -> None:
    held = {part for key in keys.KEYS.values() for part in key}
    names = {"datasets", "models", "regimes"}  # which artifacts there are
    unheld = {"study", "self_test", "catalog"}  # a name, whether a rule runs, where blocks are
    for name in StudyConfig.model_fields.keys() - names - unheld:
        assert {f"config.{name}", name} & held, name


@pytest.mark.parametrize(
    "file",
    [
        *("study/steps/judge_scores.py", "study/steps/build_dataset.py", "measures/ap.py"),
        *("report/tables/main.py", "report/templates/study.html", "training/finetune.py"),
        *("store/hub.py", "io/trec.py", "data/bm25.py", "models/engine.py", "kernel/ranking.py"),
    ],
)
def test_a_touched_source_reruns_the_scripts_that_run_it_and_what_follows(
    home: Path, followers: dict[str, set[str]], tmp_path: Path, file: str
) -> None:
    shutil.copytree(ROOT / "src", tmp_path / "src")
    with (tmp_path / "src" / "tiewise" / file).open("a") as source:
        source.write("{# touched #}\n" if file.endswith(".html") else "# touched\n")
    scripts = [path for path in SCRIPTS.glob("*.py") if PACKAGE / file in sources_of(path)]
    assert scripts
    jobs = plan(home, PYTHONPATH=str(tmp_path / "src"))
    assert set(jobs) == reached({path.stem for path in scripts} & followers.keys(), followers)


def test_steps_run_only_what_they_depend_on() -> None:
    def runs(script: str, file: str) -> bool:
        return PACKAGE / file in sources_of(SCRIPTS / f"{script}.py")

    assert runs("metrics", "measures/ap.py")
    assert runs("metrics", "study/steps/judge_scores.py")
    assert runs("dataset", "store/hub.py")
    assert runs("dataset", "io/trec.py")
    assert runs("candidates", "data/sources/hub.py")
    assert runs("training", "data/sources/icd10cm.py")
    assert runs("training", "data/bm25.py")
    assert runs("page", "report/templates/base.html")
    assert runs("figures", "report/figures/tiewise.mplstyle")
    for script in ("dataset", "candidates", "logits", "scores", "ties"):
        assert not runs(script, "measures/ap.py"), script
    for script in ("ties", "metrics", "scores"):
        assert not runs(script, "store/hub.py"), script
        assert not runs(script, "models/engine.py"), script


def test_a_changed_local_model_or_data_set_changes_its_key(tmp_path: Path) -> None:
    from fabricated import study_of

    study = study_of()
    model = tmp_path / "model"
    model.mkdir()
    for name in ("model.safetensors", "config.json", "tokenizer.json"):
        (model / name).write_text("one")
    spec = study.models["all-minilm-l6-v2"]
    local = spec.source.model_copy(update={"package": None, "folder": "", "path": str(model)})
    study.models["all-minilm-l6-v2"] = spec.model_copy(update={"source": local})
    wildcards = {"model": "all-minilm-l6-v2", "dtype": "bf16"}
    before = keys.key(study, "logits", wildcards)
    for name in ("model.safetensors", "config.json", "tokenizer.json"):
        (model / name).write_text("two")
        after = keys.key(study, "logits", wildcards)
        assert {part for part in after if after[part] != before[part]} == {"model.files"}
        (model / name).write_text("one")
    assert keys.key(study, "logits", wildcards) == before


def test_the_hash_of_a_script_sees_lazy_imports_and_templates(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("def later():\n    from tiewise import evaluate\n")
    found = {path.relative_to(PACKAGE).as_posix() for path in sources_of(script)}
    assert {"judging/evaluate.py", "measures/ap.py", "__init__.py"} <= found
    with pytest.raises(FileNotFoundError):
        source_hash(tmp_path / "none.py")


def test_nothing_is_imported_in_a_way_that_the_hash_cannot_see() -> None:
    lazy = {"__init__.py", "data/__init__.py"}  # names of `_HOME`, which the hash follows
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        called = {
            ast.unparse(node.func).rsplit(".", 1)[-1]
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call)
        }
        hidden = called & {"import_module", "__import__", "exec", "entry_points", "run_module"}
        assert not hidden or name in lazy, (name, hidden)


def test_the_table_of_keys_in_the_docs_is_that_of_the_code() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert page.endswith(keys.key_table())
