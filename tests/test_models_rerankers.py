from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

from model_factory import FEW_MERGES, change_config, make_checkpoint, qwen_tokenizer, shipped
from sample_texts import icd_descriptions, small_task
from tiewise.errors import InputError
from tiewise.models.batches import BatchRule
from tiewise.models.kinds.yes_no_lm import YesNoLM, render_pair
from tiewise.models.loading import load_adapter
from tiewise.models.logits import compute_logits
from tiewise.models.scores import score_candidates
from tiewise.models.tokens import TextTokenizer
from tiewise.precision import scoring
from tiewise.precision.grids import on_grid
from tiewise.precision.regimes import REGIMES, Regime

CPU = torch.device("cpu")
QUERIES, CORPUS, CANDIDATES = small_task(5, 12)
CHECKPOINTS = {
    "qwen3-reranker-0.6b": "Qwen3ForCausalLM",
    "bge-reranker-v2-m3": "XLMRobertaForSequenceClassification",
    "gte-multilingual-reranker-base": "GteForSequenceClassification",
    "qwen3-embedding-0.6b": "Qwen3Model",
    "multilingual-e5-large": "XLMRobertaModel",
    "two-logits": "BertForSequenceClassification",
}


@pytest.fixture(scope="module")
def specs(tmp_path_factory):
    """The shipped blocks, each with a miniature random checkpoint of its class."""
    made = {}
    for name, class_name in CHECKPOINTS.items():
        folder = make_checkpoint(class_name, tmp_path_factory.mktemp(name))
        block = "gte-multilingual-reranker-base" if name == "two-logits" else name
        made[name] = shipped(block, folder, max_length=512)
    two = made["two-logits"]
    source = two.source.model_copy(update={"config_changes": {}})
    made["two-logits"] = two.model_copy(update={"scoring": "softmax", "source": source})
    return made


def logits(spec, dtype="fp32", candidates=CANDIDATES, queries=QUERIES, corpus=CORPUS, **keys):
    tables = {"queries": queries, "corpus": corpus, "candidates": candidates}
    return compute_logits(spec, dtype, device="cpu", **tables, **keys)


def values(frame):
    return frame[:, -1].to_numpy()


def adapter_tokenizer(spec):
    return Tokenizer.from_file(spec.source.path + "/tokenizer.json")


# One logit of a random model is a number near 0 or far from it; each test scales to its size.
def assert_close(found, expected, tolerance):
    assert np.abs(found - expected).max() <= tolerance * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_every_kind_goes_the_whole_path_in_every_regime(name, specs):
    spec = specs[name]
    for dtype in ("fp32", "bf16", "fp16", "fp8_e4m3"):
        arithmetic = "auto" if dtype == "fp32" else "simulated"
        frame, facts = logits(spec, dtype, arithmetic=arithmetic)
        assert on_grid(values(frame), dtype).all()
        assert facts["n_nonfinite"] == 0
        assert len(np.unique(values(frame).round(6), axis=0)) > 3
        for regime in REGIMES.values():
            if regime.model_dtype != dtype or (regime.raw and not spec.is_reranker):
                continue
            scores = score_candidates(spec, frame, CANDIDATES, regime)
            assert scores.select("query_id", "doc_id").equals(CANDIDATES)
            if regime.score_dtype in ("bf16", "fp16", "fp8_e4m3"):
                assert on_grid(scores["score"].to_numpy(), regime.score_dtype).all()


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_a_batch_of_one_equals_a_batch_of_many(name, specs):
    one, _ = logits(specs[name], batch_rule=BatchRule("fixed", 1))
    many, _ = logits(specs[name], batch_rule=BatchRule("tokens", 2048))
    assert one.drop(one.columns[-1]).equals(many.drop(many.columns[-1]))
    assert_close(values(one), values(many), 1e-5)


@pytest.mark.parametrize("name", CHECKPOINTS)
@pytest.mark.parametrize("dtype", ["bf16", "fp16"])
def test_simulated_arithmetic_agrees_with_native(name, dtype, specs):
    native, simulated = (
        values(logits(specs[name], dtype, arithmetic=way)[0]) for way in ("native", "simulated")
    )
    exact = values(logits(specs[name])[0])
    # Two ways of low precision differ from each other no more than they differ from FP32.
    assert np.abs(native - simulated).mean() <= 1.2 * np.abs(native - exact).mean()
    assert np.abs(simulated - exact).max() > 0


