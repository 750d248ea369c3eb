"""The tie rules of the known toolkits, as facts."""

from __future__ import annotations

from dataclasses import dataclass, fields

from tiewise.measures import Measure

AVERAGE = "average"
"""Stands for a policy: the mean over all orders, with an ideal of the candidates alone."""


@dataclass(frozen=True)
class Rule:
    """How a toolkit orders ties for some of its measures.

    Parameters
    ----------
    policy : str
        A tie policy, or `AVERAGE`.
    score_type : {'float64', 'float32'}
        What counts as equal.
    measures : str
        The measures, as in ``nDCG nDCG@k``: without and with a cut-off.
    """

    policy: str
    score_type: str
    measures: str

    def covers(self, measure: Measure) -> bool:
        """Tell whether a measure, in its default form, is one of the rule's."""
        plain = all(
            f.name == "cutoff" or getattr(measure, f.name) == f.default for f in fields(measure)
        )
        shape = measure.symbol + ("" if measure.cutoff is None else "@k")
        return plain and shape in self.measures.split()


@dataclass(frozen=True)
class Toolkit:
    """A toolkit and its rules.

    Parameters
    ----------
    name, ties : str
        What it is called, and how it orders ties, in words.
    rules : tuple of Rule
        The first that covers a measure counts.
    missing, empty : {'zero', 'skip'}
        What becomes of queries without candidates, and without relevant documents.
    knows_grades, sorts_stably : bool
        Whether nDCG takes grades, and whether equal scores keep their order.
    """

    name: str
    ties: str
    rules: tuple[Rule, ...]
    missing: str = "zero"
    empty: str = "zero"
    knows_grades: bool = True
    sorts_stably: bool = True


_TREC = "nDCG nDCG@k AP AP@k R@k P@k RR RR@k Success@k Rprec"

TOOLKITS = (
    Toolkit(
        "trec_eval 9, pytrec_eval",
        "document id descending; scores as float32",
        (Rule("trec", "float32", _TREC),),
        missing="skip",
    ),
    Toolkit(
        "trec_eval 10",
        "document id descending; scores as float64",
        (Rule("trec", "float64", _TREC),),
        missing="skip",
    ),
    Toolkit(
        "MTEB",
        "document id descending; scores as float32, for RR as float64",
        (
            Rule("trec", "float32", "nDCG@k AP@k R@k P@k Success@k"),
            Rule("trec", "float64", "RR@k"),
        ),
    ),
    Toolkit(
        "sentence-transformers",
        "document id ascending",
        (Rule("docid", "float64", "nDCG@k R@k P@k RR@k Success@k"),),
        empty="skip",
        knows_grades=False,
    ),
    Toolkit(
        "ir_measures",
        "document id descending, scores as float32; for RR@k and Judged@k ascending, as float64",
        (
            Rule("trec", "float32", "nDCG nDCG@k AP AP@k R@k P@k RR Success@k Rprec"),
            Rule("docid", "float64", "RR@k Judged@k"),
        ),
    ),
    Toolkit(
        "ranx",
        "order of an unstable sort, which follows the order of the input",
        (Rule("input", "float64", "nDCG nDCG@k AP AP@k R R@k P@k RR RR@k F1@k Hits@k Rprec"),),
        sorts_stably=False,
    ),
    Toolkit(
        "scikit-learn",
        "average over all orders; knows no relevant document but those of the run",
        (Rule(AVERAGE, "float64", "nDCG nDCG@k"),),
    ),
)
"""The toolkits, as of trec_eval 10.0, pytrec_eval-terrier 0.5.11, MTEB 2.20, sentence-transformers
6.2, ir_measures 0.4.3, ranx 0.3.21 and scikit-learn 1.9."""
