"""Several runs side by side: where each stands, what ties and what the queries leave open."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from tiewise.errors import some
from tiewise.judging.compare import compare
from tiewise.judging.evaluate import average, evaluate
from tiewise.judging.significance import paired_test
from tiewise.measures import Measure, parse_all
from tiewise.runs.coverage import CoverageWarning


@dataclass(frozen=True)
class Comparison:
    """Runs compared.

    Attributes
    ----------
    standings : polars.DataFrame
        One row for each measure and run, the best expected value of the first measure first:
        run, and the columns of `tiewise.evaluate`, and ``ci_low``, ``ci_high``, the bootstrap
        interval of the expected value over queries (null below two queries).
    pairs : polars.DataFrame
        Of `tiewise.compare`, the runs in the order of `standings`.
    remarks : tuple of str
        Queries that not all runs have.
    verdict : tuple of str
        A sentence for each measure.
    policy : str
        Of the oblivious values.
    confidence : float
        Level of the intervals.
    """

    standings: pl.DataFrame
    pairs: pl.DataFrame
    remarks: tuple[str, ...]
    verdict: tuple[str, ...]
    policy: str
    confidence: float

    @property
    def names(self) -> list[str]:
        """The runs, in order."""
        return self.standings["run"].unique(maintain_order=True).to_list()

    @property
    def measures(self) -> list[str]:
        """The measures, in order."""
        return self.standings["measure"].unique(maintain_order=True).to_list()


def compare_runs(
    qrels: pl.DataFrame,
    runs: Mapping[str, pl.DataFrame],
    measures: Sequence[str | Measure],
    *,
    baseline: str | None = None,
    policy: str = "trec",
    score_type: str = "float64",
    empty: str = "zero",
    missing: str = "zero",
    resamples: int = 9_999,
    confidence: float = 0.95,
    seed: int = 0,
) -> Comparison:
    """Compare runs and say where each stands.

    Parameters
    ----------
    qrels, runs, measures, baseline, policy, score_type, empty, missing, resamples, confidence, seed
        As for `tiewise.compare`.

    Returns
    -------
    Comparison
        Tables and sentences.

    Raises
    ------
    InputError
        As `tiewise.compare`.

    Examples
    --------
    >>> from tiewise.runs.frames import as_qrels, as_run
    >>> runs = {"tied": {"q": {"a": 1.0, "b": 1.0}}, "low": {"q": {"a": 0.0, "b": 1.0}}}
    >>> runs = {name: as_run(run) for name, run in runs.items()}
    >>> result = compare_runs(as_qrels({"q": {"a": 1}}), runs, ["RR"])
    >>> result.names, result.verdict
    (['tied', 'low'], ('RR: the order of tied and low is open: ties alone could turn it.',))
    """
    wanted = parse_all(measures)
    options: dict[str, Any] = {
        "policy": policy,
        "score_type": score_type,
        "empty": empty,
        "missing": missing,
    }
    draws: dict[str, Any] = {"resamples": resamples, "confidence": confidence, "seed": seed}
    queries = {name: _per_query(qrels, run, wanted, options) for name, run in runs.items()}
    averages = {name: average(table) for name, table in queries.items()}
    order = sorted(runs, key=lambda name: -averages[name]["expected"][0])
    # The comparison checks every option, so it comes before its draws are used.
    ordered = {name: runs[name] for name in order}
    pairs = compare(qrels, ordered, wanted, baseline=baseline, **options, **draws)
    standings = pl.concat(_standing(name, averages[name], queries[name], **draws) for name in order)
    return Comparison(
        standings=_by_measure(standings, [str(m) for m in wanted]),
        pairs=pairs,
        remarks=tuple(_different_queries(qrels, ordered)),
        verdict=tuple(
            _sentence(rows) for _, rows in pairs.group_by("measure", maintain_order=True)
        ),
        policy=policy,
        confidence=confidence,
    )


def _per_query(
    qrels: pl.DataFrame, run: pl.DataFrame, measures: list[Measure], options: dict[str, Any]
) -> pl.DataFrame:
    with warnings.catch_warnings():
        # The comparison says what is left out, with the names of the runs.
        warnings.simplefilter("ignore", CoverageWarning)
        return evaluate(qrels, run, measures, per_query=True, **options)


def _standing(
    name: str,
    averages: pl.DataFrame,
    per_query: pl.DataFrame,
    *,
    resamples: int,
    confidence: float,
    seed: int,
) -> pl.DataFrame:
    intervals = [
        paired_test(
            values["expected"].to_numpy(), resamples=resamples, confidence=confidence, seed=seed
        )
        for _, values in per_query.group_by("measure", maintain_order=True)
    ]
    return averages.select(
        pl.lit(name).alias("run"),
        pl.all(),
        pl.Series("ci_low", [i.ci_low for i in intervals], pl.Float64),
        pl.Series("ci_high", [i.ci_high for i in intervals], pl.Float64),
    )


def _by_measure(standings: pl.DataFrame, measures: list[str]) -> pl.DataFrame:
    return pl.concat(standings.filter(pl.col("measure") == measure) for measure in measures)


def _different_queries(qrels: pl.DataFrame, runs: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    """Name the judged queries that some of the runs have and others lack."""
    judged = qrels["query_id"].unique(maintain_order=True)
    present = {name: judged.is_in(run["query_id"].unique().implode()) for name, run in runs.items()}
    anywhere = pl.Series([False] * len(judged))
    for found in present.values():
        anywhere = anywhere | found
    for name, found in present.items():
        lacking = judged.filter(anywhere & ~found)
        if len(lacking):
            yield (
                f"runs cover different queries: {name} lacks judged queries that another run "
                f"has, {some(lacking.to_list())}"
            )


def _sentence(pairs: pl.DataFrame) -> str:
    measure, n_pairs = pairs["measure"][0], pairs.height
    opened = pairs.filter(~pl.col("certain"))
    if opened.is_empty():
        which = "the order of the two runs is" if n_pairs == 1 else f"all {n_pairs} orders are"
        return f"{measure}: {which} certain, whatever the order of ties."
    named = [f"{a} and {b}" for a, b in opened.select("run_a", "run_b").head(3).iter_rows()]
    listed = "; ".join(named) + ("; ..." if opened.height > len(named) else "")
    if n_pairs == 1:
        return f"{measure}: the order of {listed} is open: ties alone could turn it."
    return f"{measure}: of {n_pairs} orders, ties alone could turn {opened.height}: {listed}."