def test_a_yes_no_model_gives_the_two_logits_of_the_whole_head(specs):
    spec = specs["qwen3-reranker-0.6b"]
    adapter = load_adapter(spec, "fp32", CPU)
    frame, _ = logits(spec)
    tokenizer = adapter_tokenizer(spec)
    texts = dict(QUERIES.iter_rows()), dict(CORPUS.iter_rows())
    for query_id, doc_id, pair in frame.head(8).iter_rows():
        (body,) = render_pair(spec, texts[0][query_id], texts[1][doc_id])
        ids = [tokenizer.encode(t).ids for t in (spec.prompt_prefix, body, spec.prompt_suffix)]
        with torch.inference_mode():
            whole = adapter.model(torch.tensor([[i for part in ids for i in part]])).logits[0, -1]
        assert_close(np.array(pair), whole[[2152, 9693]].numpy(), 1e-5)


PREFIX = [
    *(151644, 8948, 198, 60256, 3425, 279, 11789, 20027, 279, 8502, 3118, 389, 279, 11361, 323),
    *(279, 758, 1235, 3897, 13, 7036, 429, 279, 4226, 646, 1172, 387, 330, 9693, 1, 476, 330),
    *(2152, 3263, 151645, 198, 151644, 872, 198),
]
SUFFIX = [151645, 198, 151644, 77091, 198, 151667, 271, 151668, 271]
# <Instruct>: Given a web search query, retrieve relevant passages that answer the query
# <Query>: red planet
# <Document>: Mars
BODY = [
    *(27, 641, 1235, 26818, 16246, 264, 3482, 2711, 3239, 11, 17179, 9760, 46769, 429, 4226, 279),
    *(3239, 198, 27, 2859, 26818, 2518, 11580, 198, 75692, 26818, 21048),
]


@pytest.fixture(scope="module")
def reranker(specs):
    """Adapter with the whole vocabulary of Qwen3, so that ids are the true ones."""
    spec = specs["qwen3-reranker-0.6b"]
    model = load_adapter(spec, "fp32", CPU).model
    return YesNoLM(spec, model, TextTokenizer(qwen_tokenizer(), 0, spec.max_length))


def test_prompt_ids_are_those_written_by_hand(reranker):
    spec, adapter = reranker.spec, reranker
    (tokens,) = adapter.tokenise([render_pair(spec, "red planet", "Mars")])
    assert tokens.ids == PREFIX + BODY + SUFFIX
    assert not tokens.truncated


def test_only_the_end_of_the_document_is_cut_from_a_prompt(reranker):
    spec, adapter = reranker.spec, reranker
    long = " Mars" * 600
    whole, short = adapter.tokenise(
        [render_pair(spec, "red planet", "Mars" + long), render_pair(spec, "red planet", "Mars")]
    )
    assert len(whole.ids) == spec.max_length
    assert whole.ids[: len(PREFIX + BODY)] == PREFIX + BODY
    assert whole.ids[-len(SUFFIX) :] == SUFFIX
    assert (whole.truncated, short.truncated) == (True, False)


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_padding_is_on_the_side_that_the_block_names(name, specs):
    adapter = load_adapter(specs[name], "fp32", CPU)
    texts = ("a", "a longer text"), ("b", "another longer text")
    if not specs[name].is_reranker:
        texts = texts[0][:1], texts[0][1:]
    elif specs[name].kind == "yes-no-lm":
        texts = tuple(render_pair(specs[name], *pair) for pair in (("a", "b"), texts[1]))
    else:
        texts = ("a", "b"), texts[1]
    short, long = adapter.tokenise(texts)
    mask = adapter.pad([short, long])["attention_mask"][0].tolist()
    gap = [0] * (len(long.ids) - len(short.ids))
    ones = [1] * len(short.ids)
    assert gap
    assert mask == (gap + ones if "qwen" in name else ones + gap)


def test_the_embedding_model_of_qwen_ends_its_texts(specs):
    adapter = load_adapter(specs["qwen3-embedding-0.6b"], "fp32", CPU)
    text, empty = adapter.tokenise([("Mars",), ("",)])
    end = FEW_MERGES  # 151643 with the whole vocabulary
    assert (text.ids, empty.ids) == ([44, 1561, end], [end])


