from __future__ import annotations

import pytest

from tiewise.errors import InputError
from tiewise.precision.arithmetic import resolve_arithmetic
from tiewise.precision.regimes import REGIMES, Regime


@pytest.mark.parametrize(
    ("name", "model_dtype", "score_dtype"),
    [
        ("fp32", "fp32", "fp32"),
        ("bf16", "bf16", "bf16"),
        ("fp16", "fp16", "fp16"),
        ("bf16-hps", "bf16", "fp32"),
        ("fp16-hps", "fp16", "fp32"),
        ("bf16-hps64", "bf16", "fp64"),
        ("fp8_e4m3-hps", "fp8_e4m3", "fp32"),
    ],
)
def test_a_name_says_the_dtype_of_the_model_and_of_the_score(name, model_dtype, score_dtype):
    regime = Regime.parse(name)
    assert (regime.model_dtype, regime.score_dtype, regime.raw) == (model_dtype, score_dtype, False)


def test_every_regime_has_one_spelling_that_parses_back():
    assert all(Regime.parse(str(regime)) == regime for regime in REGIMES.values())
    assert len({(r.model_dtype, r.score_dtype, r.raw) for r in REGIMES.values()}) == len(REGIMES)


def test_raw_regimes_have_no_scoring_function():
    assert Regime.parse("fp16-raw").raw


@pytest.mark.parametrize("name", ["bf61", "BF16", "bf16+hps", "fp32-hps", ""])
def test_an_unknown_name_is_refused_with_the_nearest(name):
    with pytest.raises(InputError, match=r"unknown precision regime .* legal: bf16, bf16-hps"):
        Regime.parse(name)


def test_auto_takes_native_where_the_cpu_has_instructions(monkeypatch):
    capabilities = {"avx512_bf16": True, "avx512_fp16": False}
    monkeypatch.setattr("torch.cpu.get_capabilities", lambda: capabilities)
    assert resolve_arithmetic("auto", "bf16", "cpu") == "native"
    assert resolve_arithmetic("auto", "fp16", "cpu") == "simulated"
    assert resolve_arithmetic("native", "fp16", "cpu") == "native"
    assert resolve_arithmetic("simulated", "bf16", "cpu") == "simulated"


def test_auto_goes_by_the_capability_of_a_gpu(monkeypatch):
    monkeypatch.setattr("torch.cuda.get_device_capability", lambda device: (7, 5))
    assert resolve_arithmetic("auto", "bf16", "cuda:0") == "simulated"
    assert resolve_arithmetic("auto", "fp16", "cuda:0") == "native"


def test_fp32_is_never_simulated_and_fp8_always():
    assert resolve_arithmetic("simulated", "fp32", "cpu") == "native"
    assert resolve_arithmetic("auto", "fp8_e5m2", "cpu") == "simulated"
    with pytest.raises(InputError, match="no native arithmetic"):
        resolve_arithmetic("native", "fp8_e5m2", "cpu")


@pytest.mark.parametrize(("arithmetic", "dtype"), [("natve", "bf16"), ("auto", "bf61")])
def test_unknown_words_are_refused_with_the_nearest(arithmetic, dtype):
    with pytest.raises(InputError, match=r"did you mean '(native|bf16)'"):
        resolve_arithmetic(arithmetic, dtype, "cpu")
