"""How Sphinx builds these pages: ``sphinx-build -W docs docs/_build``."""

import importlib.metadata

project = "tiewise"
author = "The tiewise developers"
copyright = "The tiewise developers; Apache-2.0"  # noqa: A001
release = version = importlib.metadata.version("tiewise")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"tiewise {release}"

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3

autodoc_typehints = "none"  # the docstrings say types, and shapes with them
numpydoc_show_class_members = False
