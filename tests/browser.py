"""A page in headless Chromium: what a script finds on its real elements."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")

DARK = ("--force-dark-mode", "--blink-settings=preferredColorScheme=0")


def ask(page: Path, script: str, *, width: int = 1280, dark: bool = False) -> Any:
    """Open a page of some width and evaluate a JavaScript expression on it.

    The page lies in a frame, as a window of Chromium is at least 500 pixels wide; Chromium prints
    the document around it when all scripts have run, and so the answer.
    """
    answer = f"parent.document.getElementById('answer').textContent = JSON.stringify({script});"
    asking = page.read_text(encoding="utf-8").replace(
        "</body>", f"<script>{answer}</script></body>"
    )
    around = page.with_name(f"around-{page.name}")
    around.write_text(
        "<!doctype html><meta charset='utf-8'><pre id='answer'></pre>"
        f"<iframe style='width: {width}px; height: 1200px; border: 0' "
        f'srcdoc="{html.escape(asking)}"></iframe>',
        encoding="utf-8",
    )
    done = subprocess.run(
        [
            str(CHROMIUM),
            *("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
            *(DARK if dark else ()),
            f"--user-data-dir={page.parent / 'profile'}",
            "--window-size=1400,1300",
            "--dump-dom",
            around.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    found = re.search(r"<pre id=['\"]answer['\"]>(.*?)</pre>", done.stdout, re.S)
    assert found, done.stdout[-2000:] + done.stderr[-2000:]
    return json.loads(html.unescape(found[1]))
