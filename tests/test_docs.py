"""The pages build without a warning, from the sources in git."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx")
pytest.importorskip("furo")
pytest.importorskip("myst_parser")
pytest.importorskip("numpydoc")

DOCS = Path(__file__).resolve().parent.parent / "docs"


def test_the_pages_build_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q"]
    command += ["-d", str(tmp_path / "doctrees"), str(DOCS), str(tmp_path / "pages")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for page in ("index", "api", "results"):
        assert (tmp_path / "pages" / f"{page}.html").stat().st_size > 1000
