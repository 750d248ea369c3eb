"""Names of measures: one spelling of ours, and those of trec_eval, MTEB, ranx and ir_measures."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from tiewise.errors import InputError, Problems, did_you_mean
from tiewise.measures.ap import AP
from tiewise.measures.base import Measure
from tiewise.measures.f1 import F1
from tiewise.measures.first import RR, Success
from tiewise.measures.hits import Hits
from tiewise.measures.judged import Judged
from tiewise.measures.ndcg import NDCG
from tiewise.measures.precision import Precision, RPrecision
from tiewise.measures.rbp import RBP
from tiewise.measures.recall import CappedRecall, Recall

MEASURES: dict[str, type[Measure]] = {
    m.symbol: m
    for m in (
        NDCG, RR, AP, Recall, Precision, F1, Hits, Success, RBP, RPrecision, Judged, CappedRecall,
    )
}  # fmt: skip
"""Every measure by the name in its spelling."""

ALIASES = {
    "nDCG": "ndcg ndcg_cut",
    "nDCG(gain=exp)": "ndcg_burges ndcg_exp",
    "RR": "mrr recip_rank recip_rank_cut",
    "AP": "map map_cut",
    "R": "recall set_recall",
    "P": "precision set_P",
    "F1": "f1 set_F",
    "Hits": "hits num_rel_ret NumRelRet",
    "Success": "success hit_rate hitrate accuracy",
    "RBP": "rbp",
    "Rprec": "r_precision r-precision",
    "Judged": "judged",
    "R_cap": "capped_recall cap_recall recall_cap r_cap",
}
"""Other names, without their cut-off: ranx and MTEB write hits@k for a number, hit_rate for 0/1."""

_NAMES = {alias.lower(): name for name, row in ALIASES.items() for alias in row.split()}
_NAMES |= {symbol.lower(): symbol for symbol in MEASURES}

_PARAMETERS = {"dcg=log2": "gain=linear", "dcg=exp-log2": "gain=exp"}
"""Parameters of ir_measures, in ours."""

_SPELLING = re.compile(r"(?P<name>[^@()]+)(?:\((?P<parameters>[^()]*)\))?(?:@(?P<cutoff>.*))?")
_ALIAS = re.compile(r"(?P<name>.+?)(?:_at_|[._])(?P<cutoff>-?\d+)")


def parse(name: str | Measure) -> Measure:
    """Read the name of a measure.

    Parameters
    ----------
    name : str or Measure
        Such as ``nDCG@10``, ``nDCG(gain=exp)@10``, ``RR@10``, ``AP(rel=2)@100``, ``RBP(p=0.8)``;
        or a name of trec_eval (``ndcg_cut_10``, ``recip_rank``, ``map_cut.100``), MTEB
        (``ndcg_at_10``), ranx (``hit_rate@10``) or ir_measures (``Success@10``).

    Returns
    -------
    Measure
        Its ``str`` is the one spelling, which reads back as an equal value.

    Raises
    ------
    InputError
        For an unknown name (with the nearest), parameter or cut-off.

    Examples
    --------
    >>> str(parse("ndcg_cut_10")), str(parse("mrr_at_5")), str(parse("map"))
    ('nDCG@10', 'RR@5', 'AP')
    >>> parse("nDCG@10") == parse("ndcg@10")
    True
    """
    if isinstance(name, Measure):
        return name
    if not isinstance(name, str):
        raise InputError(f"measure {name!r} is no name, such as 'nDCG@10'")
    text = re.sub(r"(?i)^rbp(\.\d+)$", r"RBP(p=0\1)", name.strip())  # as ranx writes it
    match = _SPELLING.fullmatch(text)
    if match and match["name"].lower() not in _NAMES and match["cutoff"] is None:
        alias = _ALIAS.fullmatch(text)
        match = alias if alias and alias["name"].lower() in _NAMES else match
    if not match or match["name"].lower() not in _NAMES:
        stem = re.split(r"[@(]|_at_|[._](?=\d)", text)[0]
        raise InputError(f"measure {name!r} is unknown: {did_you_mean(stem, MEASURES)}")
    given = match.groupdict()
    return _build(name, _NAMES[given["name"].lower()], given.get("parameters"), given["cutoff"])


def _build(text: str, name: str, parameters: str | None, cutoff: str | None) -> Measure:
    symbol, _, preset = name.rstrip(")").partition("(")
    family = MEASURES[symbol]
    kinds = {f.name: str(f.type) for f in fields(family) if f.name != "cutoff"}
    problems = Problems()
    values: dict[str, Any] = {}
    for pair in ",".join(filter(None, (preset, parameters))).split(","):
        pair = re.sub(r"[\s'\"]", "", pair)
        key, _, value = _PARAMETERS.get(pair, pair).partition("=")
        if key and key not in kinds:
            problems.append(f"measure {text!r}: unknown parameter, {did_you_mean(key, kinds)}")
        elif key:
            values[key] = _number(value, kinds[key])
    if cutoff is not None:
        values["cutoff"] = _number(cutoff, "int")
    problems.stop()
    try:
        return family(**values)
    except InputError as error:
        reasons = [p.removeprefix(f"{symbol}: ") for p in error.problems]
        raise InputError([f"measure {text!r}: {r}" for r in reasons]) from None


def _number(text: str, kind: str) -> Any:
    """Read a number of a kind; leave text that is none for the measure to name."""
    try:
        return {"int": int, "float": float}.get(kind, str)(text)
    except ValueError:
        return text


def parse_all(names: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    """Read several names; equal measures once, in the order given.

    Raises
    ------
    InputError
        With every name that cannot be read; also if there is none.

    Examples
    --------
    >>> [str(m) for m in parse_all(["nDCG@10", "RR", "ndcg_cut_10"])]
    ['nDCG@10', 'RR']
    """
    problems = Problems()
    given = [names] if isinstance(names, (str, Measure)) else names
    measures = dict.fromkeys(problems.attempt(parse, name) for name in given)
    problems.stop()
    if not measures:
        raise InputError("no measures are given, for example nDCG@10")
    return list(measures)
