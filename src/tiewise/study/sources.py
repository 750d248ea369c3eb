"""Which files of the package a script of the workflow runs, and a hash over them.

Snakemake sees a change of a rule and of its script, but not of the code that they import: the hash,
as a parameter of the rule, makes such a change rerun it, and only it.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
FRAME = "tiewise.study.job"
"""Reads the config, whose values are parameters of the rules; no artifact depends on how."""


def source_hash(script: Path) -> str:
    """Hash a script and all that it runs of the package.

    Parameters
    ----------
    script : pathlib.Path
        A Python file.

    Returns
    -------
    str
        16 hex digits.

    Raises
    ------
    FileNotFoundError
        There is no such script.
    """
    digest = hashlib.sha256(script.read_bytes())
    for path in sources_of(script):
        digest.update(path.relative_to(PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def sources_of(script: Path) -> list[Path]:
    """List the files of the package that a script runs, sorted.

    Parameters
    ----------
    script : pathlib.Path
        A Python file, of the package or outside it.

    Returns
    -------
    list of pathlib.Path
        Every module that it imports, inside functions too, and what those import; of their packages
        ``__init__.py`` and the files that are no modules, such as templates. Imports for type
        checking only are left out.
    """
    found: set[Path] = set()
    todo = list(_imported(script))
    while todo:
        path = todo.pop()
        if path not in found:
            found.add(path)
            todo += [*_imported(path), *_beside(path.parent)] if path.suffix == ".py" else []
    return sorted(found)


@cache
def _imported(path: Path) -> tuple[Path, ...]:
    """Files of the package that one file imports itself."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    unused = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    names: list[str] = []
    for node in ast.walk(tree):
        if node in unused:
            continue
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            # A name may be a module of the package, or something inside the module.
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    names = [name for name in names if not name.startswith(FRAME)]
    return tuple(file for name in names for file in _files_of(name))


def _files_of(name: str) -> Iterator[Path]:
    """Files that an import of a dotted name runs: each package on its way, and the module."""
    head, *parts = name.split(".")
    if head != PACKAGE.name:
        return
    folder = PACKAGE
    yield folder / "__init__.py"
    for part in parts:
        if (folder / f"{part}.py").is_file():
            yield folder / f"{part}.py"
            return
        if not (folder / part / "__init__.py").is_file():
            yield from _files_of(_homes(folder / "__init__.py").get(part, ""))
            return
        folder /= part
        yield folder / "__init__.py"


@cache
def _homes(package: Path) -> dict[str, str]:
    """Modules of the names that a package gives on first use: its dictionary ``_HOME``."""
    for node in ast.parse(package.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_HOME":
            return dict(ast.literal_eval(node.value))
    return {}


@cache
def _beside(folder: Path) -> tuple[Path, ...]:
    """Files of a package that are no modules: its own, and those of folders without modules."""
    inner = [path for path in folder.iterdir() if path.is_dir() and not any(path.glob("*.py"))]
    return tuple(
        path
        for place in (folder, *inner)
        for path in place.iterdir()
        if path.is_file() and path.suffix not in (".py", ".pyc")
    )


def package_hash() -> str:
    """Hash every file of the package, for what may use any of it."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.*")):
        if path.is_file() and path.suffix != ".pyc":
            digest.update(path.relative_to(PACKAGE).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