@pytest.mark.parametrize("truncation", ["longest_first", "only_second"])
def test_pairs_are_cut_as_the_tokenizer_of_transformers_cuts_them(truncation, specs):
    limit = {"max_query_length": 20} if truncation == "only_second" else {"max_query_length": None}
    spec = specs["two-logits"].model_copy(
        update={"max_length": 32, "truncation": truncation, **limit}
    )
    adapter = load_adapter(spec, "fp32", CPU)
    words = icd_descriptions()
    pairs = [(words[0], words[1]), (words[5], " ".join(words[:9])), ("", words[7]), (words[3], "")]
    pairs += [(" ".join(words[9:14])[:60], " ".join(words[20:40]))]
    theirs = transformers.PreTrainedTokenizerFast(
        tokenizer_file=spec.source.path + "/tokenizer.json",
        **{"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"},
    )(
        [query for query, _ in pairs],
        [document for _, document in pairs],
        truncation=truncation,
        max_length=32,
        return_token_type_ids=True,
    )
    ours = adapter.tokenise(pairs)
    assert [one.ids for one in ours] == theirs["input_ids"]
    assert [one.type_ids for one in ours] == theirs["token_type_ids"]
    assert [one.truncated for one in ours] == [False, True, False, False, True]


def test_an_overlong_query_is_cut_before_the_pair_is_made(specs):
    spec = specs["bge-reranker-v2-m3"]
    adapter = load_adapter(spec, "fp32", CPU)
    queries = pl.DataFrame({"query_id": ["q"], "text": ["fever " * 900]})
    documents = pl.DataFrame({"doc_id": ["a", "b"], "text": ["", "cough " * 900]})
    pairs = [(queries["text"][0], text) for text in documents["text"]]
    empty, full = adapter.tokenise(pairs)
    assert (len(empty.ids), len(full.ids)) == (384 + 3, 512)
    assert empty.truncated
    candidates = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"]})
    frame, facts = logits(spec, candidates=candidates, queries=queries, corpus=documents)
    assert np.isfinite(values(frame)).all()
    assert (facts["n_truncated"], facts["n_empty_documents"]) == (2, 1)


def test_equal_pairs_are_run_once_unless_batches_are_fixed(specs):
    spec = specs["gte-multilingual-reranker-base"]
    corpus = pl.concat([CORPUS.head(4), CORPUS.head(4).with_columns(doc_id="x" + pl.col("doc_id"))])
    candidates = QUERIES.head(2).select("query_id").join(corpus.select("doc_id"), how="cross")
    frame, facts = logits(spec, "bf16", candidates, corpus=corpus, arithmetic="simulated")
    assert (facts["n_rows"], facts["n_distinct_inputs"]) == (16, 8)
    assert frame.select("query_id", "doc_id").equals(candidates)
    rows = values(frame).reshape(2, 8, -1)
    assert np.array_equal(rows[:, :4], rows[:, 4:])
    fixed, facts = logits(spec, "fp32", candidates, corpus=corpus, batch_rule=BatchRule("fixed", 3))
    assert facts["n_distinct_inputs"] == 16
    assert_close(values(fixed), values(logits(spec, "fp32", candidates, corpus=corpus)[0]), 1e-5)


def test_the_original_weights_of_gte_load_in_the_native_class(specs, tmp_path):
    # The published checkpoint names its parts `new.` and a model type that needs remote code.
    native = specs["gte-multilingual-reranker-base"]
    folder = make_checkpoint("GteForSequenceClassification", tmp_path / "gte")
    weights = load_file(folder / "model.safetensors")
    renamed = {name.replace("gte.", "new.", 1): weight for name, weight in weights.items()}
    save_file(renamed, folder / "model.safetensors", {"format": "pt"})
    change_config(
        folder,
        model_type="new",
        architectures=["NewForSequenceClassification"],
        auto_map={"AutoConfig": "Alibaba-NLP/new-impl--configuration.NewConfig"},
        rope_parameters=None,
        rope_scaling={"type": "ntk", "factor": 8.0},
        rope_theta=20000,
    )
    spec = shipped("gte-multilingual-reranker-base", folder, max_length=512)
    assert np.array_equal(values(logits(spec)[0]), values(logits(native)[0]))

    unchanged = spec.source.model_copy(update={"config_changes": {}})
    with pytest.raises(InputError, match="no model type 'new', and the block allows no remote"):
        logits(spec.model_copy(update={"source": unchanged}))


