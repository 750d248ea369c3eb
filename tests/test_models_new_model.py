from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import huggingface_hub
import pytest
import yaml

from hub_double import Hub, Repository
from model_factory import change_config, make_checkpoint
from sample_texts import small_task
from tiewise.errors import InputError
from tiewise.models.logits import compute_logits
from tiewise.models.new_model import new_model
from tiewise.models.spec import ModelSpec
from tiewise.store.blocks import validate_block

QUERIES, CORPUS, CANDIDATES = small_task(2, 3)
CHAT = (
    "{% for turn in messages %}<|im_start|>{{ turn.role }}\n{{ turn.content }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def write(folder, name, content):
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(content if isinstance(content, str) else json.dumps(content))


def sentence_transformer(folder, pooling, **prompts):
    modules = [
        {"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        {"idx": 2, "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
    ]
    write(folder, "modules.json", modules)
    write(folder, "1_Pooling/config.json", pooling)
    write(folder, "sentence_bert_config.json", {"max_seq_length": 77})
    write(folder, "config_sentence_transformers.json", {"prompts": prompts})
    write(folder, "README.md", "---\nlicense: mit\n---\n# A model\n")


def block_of(folder):
    text = new_model(str(folder))
    checks = [line for line in text.splitlines() if line.startswith("# check:")]
    return yaml.safe_load(text), " ".join(checks)


@pytest.mark.parametrize(
    ("class_name", "kind", "scoring", "n_words"),
    [
        ("XLMRobertaForSequenceClassification", "sequence-classifier", "sigmoid", 519),
        ("BertForSequenceClassification", "sequence-classifier", "softmax", 520),
        ("GteForSequenceClassification", "sequence-classifier", "sigmoid", 520),
        ("Qwen3ForCausalLM", "yes-no-lm", "softmax", 32768),
        ("XLMRobertaModel", "bi-encoder", "cosine", 519),
    ],
)
def test_the_block_of_a_folder_runs_as_it_is(class_name, kind, scoring, n_words, tmp_path):
    folder = make_checkpoint(class_name, tmp_path / "My Model")
    block, checks = block_of(folder)
    spec = validate_block(block, ModelSpec, "block")
    assert (spec.name, spec.kind, spec.scoring) == ("my-model", kind, scoring)
    assert spec.max_length == n_words
    assert spec.source.path == str(folder)
    assert "licence" in checks
    tables = {"queries": QUERIES, "corpus": CORPUS, "candidates": CANDIDATES}
    frame, facts = compute_logits(spec, "fp32", device="cpu", **tables)
    assert facts["n_nonfinite"] == 0
    assert frame.height > 0


def test_a_sentence_transformer_tells_pooling_prompts_lengths_and_licence(tmp_path):
    folder = make_checkpoint("XLMRobertaModel", tmp_path)
    sentence_transformer(folder, {"pooling_mode_cls_token": True}, query="q {x}: ", passage="p: ")
    block, checks = block_of(folder)
    spec = validate_block(block, ModelSpec, "block")
    assert (spec.pooling, spec.normalise, spec.scoring) == ("cls", True, "dot")
    assert (spec.query_template, spec.document_template) == ("q {{x}}: {text}", "p: {text}")
    assert (spec.max_length, spec.licence) == (77, "mit")
    assert checks.count("# check:") == 1


@pytest.mark.parametrize(
    ("pooling", "found"),
    [({"pooling_mode": "lasttoken"}, "last"), ({"pooling_mode_mean_tokens": True}, "mean")],
)
def test_both_ways_to_state_a_pooling_are_read(pooling, found, tmp_path):
    folder = make_checkpoint("XLMRobertaModel", tmp_path)
    sentence_transformer(folder, pooling)
    assert block_of(folder)[0]["pooling"] == found


def test_a_pooling_that_is_not_supported_is_refused(tmp_path):
    folder = make_checkpoint("XLMRobertaModel", tmp_path)
    sentence_transformer(folder, {"pooling_mode": ["mean", "max"]})
    with pytest.raises(InputError, match=r"pooling 'mean\+max'; legal: cls, last, mean"):
        new_model(str(folder))


def test_the_prompt_of_a_language_model_uses_its_chat_template(tmp_path):
    folder = make_checkpoint("Qwen3ForCausalLM", tmp_path)
    write(folder, "tokenizer_config.json", {"chat_template": CHAT, "padding_side": "left"})
    block, checks = block_of(folder)
    assert block["prompt_prefix"].startswith("<|im_start|>system\nJudge whether")
    assert block["prompt_prefix"].endswith("<|im_end|>\n<|im_start|>user\n")
    assert block["prompt_suffix"] == "<|im_end|>\n<|im_start|>assistant\n"
    assert "the prompt is a guess" in checks


def test_remote_code_and_missing_safetensors_are_pointed_out(tmp_path):
    folder = make_checkpoint("GteForSequenceClassification", tmp_path)
    change_config(folder, model_type="new")
    (folder / "model.safetensors").unlink()
    _, checks = block_of(folder)
    assert "no model type 'new'" in checks
    assert "no safetensors" in checks


def test_a_hub_model_is_pinned_to_its_newest_revision(tmp_path, monkeypatch):
    folder = make_checkpoint("XLMRobertaModel", tmp_path)
    asked = []

    def repo_info(self, hub, repo_type, revision):
        asked.append((hub, revision))
        siblings = [SimpleNamespace(rfilename="model.safetensors")]
        return SimpleNamespace(sha=revision or "b" * 40, siblings=siblings)

    monkeypatch.setattr(huggingface_hub.HfApi, "repo_info", repo_info)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda *a, **k: str(folder))
    newest = yaml.safe_load(new_model("some/Model-X"))
    assert newest["source"] == {"hub": "some/Model-X", "revision": "b" * 40}
    assert newest["name"] == "model-x"
    pinned = yaml.safe_load(new_model("some/Model-X@" + "c" * 40))
    assert pinned["source"]["revision"] == "c" * 40
    assert asked == [("some/Model-X", None), ("some/Model-X", "c" * 40)]


def test_a_model_is_read_through_the_protocol_of_the_hub(tmp_path):
    folder = make_checkpoint("XLMRobertaForSequenceClassification", tmp_path / "mini")
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    command = [str(Path(sys.executable).parent / "tiewise"), "new-model"]
    with Hub([Repository("some/mini", "d" * 40, files, kind="model")]) as hub:
        for name, status in (("some/mini", 0), ("some/other", 2)):
            done = subprocess.run(
                [*command, name],
                env=hub.environment(tmp_path / "home"),
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == status, done.stderr
            if status == 0:
                block = yaml.safe_load(done.stdout)
                assert block["source"] == {"hub": "some/mini", "revision": "d" * 40}
    assert "no such model repository" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_what_cannot_be_scored_with_is_refused(tmp_path):
    folder = make_checkpoint("XLMRobertaModel", tmp_path)
    change_config(folder, architectures=["XLMRobertaForMaskedLM"])
    with pytest.raises(InputError, match="architecture 'XLMRobertaForMaskedLM' is none"):
        new_model(str(folder))
    (folder / "config.json").unlink()
    with pytest.raises(InputError, match=r"no config\.json"):
        new_model(str(folder))


def test_an_unreachable_hub_is_one_clear_message(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(InputError, match="the hub cannot be reached"):
        new_model("some/model")
