"""The one spelling of a measure, and other people's names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiewise import InputError
from tiewise.measures import ALIASES, AP, MEASURES, NDCG, RBP, RR, parse, parse_all

EXAMPLES = [
    "nDCG@10",
    "nDCG",
    "nDCG(gain=exp)@10",
    "RR@10",
    "AP@100",
    "AP(rel=2)@100",
    "R@20",
    "P@5",
    "F1@10",
    "Hits@10",
    "Success@10",
    "RBP(p=0.8)",
    "RBP(p=0.95)@50",
    "RBP(rel=2,p=0.5)",
    "Rprec",
    "Judged@10",
    "R_cap@100",
]


@pytest.mark.parametrize("spelling", EXAMPLES)
def test_the_spelling_parses_back(spelling):
    measure = parse(spelling)
    assert str(measure) == spelling
    assert parse(str(measure)) == measure
    assert hash(parse(str(measure))) == hash(measure)
    assert parse(measure) is measure


@given(
    st.sampled_from(sorted(MEASURES)),
    st.integers(1, 10**6) | st.none(),
    st.integers(1, 4),
    st.floats(0.01, 0.99),
)
def test_every_measure_has_one_spelling(symbol, cutoff, rel, p):
    family = MEASURES[symbol]
    options = {"cutoff": cutoff if family.takes_cutoff else None}
    names = set(family.__dataclass_fields__)
    options |= {k: v for k, v in {"rel": rel, "p": p}.items() if k in names}
    measure = family(**options)
    assert parse(str(measure)) == measure


@pytest.mark.parametrize(
    ("name", "spelling"),
    [
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_cut.10", "nDCG@10"),
        ("ndcg", "nDCG"),
        ("map", "AP"),
        ("map_cut_100", "AP@100"),
        ("recip_rank", "RR"),
        ("P_5", "P@5"),
        ("P.5", "P@5"),
        ("recall_1000", "R@1000"),
        ("success_1", "Success@1"),
        ("set_P", "P"),
        ("set_recall", "R"),
        ("set_F", "F1"),
        ("num_rel_ret", "Hits"),
        ("Rprec", "Rprec"),
        ("ndcg_at_10", "nDCG@10"),
        ("mrr_at_10", "RR@10"),
        ("map_at_1000", "AP@1000"),
        ("recall_at_100", "R@100"),
        ("precision_at_3", "P@3"),
        ("hit_rate_at_5", "Success@5"),
        ("accuracy@10", "Success@10"),
        ("mrr@10", "RR@10"),
        ("MRR@10", "RR@10"),
        ("map@100", "AP@100"),
        ("hit_rate@10", "Success@10"),
        ("hits@10", "Hits@10"),
        ("precision@5", "P@5"),
        ("recall@20", "R@20"),
        ("f1@10", "F1@10"),
        ("r_precision", "Rprec"),
        ("r-precision", "Rprec"),
        ("ndcg_burges@10", "nDCG(gain=exp)@10"),
        ("rbp(p=0.5)", "RBP(p=0.5)"),
        ("rbp.95", "RBP(p=0.95)"),
        ("R_cap@10", "R_cap@10"),
        ("NumRelRet", "Hits"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(gain=exp)@10"),
        ("nDCG(dcg='log2')@10", "nDCG@10"),
        (" nDCG@10 ", "nDCG@10"),
    ],
)
def test_names_of_trec_eval_mteb_ranx_and_ir_measures_are_known(name, spelling):
    assert str(parse(name)) == spelling


def test_no_alias_stands_for_two_measures():
    names = [alias.lower() for row in ALIASES.values() for alias in row.split()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("cutoff", ["0", "-1", "1.5", "ten", "True", "", "[]", "1e3"])
@pytest.mark.parametrize("symbol", sorted(MEASURES))
def test_a_cutoff_must_be_a_positive_whole_number(symbol, cutoff):
    with pytest.raises(InputError, match=r"cut-?off"):
        parse(f"{symbol}@{cutoff}")


@pytest.mark.parametrize("cutoff", [0, -1, 1.5, "ten", True, [], 2**70])
def test_a_measure_refuses_impossible_cutoffs_too(cutoff):
    with pytest.raises(InputError, match="cutoff"):
        NDCG(cutoff)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("nDGC@10", "nDCG"), ("MMR@10", "RR"), ("succes@1", "Success"), ("P@5@6", "cutoff")],
)
def test_an_unknown_name_answers_with_the_nearest(name, nearest):
    with pytest.raises(InputError, match=nearest):
        parse(name)


def test_parameters_are_checked():
    for make in (
        lambda: RBP(p=1.0),
        lambda: RBP(p=0.0),
        lambda: RBP(p="x"),
        lambda: AP(rel=0),
        lambda: RR(rel=1.5),
        lambda: NDCG(gain="square"),
        lambda: parse("RBP(q=0.5)"),
        lambda: parse("nDCG(rel=2)@10"),
        lambda: parse(7),
    ):
        with pytest.raises(InputError):
            make()


def test_equal_measures_are_kept_once_in_the_order_given():
    names = ["RR@5", "nDCG@3", "mrr_at_5", "nDCG@1", "nDCG@3"]
    assert [str(m) for m in parse_all(names)] == ["RR@5", "nDCG@3", "nDCG@1"]
    assert parse_all("RR") == [RR()]


def test_all_wrong_names_are_reported_together():
    with pytest.raises(InputError) as error:
        parse_all(["nDGC@10", "RR@0", "RR", "P@x"])
    assert len(error.value.problems) == 3
    with pytest.raises(InputError, match="no measures"):
        parse_all([])
