"""The kernel on arrays: judged documents that were not retrieved, padding, and wrong input."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tiewise import InputError, evaluate_arrays

NAMES = ["nDCG@5", "R@5", "AP@5", "RR@5"]


def expected(*arguments, names=NAMES, **options):
    results = evaluate_arrays(*arguments, names, **options)
    return {name: result.expected.tolist() for name, result in results.items()}


def test_relevant_documents_that_were_not_retrieved_count():
    # One hit on top, four relevant documents missing: many tools report 1 for all of these.
    one_of_five = {"nDCG@5": [pytest.approx(0.3391602052736161)], "R@5": [0.2], "AP@5": [0.2]}
    by_count = expected([[2.0, 1.0]], [[1, 0]], n_relevant=[5], names=NAMES[:3])
    by_grades = expected([[2.0, 1.0]], [[1, 0]], ideal_gains=[[1] * 5], names=NAMES[:3])
    assert by_count == by_grades == one_of_five


def test_the_ideal_ranking_may_be_given_in_any_order_and_padded():
    one = expected([[2.0, 1.0]], [[1, 3]], ideal_gains=[[1, 3, 2]])
    other = expected([[2.0, 1.0]], [[1, 3]], ideal_gains=[[0, 2, np.nan, 3, 1, -1]])
    assert one == other
    both = expected([[2.0, 1.0]], [[1, 3]], ideal_gains=[[1, 3, 2]], n_relevant=[3])
    assert both == one


def test_padding_is_no_candidate_but_a_candidate_may_score_minus_infinity():
    scores, gains = [[1.0, -np.inf, -np.inf]], [[0, 1, 0]]
    with pytest.raises(InputError, match="positive behind the last candidate in rows, 1: 0"):
        evaluate_arrays(scores, gains, "RR")
    for n, value in ((3, (1 / 2 + 1 / 3) / 2), (2, 1 / 2)):
        assert expected(scores, gains, n_candidates=[n], names=["RR"])["RR"] == [value]


def test_rows_of_any_length_equal_each_row_alone():
    rows = [[0.5, 0.5], [0.1], [], [0.3, 0.2, 0.3, 0.3]]
    grades = [[0, 1], [1], [], [0, 2, 1, 0]]
    scores, gains = np.full((4, 6), -np.inf), np.zeros((4, 6))
    for i, (row, grade) in enumerate(zip(rows, grades, strict=True)):
        scores[i, : len(row)], gains[i, : len(row)] = row, grade
    names = [*NAMES, "P", "F1", "Judged@3"]
    together = expected(scores, gains, names=names)
    for i, (row, grade) in enumerate(zip(rows, grades, strict=True)):
        if row:
            alone = expected([row], [grade], names=names)
            assert {m: [v[i]] for m, v in together.items()} == alone
        else:
            assert {v[i] for v in together.values()} == {0.0}


def test_no_queries_and_no_candidates_give_empty_results_and_zeros():
    assert evaluate_arrays(np.empty((0, 5)), np.empty((0, 5)), "RR")["RR"].expected.shape == (0,)
    assert expected(np.empty((2, 0)), np.empty((2, 0)), names=["RR"])["RR"] == [0.0, 0.0]


def test_repeated_and_unsorted_cutoffs_do_not_change_values():
    # Another library adds a value up once for each time its cut-off is listed.
    scores, gains = [[3.0, 1.0, 1.0]], [[1, 0, 1]]
    names = ["P@3", "P@1", "P@1", "precision_at_1"]
    assert expected(scores, gains, names=names) == {"P@3": [2 / 3], "P@1": [1.0]}


def test_values_come_without_sd_on_request():
    result = evaluate_arrays([[1.0, 1.0]], [[1, 0]], "RR", sd=False)["RR"]
    assert result.sd is None
    assert result.mean().sd is None
    assert (result.range.item(), result.bias.item()) == (0.5, 0.25)


def test_unsigned_scores_are_not_negated_into_large_numbers():
    # Quantised similarities: in uint8 arithmetic -0 stays 0, and 0 would rank first.
    scores = np.array([[3, 2, 0]], np.uint8)
    result = evaluate_arrays(scores, [[0, 0, 1]], "RR")["RR"]
    assert result.oblivious.item() == result.expected.item() == 1 / 3


def test_the_input_is_left_as_it_was():
    scores, gains = np.array([[1.0, -0.0, 0.0, -np.inf]]), np.array([[0.0, 1.0, 0.0, 0.0]])
    copies = scores.copy(), gains.copy()
    evaluate_arrays(scores, gains, ["RR", "nDCG@2"], n_candidates=[3])
    assert np.array_equal(scores.view(np.int64), copies[0].view(np.int64))
    assert np.array_equal(gains, copies[1])


@pytest.mark.parametrize(
    ("scores", "gains", "options", "message"),
    [
        ([[1.0, np.nan]], [[0, 1]], {}, "scores: NaN in 1 places, row 0 column 1"),
        ([[1.0]], [[np.inf]], {}, "gains: infinite in 1 places, row 0 column 0"),
        ([[1.0, 2.0]], [[1]], {}, r"gains: shape \(1, 1\), but scores \(1, 2\)"),
        ([1.0, 2.0], [[1, 0]], {}, r"scores: shape \(2,\) is not \(queries, candidates\)"),
        ([["10", "9"]], [[1, 0]], {}, "no number"),
        ([[1 + 2j]], [[1]], {}, "no number"),
        ([[1.0, 2.0], [1.0]], [[1, 0], [1, 0]], {}, "rows differ in length"),
        ([[2**53 + 1, 0]], [[1, 0]], {}, "beyond 2.53"),
        ([[1.0]], [[1]], {"score_type": "bfloat16"}, "float64"),
        ([[1.0, 0.0]], [[1, 1]], {"n_relevant": [1]}, "less than the gains show in rows, 1: 0"),
        ([[1.0, 0.0]], [[3, 1]], {"n_relevant": [3]}, "give ideal_gains"),
        ([[1.0]], [[1]], {"n_relevant": [[1]]}, "n_relevant.*not 1 whole numbers"),
        ([[1.0]], [[1]], {"n_relevant": [1.5]}, "n_relevant.*not 1 whole numbers"),
        ([[1.0]], [[1]], {"n_candidates": [2]}, "n_candidates: 2, but scores has 1 columns"),
        ([[1.0]], [[1]], {"n_candidates": [-1]}, "n_candidates"),
        ([[1.0]], [[2]], {"ideal_gains": [[1]]}, "ideal_gains: less than the gains in rows, 1: 0"),
        ([[1.0]], [[2]], {"ideal_gains": [[2], [1]]}, "ideal_gains: 2 rows, but scores 1"),
    ],
)
def test_arrays_that_cannot_be_used_are_refused(scores, gains, options, message):
    with pytest.raises(InputError, match=message):
        evaluate_arrays(scores, gains, "RR", **options)


def test_an_exponential_gain_that_overflows_is_refused():
    with pytest.raises(InputError, match="of grade 1100 is too large"):
        evaluate_arrays([[1.0]], [[1100]], "nDCG(gain=exp)")


def test_all_problems_of_a_call_are_named_at_once():
    with pytest.raises(InputError) as error:
        evaluate_arrays([["x"]], [1], ["nDGC", "RR@0"], score_type="x", ideal_gains=[1])
    assert len(error.value.problems) == 6


def test_an_average_over_queries_is_exactly_rounded_whatever_their_order():
    rng = np.random.default_rng(0)
    scores, gains = rng.integers(0, 9, (500, 20)) / 8, rng.integers(0, 2, (500, 20))
    order = rng.permutation(500)
    one = evaluate_arrays(scores, gains, "AP")["AP"]
    other = evaluate_arrays(scores[order], gains[order], "AP")["AP"]
    for name in ("expected", "min", "max", "sd", "oblivious"):
        assert getattr(one.mean(), name) == getattr(other.mean(), name)
    assert one.mean().expected == math.fsum(one.expected) / 500
