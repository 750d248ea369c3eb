"""The shared fault cases: known right answers on small inputs, and on broken ones."""

from __future__ import annotations

import json
import warnings

import pytest

from tiewise import (
    InputError,
    drop_self,
    evaluate,
    judged_only,
    read_qrels,
    read_run,
    tie_statistics,
)
from tiewise.measures import NDCG, parse

NAMES = {
    "hits": "Hits",
    "precision": "P",
    "recall": "R",
    "f1": "F1",
    "mrr": "RR",
    "map": "AP",
    "ndcg": "nDCG",
    "ndcg_exp": "nDCG(gain=exp)",
}
COLUMNS = ("expected", "min", "max")
POLICIES = {"obl_input": "input", "obl_docno_desc": "trec"}


def spelling(key):
    name, at, k = key.partition("@")
    return NAMES[name] + at + k


def cases(shared):
    return sorted((shared / "cases").glob("*/expected.json"))


@pytest.fixture(scope="module")
def known(shared):
    return {path.parent.name: json.loads(path.read_text()) for path in cases(shared)}


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


def check(block, qrels, run, **options):
    """Compare every number of an expected block with ours."""
    metrics = next(iter(block["queries"].values()))["metrics"]
    names = {key: spelling(key) for key in metrics}
    for oblivious, policy in POLICIES.items():
        each = quietly(
            evaluate, qrels, run, list(names.values()), policy=policy, per_query=True, **options
        )
        found = {(r["query_id"], r["measure"]): r for r in each.iter_rows(named=True)}
        for query, expected in block["queries"].items():
            for key, values in expected["metrics"].items():
                row = found[query, names[key]]
                for column in COLUMNS:
                    if column in values:
                        assert row[column] == pytest.approx(values[column], abs=1e-9), (query, key)
                if oblivious in values:
                    assert row["oblivious"] == pytest.approx(values[oblivious], abs=1e-9)
        for missing, mean in (("zero", "complete"), ("skip", "intersection")):
            if mean not in block.get("mean", {}):
                continue
            table = quietly(
                evaluate,
                qrels,
                run,
                list(names.values()),
                policy=policy,
                **({"missing": missing} | options),
            )
            rows = {r["measure"]: r for r in table.iter_rows(named=True)}
            for key, values in block["mean"][mean]["metrics"].items():
                row = rows[names[key]]
                assert row["n_queries"] == block["mean"][mean]["n_queries"]
                for column in COLUMNS:
                    assert row[column] == pytest.approx(values[column], abs=1e-9), key
                assert row["oblivious"] == pytest.approx(values[oblivious], abs=1e-9), key


def check_ties(block, run, score_type="float64"):
    """Compare the tie statistics with the group sizes of an expected block."""
    table = tie_statistics(run, score_type=score_type)
    for row in table.iter_rows(named=True):
        if row["query_id"] in block["queries"]:
            sizes = block["queries"][row["query_id"]]["tie_group_sizes"]
            tied = [g for g in sizes if g > 1]
            assert row["n_candidates"] == sum(sizes)
            assert row["n_distinct_scores"] == len(sizes)
            assert row["n_tie_groups"] == len(tied)
            assert row["largest_tie_group"] == max(sizes)
            assert row["n_tied"] == sum(tied)
            assert row["n_tied_at_cut"] == (sizes[-1] if sizes[-1] > 1 else 0)


def check_warnings(expected, qrels, run):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        evaluate(qrels, run, "RR")
    text = " ".join(str(w.message) for w in caught).lower()
    for warning in expected.get("warnings", ()):
        for group in warning["must_mention"]:
            assert warning.get("optional") or any(t.lower() in text for t in group), (text, group)


VALUE_CASES = [
    "01_constant_scorer_positive_listed_first",
    "02_truncated_inputs_identical_scores",
    "05_all_equal_looks_perfect",
    "07_numeric_and_hash_ids",
    "08_cutoffs_inside_bfloat16_buckets",
    "09_top5_pool_boundary",
    "10_grades_10_0_0_1_5",
    "11_linear_and_exponential_gain",
    "12_ideal_from_all_judged_docs",
    "13_one_hit_of_five_relevant",
    "14_ap_denominator_all_relevant",
    "15_two_docs_k_five",
    "16_fewer_relevant_than_k",
    "17_queries_missing_on_either_side",
    "20_one_query_without_relevant",
    "21_single_document",
    "22_negative_grades",
    "23_query_with_only_junk_grades",
    "27_tabs_crlf_trailing_columns",
    "28_byte_order_mark",
    "29_gzip_files",
    "33_leading_zeros",
    "34_commas_hashes_and_accents",
    "36_minus_infinity_tail",
    "37_float32_merges_distinct_scores",
    "38_tie_break_perturbation_lost",
    "39_scientific_notation",
    "40_rank_column_contradicts_scores",
    "41_drop_self_match_on_a_tie",
    "42_judged_only_condensed_list",
]


def read(folder, expected, suffix=""):
    files = expected["files"]
    run = quietly(read_run, folder / files["run"])
    return quietly(read_qrels, folder / files["qrels"]), run


@pytest.mark.parametrize("case", VALUE_CASES)
def test_values_of_a_case(case, shared, known):
    expected = known[case]
    qrels, run = read(shared / "cases" / case, expected)
    check(expected["values"], qrels, run)
    check_ties(expected["values"], run)
    check_warnings(expected, qrels, run)


