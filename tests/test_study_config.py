"""A wrong config is answered at once, whole, and with the nearest legal names."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tiewise.errors import InputError
from tiewise.study.config import StudyConfig, fingerprint, load_study
from tiewise.study.schema import study_schema

ROOT = Path(__file__).resolve().parent.parent


def default(**changes: Any) -> dict[str, Any]:
    return yaml.safe_load((ROOT / "config" / "config.yaml").read_text()) | changes


def problems(**changes: Any) -> str:
    with pytest.raises(InputError) as caught:
        load_study(default(**changes), ROOT)
    return str(caught.value)


def test_the_shipped_config_is_valid() -> None:
    study = load_study(default(), ROOT)
    assert list(study.models) == study.config.models
    assert study.dtypes == ["fp32", "bf16", "fp16"]


def test_all_mistakes_are_named_at_once_each_with_the_nearest_legal_name() -> None:
    said = problems(
        modles=["x"],
        models=["all-minilm-l6-v3"],
        datasets=["icd10"],
        regimes=["fp32", "bf61"],
        measures=["nDCG@10", "nDGC@5"],
        table_measures=["nDCG@10"],
        policies=["inptu"],
    )
    for wrong, near in {
        "modles": "'models'",
        "all-minilm-l6-v3": "'all-minilm-l6-v2'",
        "icd10": "'icd10cm'",
        "bf61": "'bf16'",
        "nDGC@5": "nDCG",
        "inptu": "'input'",
    }.items():
        line = next(line for line in said.splitlines() if wrong in line)
        assert near in line, said


@pytest.mark.parametrize("key", ["study", "datasets", "models"])
def test_a_missing_key_is_named(key: str) -> None:
    raw = default()
    del raw[key]
    with pytest.raises(InputError, match=f"config: {key}: Field required"):
        load_study(raw, ROOT)


def test_a_name_given_twice_is_refused() -> None:
    assert "regimes: named more than once, 1: 'bf16'" in problems(regimes=["bf16", "bf16"])


def test_a_table_measure_that_is_not_computed_is_refused() -> None:
    said = problems(measures=["nDCG@10"], table_measures=["nDCG@10", "RR@10"])
    assert "table_measures: not among measures, 1: 'RR@10'" in said


@pytest.mark.parametrize("value", ["x", 3, None, [1], {"a": "b"}])
def test_no_value_of_a_wrong_type_ends_in_anything_but_input_error(value: Any) -> None:
    for key in StudyConfig.model_fields:
        with contextlib.suppress(InputError):
            load_study(default(**{key: value}), ROOT)


def test_a_later_catalog_adds_blocks_and_an_earlier_one_wins(tmp_path: Path) -> None:
    block = yaml.safe_load((ROOT / "config" / "datasets" / "icd10cm.yaml").read_text())
    for folder, title in {"a": "first", "b": "second"}.items():
        target = tmp_path / folder / "datasets" / "icd10cm.yaml"
        target.parent.mkdir(parents=True)
        target.write_text(yaml.safe_dump(block | {"title": title}))
    catalog = [str(tmp_path / "a"), str(tmp_path / "b"), "config"]
    assert load_study(default(catalog=catalog), ROOT).datasets["icd10cm"].title == "first"


def test_a_misspelt_key_inside_a_source_is_answered_with_that_sources_keys(tmp_path: Path) -> None:
    block = yaml.safe_load((ROOT / "config" / "datasets" / "icd10cm.yaml").read_text())
    block["candidates"]["stopword"] = "en"
    block["source"] = {"kind": "icd10"}
    target = tmp_path / "datasets" / "icd10cm.yaml"
    target.parent.mkdir()
    target.write_text(yaml.safe_dump(block))
    said = problems(catalog=[str(tmp_path), "config"])
    assert "did you mean 'stopwords'?" in said
    assert "did you mean 'icd10cm'?" in said


def test_a_catalog_that_does_not_exist_is_named() -> None:
    assert "catalog: no such folder" in problems(catalog=["config", "confgi"])


def test_the_fingerprint_changes_with_a_value_and_with_nothing_else() -> None:
    one, same = (load_study(default(), ROOT) for _ in range(2))
    other = load_study(default(arithmetic="native"), ROOT)
    assert fingerprint(one.config) == fingerprint(same.config) != fingerprint(other.config)


def test_the_shipped_schema_is_the_one_of_the_config_model() -> None:
    shipped = ROOT / "workflow" / "schemas" / "study.schema.json"
    assert json.loads(shipped.read_text()) == json.loads(study_schema()), (
        "run: python -m tiewise.study.schema workflow/schemas/study.schema.json"
    )


def test_every_key_is_explained_in_the_readme_of_the_config() -> None:
    readme = (ROOT / "config" / "README.md").read_text()
    assert [key for key in StudyConfig.model_fields if f"| `{key}` |" not in readme] == []
