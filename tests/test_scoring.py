from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import torch
from scipy.special import expit

from tiewise.errors import InputError
from tiewise.models.scores import score_candidates
from tiewise.models.spec import ModelSpec
from tiewise.precision import scoring
from tiewise.precision.grids import on_grid
from tiewise.precision.regimes import Regime

TORCH = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}


def spec(kind="bi-encoder", scoring="dot", **keys):
    if kind == "bi-encoder":
        keys |= {"pooling": "mean", "normalise": True}
    if kind == "yes-no-lm":
        keys |= {"pair_template": "{query} {document}", "answers": ["no", "yes"]}
        keys |= {"padding_side": "left"}
    source = {"path": "nowhere"}
    return ModelSpec(
        name="m", kind=kind, scoring=scoring, source=source, max_length=64, licence="MIT", **keys
    )


def grid_of(dtype):
    """Every finite number of a 16-bit dtype."""
    codes = torch.arange(-(2**15), 2**15, dtype=torch.int32).to(torch.int16).view(TORCH[dtype])
    return codes[codes.isfinite()]


@pytest.fixture(scope="module")
def embeddings():
    generator = torch.Generator().manual_seed(3)
    made = torch.randn(2, 40, 384, generator=generator)
    return torch.nn.functional.normalize(made, dim=2)


# The next three hold the facts on which the paper rests.


@pytest.mark.parametrize(
    ("dtype", "threshold"), [("bf16", 6.234), ("fp16", 8.317), ("fp32", 16.636), ("fp64", 36.74)]
)
def test_a_sigmoid_is_exactly_one_from_a_threshold_on(dtype, threshold):
    # The threshold is that of the unrounded logit, so the logit is not put on the grid here.
    wide = "fp64" if dtype == "fp64" else "fp32"
    logits = np.arange(threshold - 0.5, threshold + 0.5, 0.001)
    scores = scoring.sigmoid(logits, wide)
    if dtype in TORCH:
        scores = torch.from_numpy(scores).to(TORCH[dtype]).double().numpy()
    first = logits[scores == 1.0][0]
    assert first == pytest.approx(threshold, abs=0.01)
    assert (scores[logits > first] == 1).all()


@pytest.mark.parametrize(
    ("dtype", "earlier", "later"), [("bf16", 5.547, 6.234), ("fp16", 7.623, 8.317)]
)
def test_exp_of_log_softmax_saturates_earlier_than_the_softmax_that_we_use(dtype, earlier, later):
    logits = grid_of(dtype)
    pairs = torch.stack([torch.zeros_like(logits), logits], dim=1)
    pairs = pairs[(logits > 4) & (logits < 10)]
    ours = scoring.softmax(pairs.float().numpy(), dtype)
    theirs = pairs.log_softmax(1).exp()[:, 1].float().numpy()
    steps = pairs[:, 1].float().numpy()
    spacing = 0.04 if dtype == "bf16" else 0.01
    assert steps[ours == 1].min() == pytest.approx(later, abs=spacing)
    assert steps[theirs == 1].min() == pytest.approx(earlier, abs=spacing)


@pytest.mark.parametrize(("dtype", "whole", "upper"), [("bf16", 16257, 129), ("fp16", 15361, 1025)])
def test_a_low_dtype_has_few_numbers_for_scores(dtype, whole, upper):
    numbers = grid_of(dtype).double()
    numbers = numbers[~((numbers == 0) & torch.signbit(numbers))]
    assert ((numbers >= 0) & (numbers <= 1)).sum() == whole
    assert ((numbers >= 0.5) & (numbers <= 1)).sum() == upper


@pytest.mark.parametrize("dtype", ["bf16", "fp16"])
def test_a_sigmoid_in_a_low_dtype_equals_the_device_kernel_on_every_number(dtype):
    logits = grid_of(dtype)
    ours = scoring.sigmoid(logits.float().numpy(), dtype)
    assert (ours == logits.sigmoid().double().numpy()).all()


