"""Expected values for users of ir_measures, with their own calls.

Examples
--------
>>> import ir_measures
>>> from ir_measures import RR, Success
>>> from tiewise.ir_measures_provider import expected
>>> qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}
>>> expected.calc_aggregate([RR, Success@1], qrels, run)
{RR: 0.75, Success@1: 0.5}

For every call of ir_measures, put the provider first:

>>> ir_measures.DefaultPipeline.providers.insert(0, expected)
>>> ir_measures.calc_aggregate([RR@10], qrels, run)
{RR@10: 0.75}
>>> ir_measures.DefaultPipeline.providers.remove(expected)
"""

# mypy: allow-untyped-calls
# ir_measures says that it is typed, but most of its functions are not.

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

import ir_measures
import polars as pl
from ir_measures import measures as theirs
from ir_measures.providers.base import NOT_PROVIDED, Choices
from ir_measures.providers.base import Any as Anything

from tiewise.judging.evaluate import evaluate
from tiewise.measures import parse

__all__ = ["TieAwareProvider", "expected", "maximum", "minimum"]

Quantity = Literal["expected", "min", "max"]
_ALL = Choices(False)
"""Condensed lists, of judged documents only, are not supported."""


class TieAwareProvider(ir_measures.Provider):
    """A provider of ir_measures that computes over all orders of tied documents.

    Parameters
    ----------
    quantity : {'expected', 'min', 'max'}
        Which value stands for the run.

    Notes
    -----
    All measures of a call speak of the same ties, scores are compared as float64, and judged
    queries without results count 0, as ir_measures has it.
    """

    SUPPORTED_MEASURES: list[ir_measures.Measure] = [  # noqa: RUF012 (as the base class has it)
        theirs._nDCG(
            cutoff=Anything(), dcg=Anything(), gains=Choices(NOT_PROVIDED), judged_only=_ALL
        ),
        theirs._AP(cutoff=Anything(), rel=Anything(), judged_only=_ALL),
        theirs._RR(cutoff=Anything(), rel=Anything(), judged_only=_ALL),
        theirs._P(cutoff=Anything(), rel=Anything(), judged_only=_ALL),
        theirs._R(cutoff=Anything(), rel=Anything(), judged_only=_ALL),
        theirs._Success(cutoff=Anything(), rel=Anything(), judged_only=_ALL),
        theirs._Rprec(rel=Anything(), judged_only=_ALL),
        theirs._RBP(cutoff=Anything(), p=Anything(), rel=Anything(required=True)),
        theirs._Judged(cutoff=Anything()),
    ]

    def __init__(self, quantity: Quantity = "expected") -> None:
        super().__init__()
        self.NAME = f"tiewise_{quantity}"
        self.quantity = quantity

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> _Evaluator:
        return _Evaluator(list(measures), qrels, self.quantity)


class _Evaluator(ir_measures.Evaluator):
    """One set of measures and judgements, for any number of runs."""

    def __init__(self, measures: list[Any], qrels: Any, quantity: Quantity) -> None:
        rows = ir_measures.util.QrelsConverter(qrels).as_namedtuple_iter()
        self._qrels = pl.DataFrame(
            [(row.query_id, row.doc_id, row.relevance) for row in rows],
            schema=["query_id", "doc_id", "grade"],
            orient="row",
        )
        self._quantity = quantity
        # Names of ours that two of theirs share, such as nDCG and nDCG(dcg='log2').
        self._names = {measure: str(parse(str(measure))) for measure in measures}
        super().__init__(measures, set(self._qrels["query_id"]))

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        rows = ir_measures.util.RunConverter(run).as_namedtuple_iter()
        frame = pl.DataFrame(
            [(row.query_id, row.doc_id, float(row.score)) for row in rows],
            schema={"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64},
            orient="row",
        )
        table = evaluate(self._qrels, frame, list(self._names.values()), per_query=True)
        for measure, name in self._names.items():
            values = table.filter(pl.col("measure") == name).select("query_id", self._quantity)
            for query_id, value in values.iter_rows():
                yield ir_measures.Metric(query_id=query_id, measure=measure, value=value)


expected = TieAwareProvider("expected")
"""Mean over all orders of tied documents."""
minimum = TieAwareProvider("min")
"""Value of the worst order."""
maximum = TieAwareProvider("max")
"""Value of the best order."""
