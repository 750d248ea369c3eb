"""Agreement with FP32: how alike a regime ranks candidates, and which ties are of equal texts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from tiewise.store.artifacts import Kind, read_provenance, write_artifact
from tiewise.study.reading import PAIR, read_reference, read_run, read_texts

if TYPE_CHECKING:
    from tiewise.study.config import Study


KIND = Kind("agreement", {"query_id": pl.String, "spearman": pl.Float64, "n_duplicates": pl.Int64})


def measure_agreement(
    study: Study,
    *,
    dataset: str,
    model: str,
    corpus: Path,
    scores: list[Path],
    agreement: list[Path],
) -> None:
    """Compare a model's ranking in every regime with FP32's, per query."""
    texts, reference = read_texts(study, dataset, corpus), read_reference(study, scores)
    for path, target in zip(scores, agreement, strict=True):
        run = read_run(study, path)
        compared = rank_correlation(run, reference).join(
            tied_duplicates(run, texts), on="query_id", how="left", maintain_order="left"
        )
        write_artifact(compared, target, provenance=read_provenance(path), kind=KIND)


def rank_correlation(run: pl.DataFrame, reference: pl.DataFrame | None) -> pl.DataFrame:
    """Correlate the ranks of a run with those of a reference, query by query.

    Parameters
    ----------
    run, reference : polars.DataFrame
        Columns query_id, doc_id, score; the reference has every candidate of the run. None: no
        reference.

    Returns
    -------
    polars.DataFrame
        Columns query_id and spearman, from -1 to 1: Pearson's correlation of ranks, in which tied
        candidates share the mean of their ranks (the tie-corrected form). Null where all scores of
        a side are equal, or where there is no reference.

    Examples
    --------
    >>> run = pl.DataFrame({"query_id": ["q"] * 3, "doc_id": ["a", "b", "c"], "score": [1, 1, 0]})
    >>> reference = run.with_columns(score=pl.Series([3, 2, 1]))
    >>> rank_correlation(run, reference)["spearman"].round(4).to_list()
    [0.866]
    """
    if reference is None:
        return run.select(
            pl.col("query_id").unique(maintain_order=True), spearman=pl.lit(None, pl.Float64)
        )
    both = run.join(
        reference.select(*PAIR, reference="score"), on=PAIR, how="left", maintain_order="left"
    )
    # The sum makes -0.0 and 0.0 one number.
    ranks = (pl.col(name) + 0.0 for name in ("score", "reference"))
    ranked = both.select("query_id", *(rank.rank("average").over("query_id") for rank in ranks))
    correlation = pl.corr("score", "reference").clip(-1, 1).fill_nan(None)
    return ranked.group_by("query_id", maintain_order=True).agg(spearman=correlation)


def tied_duplicates(run: pl.DataFrame, texts: pl.DataFrame) -> pl.DataFrame:
    """Count the tied candidates whose text another candidate of their tie group has too.

    Parameters
    ----------
    run : polars.DataFrame
        Columns query_id, doc_id, score.
    texts : polars.DataFrame
        Columns doc_id, text.

    Returns
    -------
    polars.DataFrame
        Columns query_id, n_duplicates.

    Examples
    --------
    >>> run = pl.DataFrame({"query_id": ["q"] * 3, "doc_id": ["a", "b", "c"], "score": [1, 1, 1]})
    >>> tied_duplicates(run, pl.DataFrame({"doc_id": ["a", "b", "c"], "text": ["x", "y", "x"]}))[
    ...     "n_duplicates"
    ... ].to_list()
    [2]
    """
    # Numbers in place of texts: a join and a group by long strings would take a long time.
    numbered = texts.select("doc_id", text=pl.col("text").rank("dense"))
    known = run.join(numbered, on="doc_id", how="left", maintain_order="left")
    groups = known.group_by("query_id", pl.col("score") + 0.0, "text", maintain_order=True).len()
    duplicates = pl.col("len").filter(pl.col("len") > 1).sum()
    return groups.group_by("query_id", maintain_order=True).agg(n_duplicates=duplicates)
