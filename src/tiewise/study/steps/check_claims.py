"""The paper's claims, each held against the study's own numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tiewise.measures.base import ROUNDING
from tiewise.models.spec import Scoring
from tiewise.store.artifacts import Kind, read_artifact, read_provenance, write_artifact
from tiewise.study.steps.compare_models import KIND as PAIRS

if TYPE_CHECKING:
    from tiewise.study.config import Study

HOLDS, FAILS, MISSING = VERDICTS = ("holds", "does not hold", "not in this study")
FUNCTIONS: dict[str, tuple[Scoring, ...]] = {
    "softmax": ("softmax",),
    "sigmoid": ("sigmoid",),
    "pairwise product": ("dot", "cosine"),
}


KIND = Kind(
    "claims",
    {
        "number": pl.Int64,
        "claim": pl.String,
        "scope": pl.String,
        "verdict": pl.String,
        "figures": pl.String,
    },
)


class Answer(NamedTuple):
    """Whether a claim holds in a scope, and the figures for it; None where nobody can tell."""

    scope: str
    holds: bool | None
    figures: str


@dataclass(frozen=True)
class Evidence:
    """What claims are held against.

    Attributes
    ----------
    functions : dict of str to str
        Scoring function of each model.
    cells : polars.DataFrame
        The study's averages of the table measures under the data set's own order where the study
        has it, else under its first policy.
    pairs, cost : polars.DataFrame
        Pairs of models, without rows in a study of one model; cost of the upcast, with a column
        model.
    """

    functions: dict[str, str]
    cells: pl.DataFrame
    pairs: pl.DataFrame
    cost: pl.DataFrame

    def of(self, regime: str, function: str | None = None) -> pl.DataFrame:
        """Return the cells of a regime, of all models or of those with a scoring function."""
        cells = self.cells.filter(pl.col("regime") == regime)
        if function is None:
            return cells
        return cells.filter(pl.col("model").replace_strict(self.functions) == function)

    def side_by_side(self, regime: str, other: str, function: str | None = None) -> pl.DataFrame:
        """Join the cells of two regimes; the columns of the second end in ``_other``."""
        keys = ["dataset", "model", "measure"]
        both = self.of(regime, function).join(
            self.of(other, function), on=keys, suffix="_other", maintain_order="left"
        )
        return both.with_columns(label=pl.concat_str(keys, separator=" "))


def check_claims(
    study: Study, *, summary: Path, pairs: list[Path], cost: list[Path], claims: Path
) -> None:
    """Hold every claim of the paper against the study."""
    evidence = gather(study, summary, pairs, cost)
    rows = [
        (number, text, *_worded(answer))
        for number, (text, ask) in enumerate(CLAIMS.items(), start=1)
        for answer in ask(evidence)
    ]
    frame = KIND.frame(rows, orient="row")
    write_artifact(frame, claims, provenance=read_provenance(summary), kind=KIND)


def gather(study: Study, summary: Path, pairs: list[Path], cost: list[Path]) -> Evidence:
    """Read what the claims are about."""
    config = study.config
    policy = "input" if "input" in config.policies else config.policies[0]
    names = {scoring: name for name, kinds in FUNCTIONS.items() for scoring in kinds}
    cells = [(name, model) for model in study.models for name in study.datasets]
    timed = [
        read_artifact(path).with_columns(model=pl.lit(model))
        for (_, model), path in zip(cells, cost, strict=True)
    ]
    return Evidence(
        functions={model: names[spec.scoring] for model, spec in study.models.items()},
        cells=read_artifact(summary).filter(
            pl.col("policy") == policy, pl.col("measure").is_in(config.table_measures)
        ),
        pairs=pl.concat(map(read_artifact, pairs)) if pairs else PAIRS.frame(),
        cost=pl.concat(timed),
    )


def _worded(answer: Answer) -> tuple[str, str, str]:
    verdict = MISSING if answer.holds is None else HOLDS if answer.holds else FAILS
    return answer.scope, verdict, answer.figures


def _has_range(evidence: Evidence) -> Iterator[Answer]:
    for function in FUNCTIONS:
        cells = evidence.of("bf16", function)
        if cells.is_empty():
            yield Answer(function, None, f"no {function} model in bf16")
            continue
        widest = cells.group_by("model", maintain_order=True).agg(pl.col("range").max())
        figures = [f"{model} up to {100 * value:.2f}" for model, value in widest.iter_rows()]
        yield Answer(
            function, bool((widest["range"] > ROUNDING).all()), "range: " + ", ".join(figures)
        )


def _has_positive_bias(evidence: Evidence) -> Iterator[Answer]:
    cells = evidence.of("bf16")
    if cells.is_empty():
        yield Answer("all models", None, "no model in bf16")
        return
    positive = int((cells["bias"] > ROUNDING).sum())
    low, high = (100 * value for value in cells["bias"].sort()[[0, -1]])
    figures = f"positive in {positive} of {cells.height} cells, from {low:+.2f} to {high:+.2f}"
    yield Answer("all models", positive == cells.height, figures)


def _hps_cuts_range(evidence: Evidence) -> Iterator[Answer]:
    for function, least in (("softmax", 20), ("sigmoid", 5)):
        both = evidence.side_by_side("bf16", "bf16-hps", function)
        both = both.filter(pl.col("range") > ROUNDING)
        if both.is_empty():
            yield Answer(function, None, f"no {function} model with a range in bf16, and bf16-hps")
            continue
        factors = (both["range"] / both["range_other"]).sort()
        smallest, largest = factors[0], factors[-1]
        figures = f"{smallest:.1f} to {largest:.1f} times narrower (inf: none is left)"
        yield Answer(function, smallest > least, figures)


def _hps_leaves_none(evidence: Evidence) -> Iterator[Answer]:
    cells = evidence.of("bf16-hps", "pairwise product")
    if cells.is_empty():
        yield Answer("pairwise product", None, "no pairwise-product model in bf16-hps")
        return
    widest = float(cells["range"].max())  # type: ignore[arg-type]
    farthest = float(cells["bias"].abs().max())  # type: ignore[arg-type]
    figures = f"largest range {100 * widest:.2g}, largest bias {100 * farthest:.2g}"
    yield Answer("pairwise product", max(widest, farthest) <= ROUNDING, figures)


def _order_changes(evidence: Evidence) -> Iterator[Answer]:
    pairs = evidence.pairs.filter(pl.col("regime") == "bf16")
    if pairs.is_empty():
        yield Answer("pairs of models", None, "no two models in bf16")
        return
    changed = pairs.filter(
        pl.col("delta").sign() * pl.col("delta_oblivious").sign() < 0,
        pl.col("delta").abs() > ROUNDING,
    )
    figures = f"{changed.height} of {pairs.height} orders change"
    if not changed.is_empty():
        row = changed.row(0, named=True)
        figures += f", such as {row['model_a']} and {row['model_b']}: {row['dataset']}, "
        figures += f"{row['measure']} {100 * row['delta_oblivious']:+.2f} oblivious, "
        figures += f"{100 * row['delta']:+.2f} expected"
    yield Answer("pairs of models", not changed.is_empty(), figures)


def _not_above_fp32(evidence: Evidence) -> Iterator[Answer]:
    both = evidence.side_by_side("bf16", "fp32")
    if both.is_empty():
        yield Answer("all models", None, "not both bf16 and fp32")
        return
    both = both.with_columns(above=pl.col("expected") - pl.col("expected_other"))
    beyond = both.filter(pl.col("above") > pl.col("range") + ROUNDING)
    row = both.row((both["above"] - both["range"]).arg_max() or 0, named=True)
    figures = f"{both.height - beyond.height} of {both.height} cells; nearest to it: "
    figures += f"{row['label']}, {100 * row['above']:+.2f} with a range of {100 * row['range']:.2f}"
    yield Answer("all models", beyond.is_empty(), figures)


def _hps_is_cheap(evidence: Evidence) -> Iterator[Answer]:
    if evidence.cost.is_empty():
        yield Answer("all models", None, "no low model dtype")
        return
    row = evidence.cost.row(evidence.cost["share"].arg_max() or 0, named=True)
    seconds = f"{1000 * row['upcast_seconds']:.2f} ms after {row['forward_seconds']:.1f} s"
    figures = f"at most {100 * row['share']:.3f} %: {row['model']} in {row['dtype']}, {seconds}"
    yield Answer("all models", row["share"] < 0.01, figures)


CLAIMS: dict[str, Callable[[Evidence], Iterator[Answer]]] = {
    "BF16 without HPS has a range above 0, whatever the scoring function.": _has_range,
    "The bias of BF16 under the data set's own order is positive.": _has_positive_bias,
    "HPS narrows the range of softmax more than 20 times and of sigmoid about 10 times "
    "(here: more than 5).": _hps_cuts_range,
    "With HPS a pairwise product has range 0 and bias 0.": _hps_leaves_none,
    "At least one pair of models changes order between oblivious and expected.": _order_changes,
    "The expected value of BF16 is not above FP32's by more than the tie range.": _not_above_fp32,
    "HPS costs less than 1 % of the time of scoring.": _hps_is_cheap,
}
"""The claims of Yang et al. (2026), in our words, and how each is checked."""
