"""Imports go down in the two wings of the package, never up or across."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "tiewise"

# What each room may import. A room is a folder of the package, or a file that lies loose in it.
JUDGING_WING = {
    "kernel": set(),
    "measures": {"kernel", "errors"},
    "runs": {"kernel", "errors"},
    "io": {"runs", "errors"},
    "judging": {"measures", "runs", "io", "kernel", "errors"},
    "audit": {"judging", "measures", "runs", "kernel", "precision", "errors"},
    "ir_measures_provider": {"judging", "measures"},
}
MAKING_WING = {
    "store": {"errors"},
    "precision": {"errors"},
    "models": {"precision", "store", "errors"},
    "data": {"store", "io", "errors"},
    "training": {"data", "models", "store", "errors"},
}
TOP = ["study", "report", "cli"]
ROOMS: dict[str, set[str]] = {"errors": set(), **JUDGING_WING, **MAKING_WING}
ROOMS |= {room: {"errors", *JUDGING_WING, *MAKING_WING, *TOP[:n]} for n, room in enumerate(TOP)}
ROOMS["__init__"] = {"errors", *JUDGING_WING}


def part_of(path: Path) -> str:
    inside = path.relative_to(PACKAGE)
    return inside.parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            if node.module == "tiewise":
                yield from (f"tiewise.{name.name}" for name in node.names)


MODULES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_a_module_imports_only_what_lies_below_it(path: Path) -> None:
    part = part_of(path)
    below = ROOMS[part] | {part}
    used = {name.split(".")[1] for name in imports(path) if name.startswith("tiewise.")}
    assert used - below == set()


@pytest.mark.parametrize("part", ["errors", *JUDGING_WING])
def test_the_judging_wing_knows_no_torch_and_no_study(part: str) -> None:
    files = [path for path in MODULES if part_of(path) == part]
    assert files
    heavy = {"torch", "transformers", "datasets", "snakemake", "pandas", "matplotlib"}
    used = {name.split(".")[0] for path in files for name in imports(path)}
    # pandas frames are accepted, so their type may be asked for; nothing else of it is used.
    assert used & heavy <= {"pandas"}


def test_importing_the_package_loads_nothing_heavy() -> None:
    program = "import sys, tiewise; print(*sorted(set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "tiewise" in loaded
    assert loaded & {"torch", "transformers", "polars", "pandas", "scipy", "matplotlib"} == set()


def test_evaluating_loads_no_torch() -> None:
    program = "import sys, tiewise; tiewise.evaluate; print('torch' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_every_workflow_script_is_an_adapter_of_one_step() -> None:
    scripts = sorted((PACKAGE.parents[1] / "workflow" / "scripts").glob("*.py"))
    assert scripts
    for script in scripts:
        text = script.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 15, script.name
        assert len([n for n in imports(script) if n.startswith("tiewise")]) <= 4, script.name
