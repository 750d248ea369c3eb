from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
import torch

from sample_texts import icd_descriptions, small_task
from tiewise.errors import InputError
from tiewise.models.batches import BatchRule
from tiewise.models.kinds.bi_encoder import pool, render_text
from tiewise.models.logits import compute_logits
from tiewise.models.scores import score_candidates
from tiewise.models.source import model_folder
from tiewise.models.spec import load_model_spec
from tiewise.precision.grids import on_grid
from tiewise.precision.regimes import Regime

MINILM = load_model_spec(
    Path(__file__).resolve().parent.parent / "config/models/all-minilm-l6-v2.yaml"
)
QUERIES, CORPUS, CANDIDATES = small_task(15, 135)


def embed(dtype="fp32", queries=QUERIES, corpus=CORPUS, candidates=CANDIDATES, **keys):
    tables = {"queries": queries, "corpus": corpus, "candidates": candidates}
    return compute_logits(MINILM, dtype, device="cpu", **tables, **keys)


def vectors(frame, side="document"):
    return frame.filter(pl.col("side") == side)["embedding"].to_numpy()


@pytest.fixture(scope="module")
def fp32():
    return embed()[0]


def test_fp32_embeddings_equal_those_of_sentence_transformers(fp32):
    sentence_transformers = pytest.importorskip("sentence_transformers")
    folder = str(model_folder(MINILM.source))
    model = sentence_transformers.SentenceTransformer(folder, device="cpu")
    theirs = model.encode(CORPUS["text"].to_list(), show_progress_bar=False)
    np.testing.assert_allclose(vectors(fp32), theirs, atol=1e-5, rtol=0)


@pytest.mark.parametrize("dtype", ["bf16", "fp16"])
def test_simulated_arithmetic_gives_the_tie_statistics_of_native(dtype, fp32):
    distinct, embeddings = {}, {}
    for arithmetic in ("native", "simulated"):
        frame, facts = embed(dtype, arithmetic=arithmetic)
        assert facts["arithmetic"] == arithmetic
        embeddings[arithmetic] = frame["embedding"].to_numpy()
        assert on_grid(embeddings[arithmetic], dtype).all()
        scores = score_candidates(MINILM, frame, CANDIDATES, Regime.parse(dtype))
        assert on_grid(scores["score"].to_numpy(), dtype).all()
        counts = scores.group_by("query_id").agg(pl.col("score").n_unique())
        distinct[arithmetic] = counts["score"].mean()
    assert distinct["simulated"] == pytest.approx(distinct["native"], rel=0.02)
    cosines = (embeddings["native"] * embeddings["simulated"]).sum(1)
    cosines /= np.linalg.norm(embeddings["native"], axis=1)
    cosines /= np.linalg.norm(embeddings["simulated"], axis=1)
    assert cosines.min() > 0.999
    # Both differ from FP32, or nothing was simulated.
    assert np.abs(embeddings["simulated"] - fp32["embedding"].to_numpy()).max() > 1e-5


@pytest.mark.parametrize("rule", [BatchRule("fixed", 1), BatchRule("fixed", 16)])
def test_fp32_embeddings_do_not_depend_on_batches(rule, fp32):
    some = CANDIDATES.head(30)  # one query
    other, facts = embed(batch_rule=rule, candidates=some)
    assert facts["batch_rule"] == str(rule)
    np.testing.assert_allclose(vectors(other), vectors(fp32)[:30], atol=1e-5, rtol=0)


def test_fp32_embeddings_do_not_depend_on_the_order_of_texts(fp32):
    other, _ = embed(corpus=CORPUS.reverse(), candidates=CANDIDATES.reverse())
    other = other.filter(pl.col("side") == "document").reverse()
    np.testing.assert_allclose(vectors(other), vectors(fp32), atol=1e-5, rtol=0)


def test_a_run_repeats_bit_by_bit(fp32):
    assert embed()[0].equals(fp32)


def test_only_queries_and_documents_among_the_candidates_are_embedded():
    some = CANDIDATES.filter(pl.col("query_id").is_in(["q3", "q1"]) & (pl.col("doc_id") == "d7"))
    frame, facts = embed(candidates=some)
    assert frame.select("side", "id").rows() == [
        ("query", "q1"),
        ("query", "q3"),
        ("document", "d7"),
    ]
    assert facts["n_rows"] == facts["n_distinct_inputs"] == 3


