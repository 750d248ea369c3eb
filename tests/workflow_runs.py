"""The workflow run as a user runs it, and what a dry run says of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONFIG = ROOT / "tests" / "miniature" / "config.yaml"
"""The miniature study, of one data set and one model."""
DATASET, MODEL = "icd10cm-miniature", "all-minilm-l6-v2"


def snakemake(
    folder: Path, *options: str, config: Path = CONFIG, **environment: str
) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / "snakemake"), *options, "--cores", "2"]
    command += ["--directory", str(folder), "--configfile", str(config)]
    return subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def planned(done: subprocess.CompletedProcess[str]) -> dict[str, int]:
    """Jobs of each rule that a dry run would execute, from its table of jobs."""
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    table = re.search(r"^job +count\n-.*\n((?:\S+ +\d+\n)+)", said, re.M)
    if table is None:
        assert "Nothing to be done" in said, said
        return {}
    jobs = {line.split()[0]: int(line.split()[1]) for line in table[1].splitlines()}
    return {rule: n for rule, n in jobs.items() if rule not in ("default", "total")}
