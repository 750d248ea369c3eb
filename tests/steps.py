"""Steps of a study by the names of their rules, given the files that the rules give them."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tiewise.data.normal import KINDS
from tiewise.store.artifacts import Kind
from tiewise.study.config import Study
from tiewise.study.layout import Layout
from tiewise.study.published import published_files
from tiewise.study.steps import (
    ask_toolkits,
    average_datasets,
    average_queries,
    check_claims,
    check_published,
    compare_models,
    compute_scores,
    count_scores,
    count_ties,
    find_candidates,
    find_worst,
    judge_first_stage,
    judge_scores,
    measure_agreement,
    summarise_ties,
    time_upcast,
    try_alternatives,
)

ROOT = Path(__file__).resolve().parent.parent
TABLES = ("corpus", "queries", "qrels", "candidates")
STEPS = (
    *(ask_toolkits, average_datasets, average_queries, check_claims, check_published),
    *(compare_models, compute_scores, count_scores, count_ties, find_candidates, find_worst),
    *(judge_first_stage, judge_scores, measure_agreement, summarise_ties, time_upcast),
    try_alternatives,
)
ALL_KINDS: dict[str, Kind] = KINDS | {step.KIND.name: step.KIND for step in STEPS}


def empty(kind: str) -> pl.DataFrame:
    return ALL_KINDS[kind].frame()


def _judged(layout: Layout, dataset: str) -> dict[str, Path]:
    return {table: layout.data(dataset, table) for table in ("qrels", "candidates")}


def _of_model(study: Study, layout: Layout, dataset: str, model: str, kind: str) -> list[Path]:
    return [getattr(layout, kind)(dataset, model, regime) for regime in study.regimes]


def scores(study: Study, model: str, layout: Layout) -> None:
    for name in study.datasets:
        compute_scores.compute_scores(
            study,
            dataset=name,
            model=model,
            candidates=layout.data(name, "candidates"),
            logits=[layout.logits(name, model, dtype) for dtype in study.dtypes],
            scores=_of_model(study, layout, name, model, "scores"),
        )


def metrics(study: Study, model: str, layout: Layout) -> None:
    for name in study.datasets:
        judge_scores.judge_scores(
            study,
            dataset=name,
            model=model,
            **_judged(layout, name),
            scores=_of_model(study, layout, name, model, "scores"),
            metrics=_of_model(study, layout, name, model, "metrics"),
        )


def ties(study: Study, model: str, layout: Layout) -> None:
    for name in study.datasets:
        count_ties.count_ties(
            study,
            dataset=name,
            model=model,
            scores=_of_model(study, layout, name, model, "scores"),
            ties=_of_model(study, layout, name, model, "ties"),
        )


def agreement(study: Study, model: str, layout: Layout) -> None:
    for name in study.datasets:
        measure_agreement.measure_agreement(
            study,
            dataset=name,
            model=model,
            corpus=layout.data(name, "corpus"),
            scores=_of_model(study, layout, name, model, "scores"),
            agreement=_of_model(study, layout, name, model, "agreement"),
        )


def distribution(study: Study, model: str, layout: Layout) -> None:
    count_scores.count_scores(
        study,
        model=model,
        scores=[layout.scores(d, model, r) for d in study.datasets for r in study.regimes],
        distribution=layout.distribution(model),
    )


def alternatives(study: Study, model: str, layout: Layout) -> None:
    for name in study.datasets:
        try_alternatives.try_alternatives(
            study,
            dataset=name,
            model=model,
            **_judged(layout, name),
            logits=[layout.logits(name, model, dtype) for dtype in study.dtypes],
            alternatives=layout.alternatives(name, model),
        )


def toolkits(study: Study, model: str, layout: Layout) -> None:
    for name in study.datasets:
        ask_toolkits.ask_toolkits(
            study,
            dataset=name,
            model=model,
            **_judged(layout, name),
            scores=_of_model(study, layout, name, model, "scores"),
            toolkits=layout.toolkits(name, model),
        )


def cost(study: Study, model: str, layout: Layout) -> None:
    for name in study.datasets:
        time_upcast.time_upcast(
            study,
            dataset=name,
            model=model,
            candidates=layout.data(name, "candidates"),
            logits=[layout.logits(name, model, dtype) for dtype in study.dtypes],
            cost=layout.cost(name, model),
        )


def pairs(study: Study, name: str, layout: Layout) -> None:
    compare_models.compare_models(
        study,
        dataset=name,
        **_judged(layout, name),
        scores=[layout.scores(name, m, r) for r in study.regimes for m in study.models],
        pairs=layout.pairs(name),
    )


def summary(study: Study, layout: Layout) -> None:
    average_queries.average_queries(
        study,
        metrics=[layout.metrics(*cell) for cell in study.cells],
        summary=layout.summary(),
    )


def averages(study: Study, layout: Layout) -> None:
    average_datasets.average_datasets(study, summary=layout.summary(), averages=layout.averages())


def tie_summary(study: Study, layout: Layout) -> None:
    summarise_ties.summarise_ties(
        study,
        ties=[layout.ties(*cell) for cell in study.cells],
        agreement=[layout.agreement(*cell) for cell in study.cells],
        tie_summary=layout.tie_summary(),
    )


def worst(study: Study, layout: Layout) -> None:
    find_worst.find_worst(
        study,
        **{table: [layout.data(name, table) for name in study.datasets] for table in TABLES},
        metrics=[layout.metrics(*cell) for cell in study.cells],
        scores=[layout.scores(*cell) for cell in study.cells],
        worst=layout.worst(),
    )


def verdicts(study: Study, layout: Layout, published: list[Path] | None = None) -> None:
    check_published.check_published(
        study,
        summary=layout.summary(),
        published=published_files(study, ROOT) if published is None else published,
        verdicts=layout.verdicts(),
    )


def claims(study: Study, layout: Layout) -> None:
    check_claims.check_claims(
        study,
        summary=layout.summary(),
        pairs=[layout.pairs(name) for name in study.datasets if len(study.models) > 1],
        cost=[layout.cost(name, model) for model in study.models for name in study.datasets],
        claims=layout.claims(),
    )
