"""Every measure against brute force over every order that the scores allow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import brute_force
from tiewise import evaluate_arrays

CUTOFFS = (None, 1, 2, 3, 5, 8, 30)
FAMILIES = {
    "nDCG": {},
    "nDCG(gain=exp)": {"gain": "exp"},
    "RR": {},
    "RR(rel=2)": {"rel": 2},
    "AP": {},
    "AP(rel=2)": {"rel": 2},
    "R": {},
    "P": {},
    "F1": {},
    "Hits": {},
    "Success": {},
    "R_cap": {},
    "RBP(p=0.8)": {},
    "RBP(p=0.5)": {"p": 0.5},
    "Rprec": {},
    "Rprec(rel=2)": {"rel": 2},
}


@st.composite
def queries(draw):
    """Scores, grades and unretrieved grades of one query: tie groups of up to 7, 9 candidates."""
    sizes = draw(st.lists(st.integers(1, 7), max_size=5))
    while sum(sizes) > 9:
        sizes.pop()
    steps = st.sampled_from([-np.inf, -1.5, -0.0, 0.25, 0.5, 1.0, 1e30, np.inf])
    levels = draw(st.lists(steps, min_size=len(sizes), max_size=len(sizes), unique=True))
    scores = [level for level, size in zip(levels, sizes, strict=True) for _ in range(size)]
    scores = draw(st.permutations(scores))
    grade = st.sampled_from(draw(st.sampled_from([[0, 1], [-1, 0, 1, 2, 3], [0.5, 1.0, 2.5]])))
    grades = draw(st.lists(grade, min_size=len(scores), max_size=len(scores)))
    return scores, grades, draw(st.lists(grade, max_size=4))


@settings(max_examples=80, deadline=None)
@given(st.lists(queries(), min_size=1, max_size=3))
def test_every_measure_equals_brute_force_over_all_orders(batch):
    width = max(1, *(len(scores) for scores, _, _ in batch))
    matrix = np.full((len(batch), width), -np.inf)
    gains = np.full((len(batch), width), np.nan)
    ideal = np.zeros((len(batch), width + 4))
    for row, (scores, grades, unretrieved) in enumerate(batch):
        matrix[row, : len(scores)] = scores
        gains[row, : len(grades)] = grades
        ideal[row, : len(grades) + len(unretrieved)] = grades + unretrieved
    names = [
        f"{family}" if k is None else f"{family}@{k}"
        for family in FAMILIES
        for k in CUTOFFS
        if k is None or not family.startswith("Rprec")
    ]
    counts = [len(scores) for scores, _, _ in batch]
    results = evaluate_arrays(matrix, gains, names, ideal_gains=ideal, n_candidates=counts)
    for name in names:
        family, _, k = name.partition("@")
        result = results[name]
        for row, (scores, grades, unretrieved) in enumerate(batch):
            expected = brute_force.tie_aware(
                scores,
                grades,
                grades + unretrieved,
                family.split("(")[0],
                int(k) if k else None,
                **FAMILIES[family],
            )
            found = [
                a[row]
                for a in (result.expected, result.min, result.max, result.sd, result.oblivious)
            ]
            assert found == pytest.approx(expected, abs=1e-12, rel=0), (name, row)
            assert found[1] <= found[0] <= found[2]
            assert found[1] <= found[4] <= found[2]


@settings(max_examples=40, deadline=None)
@given(queries(), st.data(), st.sampled_from(CUTOFFS))
def test_judged_equals_brute_force_over_all_orders(query, data, k):
    scores, grades, _ = query
    if not scores:
        return
    flags = data.draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores)))
    gains = [g if judged else np.nan for g, judged in zip(grades, flags, strict=True)]
    name = "Judged" if k is None else f"Judged@{k}"
    result = evaluate_arrays([scores], [gains], name, n_candidates=[len(scores)])[name]
    # The share of judged candidates is the precision with "judged" for "relevant", but for k.
    depth = min(k or len(scores), len(scores))
    expected = brute_force.tie_aware(scores, [int(f) for f in flags], [1], "P", depth)
    found = [
        a.item() for a in (result.expected, result.min, result.max, result.sd, result.oblivious)
    ]
    assert found == pytest.approx(expected, abs=1e-12, rel=0)
