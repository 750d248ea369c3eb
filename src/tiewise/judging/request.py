"""The arguments that `evaluate` and `compare` share, checked."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl

from tiewise.errors import InputError, Problems, did_you_mean, some
from tiewise.judging.pairing import Paired
from tiewise.measures import Measure, parse_all
from tiewise.runs import frames
from tiewise.runs.coverage import CoverageWarning
from tiewise.runs.policies import Policy, parse_policy
from tiewise.runs.score_types import check_score_type

QrelsSource: TypeAlias = frames.Qrels | str | Path
RunSource: TypeAlias = frames.Run | str | Path
Measures: TypeAlias = str | Measure | Iterable[str | Measure]

_FATES = ("zero", "skip")


@dataclass(frozen=True)
class Request:
    """Judgements and runs, and how to evaluate them.

    Parameters
    ----------
    qrels : frame, mapping or path
        Judgements.
    runs : mapping of str to frame, mapping or path
        Runs by the name that messages give them.
    measures, policy, score_type, empty, missing
        As for `tiewise.evaluate`.

    Raises
    ------
    InputError
        Naming every problem.
    """

    qrels: Any
    runs: Mapping[str, Any]
    measures: Any
    policy: Any
    score_type: str
    empty: str
    missing: str

    def __post_init__(self) -> None:
        problems = Problems()
        checked = {
            "measures": problems.attempt(parse_all, self.measures),
            "policy": problems.attempt(parse_policy, self.policy),
        }
        problems.attempt(check_score_type, self.score_type)
        for name in ("empty", "missing"):
            if (fate := getattr(self, name)) not in _FATES:
                problems.append(f"{name}={fate!r} is unknown: {did_you_mean(str(fate), _FATES)}")
        tables = _tables({"qrels": self.qrels, **self.runs}, problems)
        policy: Policy | None = checked["policy"]
        for name in self.runs:
            if policy and policy.kind == "rank" and "rank" not in tables.get(name, ["rank"]):
                problems.append(f"{name}: no column rank, which the tie policy rank needs")
        problems.stop()
        checked["qrels"] = tables.pop("qrels")
        checked["runs"] = tables
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def paired(self, name: str, stacklevel: int) -> Paired:
        """Bring a run and the judgements together, and warn of what is left out.

        Parameters
        ----------
        name : str
            Which run.
        stacklevel : int
            Callers between this method and the one whom the warning is for.

        Raises
        ------
        InputError
            If no query of the run has judgements.
        """
        paired = Paired(self.qrels, self.runs[name], self.policy, self.score_type)
        covered = paired.coverage
        if not covered.n_candidates:
            raise InputError(
                f"{name}: no query of it has judgements: it has {some(covered.unjudged)}; "
                f"the qrels have {some(covered.missing)}"
            )
        if remarks := covered.remarks(empty=self.empty, missing=self.missing):
            warnings.warn(f"{name}: " + "; ".join(remarks), CoverageWarning, stacklevel + 1)
        return paired

    def kept(self, *paired: Paired) -> pl.Series:
        """Mark the queries that an average over these runs counts, Boolean (Q,).

        Raises
        ------
        InputError
            If there are none.
        """
        skipped: set[str] = set()
        for one in paired:
            skipped.update(one.coverage.empty if self.empty == "skip" else ())
            skipped.update(one.coverage.missing if self.missing == "skip" else ())
        kept = ~paired[0].query_ids.is_in(list(skipped))
        if not kept.any():
            raise InputError(
                f"no query is left of {len(kept)}: with empty={self.empty!r} and "
                f"missing={self.missing!r} all are left out"
            )
        return kept


def _tables(sources: Mapping[str, Any], problems: Problems) -> dict[str, pl.DataFrame]:
    """Read and check all tables; those that cannot be read are left out."""
    tables = {}
    for name, source in sources.items():
        if isinstance(source, (str, os.PathLike)):
            from tiewise import io

            source = problems.attempt(io.read_qrels if name == "qrels" else io.read_run, source)
        if source is not None:
            tables[name] = source
    checked = problems.attempt(frames.checked, list(tables.items()))
    return dict(zip(tables, checked or tables.values(), strict=True))