def test_a_model_without_a_trained_head_is_refused(specs):
    spec = specs["gte-multilingual-reranker-base"]
    encoder = specs["multilingual-e5-large"].source
    with pytest.raises(InputError, match=r"no weights for .*classifier.*sequence-classifier\?"):
        logits(spec.model_copy(update={"source": encoder}))


def test_answers_must_be_tokens_of_the_vocabulary(specs):
    spec = specs["qwen3-reranker-0.6b"]
    with pytest.raises(InputError, match="vocabulary has no token 'jawohl'"):
        logits(spec.model_copy(update={"answers": ("no", "jawohl")}))


@pytest.mark.parametrize("limit", [1, 3])
def test_out_of_memory_halves_the_batch_and_changes_nothing(limit, specs, monkeypatch, caplog):
    spec = specs["gte-multilingual-reranker-base"]
    expected, _ = logits(spec)
    forward = type(load_adapter(spec, "fp32", CPU)).forward

    def scarce(self, batch):
        if len(batch["input_ids"]) > limit:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return forward(self, batch)

    monkeypatch.setattr(
        "tiewise.models.kinds.sequence_classifier.SequenceClassifier.forward", scarce
    )
    found, _ = logits(spec, batch_rule=BatchRule("tokens", 4096))
    assert "out of memory with 60 inputs in a batch: halved" in caplog.text
    assert_close(values(found), values(expected), 1e-5)


def test_other_errors_and_a_single_input_too_large_are_raised(specs, monkeypatch):
    spec = specs["gte-multilingual-reranker-base"]
    for error in (RuntimeError("shapes differ"), torch.OutOfMemoryError("CUDA out of memory")):

        def fail(self, batch, error=error):
            raise error

        monkeypatch.setattr(
            "tiewise.models.kinds.sequence_classifier.SequenceClassifier.forward", fail
        )
        with pytest.raises(RuntimeError, match=str(error)):
            logits(spec)


def test_an_overflow_in_fp16_is_counted_by_query_named_and_ranked_last(tmp_path, caplog):
    folder = make_checkpoint("GteForSequenceClassification", tmp_path, scale=1e6)
    spec = shipped("gte-multilingual-reranker-base", folder, max_length=512)
    frame, facts = logits(spec, "fp16", arithmetic="simulated")
    bad = ~np.isfinite(values(frame)[:, 0])
    assert 0 < facts["n_nonfinite"] == bad.sum()
    by_query = frame.filter(bad)["query_id"].value_counts().sort("query_id").rows()
    assert facts["nonfinite"] == dict(by_query)
    assert "rows have NaN or infinite values" in caplog.text
    scores = score_candidates(spec, frame, CANDIDATES, Regime.parse("fp16-hps"))
    assert (scores["score"].is_nan().to_numpy() == bad).all()


@pytest.mark.parametrize(
    ("name", "function", "keys"),
    [
        ("bge-reranker-v2-m3", scoring.sigmoid, {}),
        ("two-logits", scoring.softmax, {"apply_softmax": True}),
    ],
)
def test_hps_equals_what_sentence_transformers_predicts_for_the_same_logits(
    name, function, keys, specs
):
    sentence_transformers = pytest.importorskip("sentence_transformers")
    folder = Path(specs[name].source.path)
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": "[PAD]"}
    settings["model_input_names"] = ["input_ids", "attention_mask"]
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    model = sentence_transformers.CrossEncoder(
        str(folder), device="cpu", model_kwargs={"dtype": torch.bfloat16}
    )
    pairs = [(QUERIES["text"][0], text) for text in CORPUS["text"]]
    raw = model.predict(pairs, activation_fn=torch.nn.Identity(), show_progress_bar=False)
    theirs = model.predict(pairs, show_progress_bar=False, **keys)
    assert theirs.dtype == np.float32
    assert on_grid(raw, "bf16").all()
    expected = theirs if theirs.ndim == 1 else theirs[:, -1]
    np.testing.assert_allclose(function(raw, "fp32"), expected, atol=1e-7, rtol=1e-6)
    assert np.abs(function(raw, "bf16") - expected).max() > 1e-5