def test_identical_texts_get_identical_embeddings_and_tie_in_every_regime():
    twins = pl.DataFrame({"doc_id": ["twin"], "text": [CORPUS["text"][0]]})
    corpus = pl.concat([CORPUS.head(30), twins])
    candidates = QUERIES.select("query_id").join(corpus.select("doc_id"), how="cross")
    frame, facts = embed("bf16", corpus=corpus, candidates=candidates, arithmetic="simulated")
    assert facts["n_distinct_inputs"] == len(QUERIES) + 30
    for regime in ("bf16", "bf16-hps", "bf16-hps64"):
        scores = score_candidates(MINILM, frame, candidates, Regime.parse(regime))
        first = scores.filter(pl.col("doc_id") == "d0")["score"]
        assert first.equals(scores.filter(pl.col("doc_id") == "twin")["score"])


def test_an_empty_and_an_overlong_text_are_embedded_and_counted():
    corpus = pl.DataFrame({"doc_id": ["a", "b"], "text": ["", " ".join(icd_descriptions()[:300])]})
    candidates = pl.DataFrame({"query_id": ["q0", "q0"], "doc_id": ["a", "b"]})
    frame, facts = embed(corpus=corpus, candidates=candidates)
    counts = [facts[key] for key in ("n_truncated", "n_empty_documents", "n_nonfinite")]
    assert counts == [1, 1, 0]
    assert np.linalg.norm(vectors(frame), axis=1) == pytest.approx([1, 1], abs=1e-5)


def test_fp8_embeddings_lie_on_the_fp8_grid(fp32):
    frame, facts = embed("fp8_e4m3")
    assert facts["arithmetic"] == "simulated"
    assert on_grid(frame["embedding"].to_numpy(), "fp8_e4m3").all()
    assert (vectors(frame) * vectors(fp32)).sum(1).min() > 0.9


def test_ids_that_do_not_fit_are_all_named_at_once():
    candidates = pl.DataFrame({"query_id": ["q0", "qx", "q0"], "doc_id": ["dx", "d0", "dx"]})
    corpus = pl.concat([CORPUS, CORPUS.head(1)])
    with pytest.raises(InputError) as caught:
        embed(corpus=corpus, candidates=candidates)
    assert [problem.split(",")[0] for problem in caught.value.problems] == [
        "candidates: query_id not in queries",
        "corpus: doc_id given more than once",
        "candidates: doc_id not in corpus",
        "candidates: a document given more than once for a query",
    ]


def test_no_candidates_and_an_unusable_device_are_refused():
    with pytest.raises(InputError, match="nothing to score"):
        embed(candidates=CANDIDATES.head(0))
    tables = {"queries": QUERIES, "corpus": CORPUS, "candidates": CANDIDATES}
    for device in ("cuda:7", "tpu9"):
        with pytest.raises(InputError, match=f"device '{device}' cannot be used"):
            compute_logits(MINILM, "fp32", device=device, **tables)


def test_progress_is_shown_when_asked_and_silent_in_a_log(capfd):
    few = CANDIDATES.head(3)
    embed(candidates=few)
    assert capfd.readouterr().err == ""
    embed(candidates=few, progress=True)
    assert "all-minilm-l6-v2 fp32" in capfd.readouterr().err


@pytest.mark.parametrize("padding", ["left", "right"])
def test_pooling_reads_tokens_and_never_padding(padding):
    tokens = torch.tensor([[[1.0], [5.0], [9.0]]])
    filler = torch.full((1, 2, 1), 100.0)
    parts = [(tokens, 1), (filler, 0)] if padding == "right" else [(filler, 0), (tokens, 1)]
    hidden = torch.cat([part for part, _ in parts], dim=1)
    mask = torch.cat([torch.full(part.shape[:2], m) for part, m in parts], dim=1)
    pooled = {name: pool(hidden, mask, name).item() for name in ("mean", "cls", "last")}
    assert pooled == {"mean": 5.0, "cls": 1.0, "last": 9.0}


def test_templates_take_prefixes_and_the_instruction_of_the_data_set():
    spec = MINILM.model_copy(
        update={
            "query_template": "Instruct: {instruction}\nQuery:{text}",
            "document_template": "passage: {text}",
            "instruction": "Find it",
            "instructions": {"fiqa": "Answer it"},
        }
    )
    assert render_text(spec, "query", "a {b}") == ("Instruct: Find it\nQuery:a {b}",)
    assert render_text(spec, "query", "a", "fiqa") == ("Instruct: Answer it\nQuery:a",)
    assert render_text(spec, "document", "a", "fiqa") == ("passage: a",)
    assert render_text(MINILM, "query", "{x}") == ("{x}",)
