from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).resolve().parent.parent / "benchmarks" / "gpu.py"


def test_the_gpu_benchmark_runs_small_shapes_on_a_cpu_and_both_libraries_agree(capsys):
    pytest.importorskip("sentence_transformers")
    main = runpy.run_path(str(BENCHMARK))["main"]
    main(["--tiny", "--pairs", "16", "--repeats", "1", "--device", "cpu", "--dtypes", "bf16"])
    printed = capsys.readouterr().out
    ways = [line.split("│") for line in printed.splitlines() if re.match(r"│ (bf|fp)16 ", line)]
    assert len(ways) == 6  # two models, three ways
    assert all(float(cells[3]) > 0 for cells in ways)
    assert all(float(cells[-2]) > 0.98 for cells in ways)
    assert printed.count("sigmoid of 1,024 logits") == 2
