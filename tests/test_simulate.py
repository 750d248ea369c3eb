from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

from tiewise.precision.grids import on_grid
from tiewise.precision.simulate import FORMATS, Simulated

NATIVE = {"bf16": torch.bfloat16, "fp16": torch.float16}

OPERATIONS = {
    "linear": lambda x, w, b: F.linear(x, w, b),
    "matmul": lambda x, w, b: x @ w.T,
    "batched matmul of views": lambda x, w, b: x[:, None, :3] @ x[:, :3, None],
    "softmax": lambda x, w, b: x.softmax(-1),
    "softmax with dtype": lambda x, w, b: x.softmax(-1, dtype=torch.float32),
    "sum": lambda x, w, b: x.sum(1),
    "sum with low dtype": lambda x, w, b: x.sum(1, dtype=x.dtype),
    "norm": lambda x, w, b: F.normalize(x, dim=1),
    "gelu": lambda x, w, b: F.gelu(x),
    "python scalar": lambda x, w, b: x * 2.7182818,
    "wide scalar tensor": lambda x, w, b: x * torch.tensor(2.7182818),
    "promotes with a wide array": lambda x, w, b: x * x.float(),
    "explicit upcast and back": lambda x, w, b: (x.float() * x.float().sum()).to(x.dtype),
    "promotes with integers": lambda x, w, b: x / torch.arange(1, x.shape[1] + 1),
    "in place": lambda x, w, b: x.clone().mul_(x).add_(1.0),
    "in place with a wide array": lambda x, w, b: x.clone().sub_(x.float() * 0.3),
    "out": lambda x, w, b: torch.add(x, x, out=torch.empty_like(x)),
    "layer norm": lambda x, w, b: F.layer_norm(x, x.shape[1:]),
    "same tensor twice": lambda x, w, b: x * x,
    "several results": lambda x, w, b: torch.cat(torch.std_mean(x, dim=1)),
    "movement": lambda x, w, b: torch.where(x > 0, x, x.flip(0))[:, ::2].T,
}


@pytest.fixture(params=sorted(NATIVE))
def dtype(request):
    return request.param


def operands(dtype):
    generator = torch.Generator().manual_seed(7)
    x, w, b = (torch.randn(shape, generator=generator) for shape in ((9, 33), (5, 33), (5,)))
    return x.to(dtype), torch.nn.Parameter(w.to(dtype)), torch.nn.Parameter(b.to(dtype))


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_one_operation_equals_the_native_one_bit_by_bit(operation, dtype):
    x, w, b = operands(NATIVE[dtype])
    with torch.inference_mode():
        native = OPERATIONS[operation](x, w, b)
        with Simulated(dtype):
            simulated = OPERATIONS[operation](x, w, b)
    assert simulated.dtype == native.dtype
    assert torch.equal(simulated, native)


def test_a_view_that_is_written_shows_in_its_base(dtype):
    x = torch.zeros(4, 4, dtype=NATIVE[dtype])
    with torch.inference_mode(), Simulated(dtype):
        x[1].add_(1.5)
        x[:, 2].mul_(3)
    assert x.float().tolist() == [[0] * 4, [1.5, 1.5, 4.5, 1.5], [0] * 4, [0] * 4]


def test_a_parameter_changed_in_place_is_read_anew(dtype):
    weight = torch.nn.Parameter(torch.ones(3, 3, dtype=NATIVE[dtype]))
    x = torch.ones(1, 3, dtype=NATIVE[dtype])
    context = Simulated(dtype)
    with torch.inference_mode(), context:
        before = F.linear(x, weight)
        weight.mul_(2)
        within = F.linear(x, weight)
    with torch.no_grad():
        weight.mul_(2)
    with torch.inference_mode(), context:
        after = F.linear(x, weight)
    assert [t[0, 0].item() for t in (before, within, after)] == [3, 6, 12]


@pytest.mark.parametrize("dtype", ["fp8_e4m3", "fp8_e5m2"])
def test_fp8_results_lie_on_the_fp8_grid_and_saturate(dtype):
    x, w, b = operands(torch.bfloat16)
    with torch.inference_mode(), Simulated(dtype):
        results = [OPERATIONS[name](x, w, b) for name in ("linear", "softmax", "gelu", "in place")]
        results.append(x.float().to(torch.bfloat16))
        large = x.exp() * 1e30
    assert all(on_grid(result.float().numpy(), dtype).all() for result in results)
    assert large.max().item() == torch.finfo(FORMATS[dtype].grid).max


def test_wide_tensors_are_left_alone(dtype):
    x = torch.randn(5, 5)
    with torch.inference_mode(), Simulated(dtype):
        inside = F.softmax(x @ x, -1)
    assert torch.equal(inside, F.softmax(x @ x, -1))
