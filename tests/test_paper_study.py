"""The paper's study, five models x twelve data sets x five regimes, against a double of the hub."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
import yaml

from hub_double import Hub, Repository, checkpoints, collections
from tiewise.data import load_dataset_spec
from tiewise.models.spec import load_model_spec
from tiewise.study.layout import Layout

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parent.parent
PAPER = yaml.safe_load((ROOT / "config" / "paper.yaml").read_text())


@pytest.fixture(scope="module", autouse=True)
def only_when_asked(request: pytest.FixtureRequest) -> None:
    if "slow" not in request.config.option.markexpr:
        pytest.skip("a whole study, minutes; run with -m slow")


def write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(content))


@pytest.fixture(scope="module")
def folder(only_when_asked: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("paper")


@pytest.fixture(scope="module")
def hub(folder: Path) -> Iterator[Hub]:
    """Serve a miniature of everything that the study names, and put its blocks into a catalog.

    The blocks are the shipped ones without the numbers that only the real files can give, and
    with three queries each.
    """
    repositories: dict[str, Repository] = {}
    for name in PAPER["datasets"]:
        spec = load_dataset_spec(ROOT / "config" / "datasets" / f"{name}.yaml")
        made = collections.repository(spec.source.repo, spec.source.revision)  # type: ignore[union-attr]
        repositories[made.prefix] = made
        block = spec.model_dump(mode="json", exclude={"expected"}, exclude_none=True)
        write(folder / "catalog" / "datasets" / f"{name}.yaml", block | {"n_queries": 3})
    for name in PAPER["models"]:
        model = load_model_spec(ROOT / "config" / "models" / f"{name}.yaml")
        made = checkpoints.repository(model, folder / "checkpoints" / name)
        repositories[made.prefix] = made
        block = model.model_dump(mode="json", exclude={"self_test"}, exclude_unset=True)
        write(folder / "catalog" / "models" / f"{name}.yaml", block)
    write(folder / "paper.yaml", PAPER | {"catalog": [str(folder / "catalog")]})
    with Hub(list(repositories.values())) as running:
        yield running


def snakemake(hub: Hub, folder: Path, *options: str, offline: bool) -> str:
    command = [str(Path(sys.executable).parent / "snakemake"), *options, "--cores", "2"]
    command += ["--directory", str(folder), "--configfile", str(folder / "paper.yaml")]
    env = hub.environment(folder / "home", offline=offline) | {"CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def study(hub: Hub, folder: Path) -> Layout:
    """Fetch everything, then run the whole study without a network."""
    snakemake(hub, folder, "prefetch", offline=False)
    fetched = len(hub.requests)
    snakemake(hub, folder, offline=True)
    assert hub.requests[fetched:] == []
    return Layout(str(folder / "results"))


def test_every_cell_of_the_study_is_there(study: Layout) -> None:
    for dataset in PAPER["datasets"]:
        n_queries = pl.read_parquet(study.data(dataset, "queries")).height
        for model in PAPER["models"]:
            for regime in PAPER["regimes"]:
                metrics = pl.read_parquet(study.metrics(dataset, model, regime))
                assert metrics["query_id"].n_unique() == n_queries
                assert metrics.filter(pl.col("expected").is_null()).is_empty()


def test_a_model_is_loaded_once_a_dtype_whatever_the_number_of_data_sets(study: Layout) -> None:
    logs = Path(study.results) / "logs" / "logits"
    ran = [p.name for p in logs.rglob("*.log") if "taken from the cache" not in p.read_text()]
    assert len(list(logs.rglob("*.log"))) == 12 * 5 * 3
    assert len(ran) == len(set(ran)) == 5 * 3


def test_all_tables_are_rendered(study: Layout) -> None:
    summary = pl.read_parquet(study.summary())
    assert summary.select("dataset", "model", "regime").n_unique() == 12 * 5 * 5
    tables = Path(study.results) / "tables"
    for ending in ("csv", "md", "tex"):
        assert list(tables.glob(f"*.{ending}"))


def test_low_precision_ties_more_than_fp32(study: Layout) -> None:
    def ties(regime: str) -> float:
        frames = [
            pl.read_parquet(study.ties(dataset, model, regime))
            for dataset in PAPER["datasets"]
            for model in PAPER["models"]
        ]
        return float(pl.concat(frames, how="diagonal")["share_tied"].mean())  # type: ignore[arg-type]

    assert ties("fp32") <= ties("bf16-hps") <= ties("bf16")
