"""The JSON Schema of a study's config, for editors: ``python -m tiewise.study.schema FILE``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tiewise.study.config import StudyConfig


def study_schema() -> str:
    """Generate the JSON Schema (draft 2020-12) of a study's config.

    Examples
    --------
    >>> json.loads(study_schema())["required"]
    ['study', 'datasets', 'models']
    """
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return json.dumps(schema | StudyConfig.model_json_schema(), indent=2) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(study_schema(), encoding="utf-8")
