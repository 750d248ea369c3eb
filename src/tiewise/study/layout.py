"""Where artifacts lie under the results folder: the one place that spells their paths."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


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

    def first_stage(self, dataset: str) -> Path:
        """How good the candidates' own order is, one row per measure."""
        return Path(self.results, "first_stage", f"{dataset}.parquet")

    def self_test(self, model: str) -> Path:
        """Known values of a model, as published and as found."""
        return Path(self.results, "models", model, "self_test.parquet")

    def weights(self, recipe: str, head: str) -> Path:
        """Weights of a reranker that the study trains, in the folder of its checkpoint."""
        return Path(self.results, "models", recipe, head, "model.safetensors")

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

    def averages(self) -> Path:
        """Averages over data sets, one row per group x model x regime x measure x policy."""
        return Path(self.results, "averages.parquet")

    def agreement(self, dataset: str, model: str, regime: str) -> Path:
        """Rank correlation with FP32 and ties of equal texts, per query."""
        return Path(self.results, "agreement", dataset, model, f"{regime}.parquet")

    def tie_summary(self) -> Path:
        """Averages of tie statistics and agreement, one row per data set x model x regime."""
        return Path(self.results, "tie_summary.parquet")

    def distribution(self, model: str) -> Path:
        """How a model's scores and tie-group sizes are distributed in every regime."""
        return Path(self.results, "distribution", f"{model}.parquet")

    def alternatives(self, dataset: str, model: str) -> Path:
        """Other ways to deal with ties, one row per model dtype x method x measure."""
        return Path(self.results, "alternatives", dataset, f"{model}.parquet")

    def toolkits(self, dataset: str, model: str) -> Path:
        """What each toolkit would print, one row per regime x toolkit x measure."""
        return Path(self.results, "toolkits", dataset, f"{model}.parquet")

    def cost(self, dataset: str, model: str) -> Path:
        """Time and memory of the upcast, one row per model dtype."""
        return Path(self.results, "cost", dataset, f"{model}.parquet")

    def pairs(self, dataset: str) -> Path:
        """Models compared, one row per regime x measure x pair of models."""
        return Path(self.results, "pairs", f"{dataset}.parquet")

    def worst(self) -> Path:
        """Queries whose value depends most on the order of ties, one row per tied document."""
        return Path(self.results, "worst.parquet")

    def verdicts(self) -> Path:
        """Published and reproduced numbers, one row per published cell."""
        return Path(self.results, "verdicts.parquet")

    def claims(self) -> Path:
        """The paper's claims and whether they hold, one row per claim and scope."""
        return Path(self.results, "claims.parquet")

    def table(self, name: str) -> Path:
        """Stem of a table, which has the suffixes csv, md and tex."""
        return Path(self.results, "tables", name)

    def figure(self, name: str) -> Path:
        """Stem of a figure, which has the suffixes pdf, svg and png."""
        return Path(self.results, "figures", name)

    def notebook(self, name: str) -> Path:
        """Executed notebook."""
        return Path(self.results, "notebooks", f"{name}.ipynb")

    def page(self) -> Path:
        """The report, one page."""
        return Path(self.results, "report.html")

    def cache(self, key: str) -> Path:
        """Finished logits that a failed or changed job left; not an artifact of the study."""
        return Path(self.results, ".cache", "logits", f"{key}.parquet")


RESULTS = Layout()
"""The folder that the workflow writes, relative to where it is run."""
