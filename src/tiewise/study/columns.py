"""Columns that several kinds of artifacts have in common."""

from __future__ import annotations

import polars as pl

from tiewise.store.artifacts import Columns

CELL: Columns = {
    "dataset": pl.String,
    "model": pl.String,
    "regime": pl.String,
    "arithmetic": pl.String,
}
"""What a row of a study's averages is about."""
JUDGED: Columns = {
    "measure": pl.String,
    "expected": pl.Float64,
    "min": pl.Float64,
    "max": pl.Float64,
    "range": pl.Float64,
    "sd": pl.Float64,
    "oblivious": pl.Float64,
    "bias": pl.Float64,
    "policy": pl.String,
}
"""A tie-aware measure, and the tie policy of its oblivious value."""
