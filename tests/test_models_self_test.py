from __future__ import annotations

import pytest

from model_factory import MODELS, make_checkpoint, shipped
from tiewise.errors import InputError
from tiewise.models.self_test import check_model
from tiewise.models.spec import load_model_spec

MINILM = load_model_spec(MODELS / "all-minilm-l6-v2.yaml")


def changed(spec, **keys):
    tests = [test.model_copy(update=keys) for test in spec.self_test]
    return spec.model_copy(update={"self_test": tests})


def test_the_packaged_model_gives_its_published_values():
    found = check_model(MINILM, device="cpu")
    assert found.height == 3
    assert ((found["found"] - found["expected"]).abs() < 1e-3).all()


@pytest.mark.parametrize("wrong", [{"pooling": "cls"}, {"query_template": "query: {text}"}])
def test_a_wrong_block_stops_with_both_numbers_shown(wrong):
    with pytest.raises(InputError, match=r"is 0\.\d+, but the README of .* has 0\.666 \(tol"):
        check_model(MINILM.model_copy(update=wrong), device="cpu")


def test_every_wrong_value_is_named():
    with pytest.raises(InputError) as caught:
        check_model(changed(MINILM, expected=[0.1, 0.1046, float("nan")]), device="cpu")
    assert len(caught.value.problems) == 2


def test_a_model_without_known_values_is_not_run(caplog):
    empty = MINILM.model_copy(update={"self_test": []})
    assert check_model(empty).is_empty()
    assert "no self-test" in caplog.text


def test_a_logit_is_checked_with_the_instruction_it_was_made_with(tmp_path):
    folder = make_checkpoint("Qwen3ForCausalLM", tmp_path)
    spec = shipped("qwen3-reranker-0.6b", folder)
    with pytest.raises(InputError) as caught:
        check_model(spec, device="cpu")
    values = [float(problem.split(" is ")[-1].split(",")[0]) for problem in caught.value.problems]
    assert len(values) == 4
    assert check_model(changed(spec, expected=values), device="cpu").height == 4
    with pytest.raises(InputError):
        check_model(changed(spec, expected=values, instruction="Anything"), device="cpu")


def test_every_shipped_model_of_the_hub_has_known_values():
    for path in MODELS.glob("*.yaml"):
        spec = load_model_spec(path)
        assert spec.self_test or spec.source.recipe, path
