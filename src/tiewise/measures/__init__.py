"""Measures of a ranking, over all orders inside its tie groups: one family a file."""

from tiewise.kernel.documents import Batch
from tiewise.measures.ap import AP
from tiewise.measures.base import Measure, TieAware
from tiewise.measures.f1 import F1
from tiewise.measures.first import RR, Success
from tiewise.measures.hits import Hits
from tiewise.measures.judged import Judged
from tiewise.measures.names import ALIASES, MEASURES, parse, parse_all
from tiewise.measures.ndcg import NDCG
from tiewise.measures.precision import Precision, RPrecision
from tiewise.measures.rbp import RBP
from tiewise.measures.recall import CappedRecall, Recall

__all__ = [
    "ALIASES",
    "AP",
    "F1",
    "MEASURES",
    "NDCG",
    "RBP",
    "RR",
    "Batch",
    "CappedRecall",
    "Hits",
    "Judged",
    "Measure",
    "Precision",
    "RPrecision",
    "Recall",
    "Success",
    "TieAware",
    "parse",
    "parse_all",
]
