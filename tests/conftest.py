"""Fixtures that several test files share."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder of fault cases and real collections that lies beside a developer's checkout."""
    if not SHARED.is_dir():
        pytest.skip("the folder of shared cases and collections is not beside this checkout")
    return SHARED
