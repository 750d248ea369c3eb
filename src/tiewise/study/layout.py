"""Where artifacts lie under the results folder: the one place that spells their paths."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tiewise.study.config import Study


@dataclass(frozen=True)
class Layout:
    """Paths of a study's artifacts.

    Parameters
    ----------
    results : str
        The results folder.

    Examples
    --------
    >>> Layout("results").scores("icd10cm", "all-minilm-l6-v2", "bf16-hps").as_posix()
    'results/scores/icd10cm/all-minilm-l6-v2/bf16-hps.parquet'
    """

    results: str = "results"

    def data(self, dataset: str, table: str) -> Path:
        """Table of a data set: corpus, queries, qrels or candidates."""
        return Path(self.results, "data", dataset, f"{table}.parquet")

    def logits(self, dataset: str, model: str, dtype: str) -> Path:
        """Output of a model in one dtype."""
        return Path(self.results, "logits", dataset, model, f"{dtype}.parquet")

    def scores(self, dataset: str, model: str, regime: str) -> Path:
        """Scores in one precision regime."""
        return Path(self.results, "scores", dataset, model, f"{regime}.parquet")

    def metrics(self, dataset: str, model: str, regime: str) -> Path:
        """Tie-aware measures per query."""
        return Path(self.results, "metrics", dataset, model, f"{regime}.parquet")

    def ties(self, dataset: str, model: str, regime: str) -> Path:
        """Tie statistics per query."""
        return Path(self.results, "ties", dataset, model, f"{regime}.parquet")

    def summary(self) -> Path:
        """Averages over queries, one row per data set x model x regime x measure x policy."""
        return Path(self.results, "summary.parquet")

    def cache(self, key: str) -> Path:
        """Finished logits that a failed or changed job left; not an artifact of the study."""
        return Path(self.results, ".cache", "logits", f"{key}.parquet")

    def cells(self, study: Study) -> list[tuple[str, str]]:
        """Every (data set, regime) of one model."""
        return [(dataset, regime) for dataset in study.datasets for regime in study.regimes]


RESULTS = Layout()
"""The folder that the workflow writes, relative to where it is run."""