@pytest.mark.parametrize(
    "case",
    [
        "03_two_docs_swapped",
        "04_renamed_document_changes_score",
        "06_half_precision_scores_renamed_relevant_doc",
    ],
)
def test_values_of_a_case_with_two_runs(case, shared, known):
    folder, expected = shared / "cases" / case, known[case]
    tables = []
    for name, block in expected["runs"].items():
        qrels = folder / name.replace("run", "qrels")
        qrels = read_qrels(qrels if qrels.exists() else folder / "qrels.txt")
        run = read_run(folder / name)
        check(block, qrels, run)
        tables.append(quietly(evaluate, qrels, run, ["nDCG@2", "RR", "AP"]))
    first, second = (t.drop("oblivious", "bias") for t in tables)
    assert first.equals(second), "expected, min and max are equal for both runs"


def test_variants_of_cases(shared, known):
    def tables(case):
        return read(shared / "cases" / case, known[case])

    def variant(case, name):
        return known[case]["variants"][name]

    for case in ("37_float32_merges_distinct_scores", "38_tie_break_perturbation_lost"):
        qrels, run = tables(case)
        block = variant(case, "float32_scores")
        check(block, qrels, run, score_type="float32")
        check_ties(block, run, "float32")

    case = "42_judged_only_condensed_list"
    qrels, run = tables(case)
    check(variant(case, "judged_only"), qrels, judged_only(qrels, run))

    case = "41_drop_self_match_on_a_tie"
    qrels, run = tables(case)
    check(variant(case, "drop_self"), qrels, drop_self(run))

    case = "35_nan_score"
    folder = shared / "cases" / case
    run = quietly(read_run, folder / "run.txt", nonfinite="last")
    check(variant(case, "nan_last"), read_qrels(folder / "qrels.txt"), run)

    case = "20_one_query_without_relevant"
    mean = variant(case, "undefined_left_out_of_the_mean")["mean"]["complete"]
    names = {key: spelling(key) for key in mean["metrics"]}
    table = quietly(evaluate, *tables(case), list(names.values()), empty="skip")
    found = {r["measure"]: r for r in table.iter_rows(named=True)}
    for key, values in mean["metrics"].items():
        row = found[names[key]]
        assert [row[c] for c in COLUMNS] == pytest.approx([values[c] for c in COLUMNS], abs=1e-9)
        assert row["n_queries"] == mean["n_queries"]


ERROR_CASES = [
    "18_empty_run_file",
    "19_empty_qrels_file",
    "25_run_lists_each_document_twice",
    "30_document_id_with_a_blank",
    "31_five_columns",
    "32_decimal_comma",
    "35_nan_score",
]
EITHER_CASES = ["24_fractional_grades", "26_qrels_rows_repeated"]


@pytest.mark.parametrize("case", ERROR_CASES + EITHER_CASES)
def test_an_input_that_cannot_be_used_is_refused_and_the_fault_named(case, shared, known):
    expected, folder = known[case], shared / "cases" / case
    try:
        qrels, run = (folder / expected["files"][name] for name in ("qrels", "run"))
        quietly(evaluate, qrels, run, "RR")
    except InputError as error:
        text = str(error).lower()
        for group in expected["error"]["must_mention"]:
            assert any(part.lower() in text for part in group), (text, group)
    else:
        assert case in EITHER_CASES, "this input must be refused"
        check(expected["values"], *read(folder, expected))


def test_impossible_cutoffs_are_refused(known):
    expected = known["43_impossible_cutoffs"]
    for cutoff in expected["bad_cutoffs"]:
        for make in (NDCG, lambda k: parse(f"P@{k}")):
            with pytest.raises(InputError) as error:
                make(cutoff)
            text = str(error.value).lower()
            for group in expected["error"]["must_mention"]:
                assert any(part in text for part in group)


def test_twenty_thousand_tied(shared, known):
    case = "44_twenty_thousand_tied_one_relevant"
    made = json.loads((shared / "cases" / case / "scores.json").read_text())["generate"]
    query, n = made["qid"], made["n"]
    qrels = {query: {f"d{i}": 1 for i in made["relevant"]}}
    run = {query: {f"d{i}": made["score"] for i in range(n)}}
    for key, value in known[case]["expected_only"].items():
        found = evaluate(qrels, run, spelling(key))["expected"].item()
        number = value["expected"] if isinstance(value, dict) else value
        assert found == pytest.approx(number, abs=1e-9), key


@pytest.mark.parametrize(
    "case",
    [
        "45_sigmoid_in_bfloat16",
        "46_yes_no_softmax_in_bfloat16",
        "47_sigmoid_saturates_even_in_float32",
        "48_dot_product_in_bfloat16",
    ],
)
def test_given_scores_of_each_way_of_scoring(case, shared, known):
    inputs = json.loads((shared / "cases" / case / "scores.json").read_text())
    for path in known[case]["paths"].values():
        (query,) = path["values"]["queries"]
        qrels = {query: inputs["qrels"]}
        run = {query: dict(zip(inputs["docs"], path["scores"], strict=True))}
        check(path["values"], qrels, run)
        check_ties(path["values"], run)