@pytest.mark.parametrize(("dtype", "error"), [("fp64", 1e-15), ("fp32", 1e-7), ("fp16", 5e-4)])
def test_scoring_functions_agree_with_float64(dtype, error, embeddings):
    pairs = np.random.default_rng(0).normal(size=(500, 2)).astype(np.float16).astype(np.float64)
    assert np.abs(scoring.sigmoid(pairs[:, 1], dtype) - expit(pairs[:, 1])).max() < error
    exact = expit(pairs[:, 1] - pairs[:, 0])
    assert np.abs(scoring.softmax(pairs, dtype) - exact).max() < error
    queries, documents = embeddings.half().double().numpy()
    exact = (queries * documents).sum(1)
    assert np.abs(scoring.dot(queries, documents, dtype) - exact).max() < error
    exact /= np.linalg.norm(queries, axis=1) * np.linalg.norm(documents, axis=1)
    assert np.abs(scoring.cosine(queries, documents, dtype) - exact).max() < 10 * error


@pytest.mark.parametrize("dtype", ["bf16", "fp16", "fp8_e4m3", "fp8_e5m2"])
def test_a_low_precision_score_stays_on_the_grid_of_its_dtype(dtype, embeddings):
    queries, documents = embeddings.numpy()
    for scores in (
        scoring.sigmoid(queries, dtype),
        scoring.softmax(queries, dtype),
        scoring.dot(queries, documents, dtype),
        scoring.cosine(queries, documents, dtype),
    ):
        assert on_grid(scores, dtype).all()
        assert len(np.unique(scores)) < scores.size


def test_hps_equals_what_sentence_transformers_returns_for_the_same_embeddings(embeddings):
    util = pytest.importorskip("sentence_transformers.util")
    for dtype in (torch.bfloat16, torch.float16):
        queries, documents = embeddings.to(dtype)
        args = (queries.float().numpy(), documents.float().numpy(), "fp32")
        pairs = np.divmod(np.arange(1600), 40)
        theirs = util.dot_score(queries, documents)
        assert theirs.dtype == torch.float32
        ours = scoring.dot(*args, pairs).reshape(40, 40)
        np.testing.assert_allclose(ours, theirs.numpy(), atol=1e-6, rtol=0)
        ours = scoring.cosine(*args, pairs).reshape(40, 40)
        np.testing.assert_allclose(
            ours, util.cos_sim(queries, documents).numpy(), atol=1e-6, rtol=0
        )


def test_a_product_in_a_low_dtype_is_one_rounding_of_the_exact_one(embeddings):
    queries, documents = embeddings.bfloat16().double().numpy()
    exact = torch.from_numpy((queries * documents).sum(1)).to(torch.bfloat16).double().numpy()
    assert (scoring.dot(queries, documents, "bf16") == exact).mean() > 0.97
    native = (embeddings[0].bfloat16() * embeddings[1].bfloat16()).sum(1)
    assert not np.array_equal(scoring.dot(queries, documents, "bf16"), native.double().numpy())


@pytest.mark.parametrize("dtype", ["fp64", "fp32", "bf16"])
def test_identical_inputs_score_the_same_wherever_they_stand(dtype, monkeypatch):
    rng = np.random.default_rng(1)
    monkeypatch.setattr(scoring, "PRODUCTS_AT_ONCE", 1000)  # chunks of few rows
    for n in (1, 2, 7, 8, 9, 31, 200):
        query, document = rng.normal(size=(2, 1, 101)).astype(np.float32)
        filler = rng.normal(size=(n, 101)).astype(np.float32)
        documents = np.concatenate([document, filler, document, filler[:3], document])
        same = [0, n + 1, len(documents) - 1]
        scores = scoring.dot(np.repeat(query, len(documents), 0), documents, dtype)
        assert len(set(scores[same])) == 1
        scores = scoring.cosine(np.repeat(query, len(documents), 0), documents, dtype)
        assert len(set(scores[same])) == 1
        assert len(set(scoring.sigmoid(documents[:, 0], dtype)[same])) == 1
        assert len(set(scoring.softmax(documents[:, :2], dtype)[same])) == 1


def test_the_order_of_scores_is_the_order_of_logits():
    logits = np.sort(np.random.default_rng(2).normal(scale=6, size=5000).astype(np.float32))
    for dtype in ("fp64", "fp32", "bf16", "fp16", "fp8_e4m3"):
        assert (np.diff(scoring.sigmoid(logits, dtype)) >= 0).all()


