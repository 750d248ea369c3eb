"""Every notebook runs from its source alone, and shows what it speaks of."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiewise.errors import InputError
from tiewise.report.notebooks import execute

pytest.importorskip("jupytext")
pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
SHOWN = {
    "effect": ["127", "bf16-hps", "largest_tie_group", "oblivious"],
    "audit": ["n_queries_moved", "trec_eval 10", "as printed by different tools"],
    "add_a_model": ["did you mean 'pooling'?", "first token", "certain"],
}


def outputs(notebook: dict) -> str:
    shown = [o for c in notebook["cells"] if c["cell_type"] == "code" for o in c["outputs"]]
    return "\n".join(str(o.get("text") or o.get("data", {}).get("text/plain")) for o in shown)


@pytest.mark.parametrize("name", SHOWN)
def test_a_notebook_runs_and_shows_what_it_speaks_of(name: str, tmp_path: Path) -> None:
    said = outputs(execute(FOLDER / f"{name}.py", tmp_path / f"{name}.ipynb"))
    for words in SHOWN[name]:
        assert words in said
    assert (tmp_path / f"{name}.ipynb").read_text().startswith("{")


def test_the_folder_holds_sources_without_outputs_only() -> None:
    assert {path.name for path in FOLDER.iterdir() if path.suffix != ".md"} - {
        ".ipynb_checkpoints"
    } == {f"{name}.py" for name in SHOWN}


def test_a_failing_cell_is_an_error_with_its_message(tmp_path: Path) -> None:
    source = tmp_path / "wrong.py"
    source.write_text("# %%\nraise ValueError('no such thing')\n")
    with pytest.raises(InputError, match="no such thing"):
        execute(source, tmp_path / "wrong.ipynb")
    assert not (tmp_path / "wrong.ipynb").exists()