def test_an_unknown_score_dtype_is_refused():
    with pytest.raises(InputError, match="did you mean 'bf16'"):
        scoring.sigmoid([1.0], "bf61")


def reranker_logits(rows):
    return pl.DataFrame(
        [
            pl.Series("query_id", ["q"] * len(rows)),
            pl.Series("doc_id", [f"d{i}" for i in range(len(rows))]),
            pl.Series("logits", np.array(rows, dtype=np.float32)),
        ]
    )


def test_scores_follow_the_order_of_the_candidates():
    logits = reranker_logits([[0.0], [1.0], [2.0]])
    candidates = logits.select("query_id", "doc_id").reverse()
    model = spec("sequence-classifier", "sigmoid")
    scores = score_candidates(model, logits, candidates, Regime.parse("bf16-hps"))
    assert scores["doc_id"].to_list() == ["d2", "d1", "d0"]
    assert scores["score"].to_list() == pytest.approx([0.880797, 0.7310586, 0.5], abs=1e-6)
    assert scores.schema["score"] == pl.Float64


def test_hps64_and_raw_tell_apart_what_a_sigmoid_in_fp32_ties():
    logits = reranker_logits([[17.0], [18.0], [40.0], [41.0]])
    model = spec("sequence-classifier", "sigmoid")
    distinct = {
        name: score_candidates(model, logits, logits, Regime.parse(name))["score"].n_unique()
        for name in ("bf16", "bf16-hps", "bf16-hps64", "bf16-raw")
    }
    assert distinct == {"bf16": 1, "bf16-hps": 1, "bf16-hps64": 3, "bf16-raw": 4}


def test_the_raw_score_of_a_pair_is_yes_minus_no():
    logits = reranker_logits([[1.0, 3.5], [2.0, 1.0]])
    model = spec("yes-no-lm", "softmax")
    scores = score_candidates(model, logits, logits, Regime.parse("bf16-raw"))
    assert scores["score"].to_list() == [2.5, -1.0]


def test_embeddings_have_no_raw_score():
    logits = pl.DataFrame({"side": ["query"], "id": ["q"], "embedding": [[1.0]]})
    candidates = pl.DataFrame({"query_id": ["q"], "doc_id": ["d"]})
    with pytest.raises(InputError, match="bf16-raw: a bi-encoder has no raw logit"):
        score_candidates(spec(), logits, candidates, Regime.parse("bf16-raw"))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("kind", ["sequence-classifier", "bi-encoder"])
def test_a_candidate_with_nonfinite_logits_gets_no_number(value, kind, caplog):
    if kind == "bi-encoder":
        model = spec()
        vectors = np.array([[1, 0], [1, 0], [value, 0]], dtype=np.float32)
        logits = pl.DataFrame(
            {
                "side": ["query", "document", "document"],
                "id": ["q", "d0", "d1"],
                "embedding": pl.Series(vectors),
            }
        )
        candidates = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["d0", "d1"]})
    else:
        model = spec(kind, "sigmoid")
        candidates = logits = reranker_logits([[1.0], [value]])
    scores = score_candidates(model, logits, candidates, Regime.parse("fp16"))["score"]
    assert scores.is_nan().to_list() == [False, True]
    assert "1 candidates with NaN or infinite logits, in queries 1: 'q: 1'" in caplog.text
    with pytest.raises(InputError, match="NaN or infinite"):
        score_candidates(model, logits, candidates, Regime.parse("fp16"), on_nonfinite="error")


def test_candidates_without_model_output_are_refused():
    logits = reranker_logits([[0.0]])
    candidates = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["d0", "d7"]})
    with pytest.raises(InputError, match=r"no model output .* 1: \('q', 'd7'\)"):
        score_candidates(
            spec("sequence-classifier", "sigmoid"), logits, candidates, Regime.parse("fp32")
        )


def test_a_scoring_function_must_fit_the_number_of_logits():
    two, one = reranker_logits([[0.0, 1.0]]), reranker_logits([[0.0]])
    with pytest.raises(InputError, match="use softmax"):
        score_candidates(spec("sequence-classifier", "sigmoid"), two, two, Regime.parse("fp32"))
    with pytest.raises(InputError, match="use sigmoid"):
        score_candidates(spec("sequence-classifier", "softmax"), one, one, Regime.parse("fp32"))
