"""The solver against an answer-set program that shares no code with it, and against cases by hand."""

from collections import Counter
from itertools import product

import pytest
from fact_sets import SHAPES, WORDS, Aunts, Question, question
from kinship_solvers import ASSUMPTIONS, kinship_solver

from clutrr._puzzle import Fact
from clutrr.theory import Verdict

pytest.importorskip("clingo", reason="clingo is not installed (extra: check)")
from kin_program import answers

SIZES, SEEDS = (3, 7), range(100)
SOLVERS = {
    (aunts, assume): kinship_solver(aunts.value, assume)
    for aunts in Aunts
    for assume in ASSUMPTIONS
}
PLAIN = Aunts.NONE
UNDER_BOTH = pytest.mark.parametrize("assume", ASSUMPTIONS)


def found(verdict: Verdict) -> frozenset[str]:
    assert verdict.decided  # or it would read as a contradiction
    return frozenset(verdict.relations) | ({"outside"} if verdict.outside else set())


def facts(text: str) -> tuple[Fact, ...]:
    """Facts as "A son B, B wife C": B is A's son, C is B's wife."""
    return tuple(Fact(*fact.split()) for fact in text.split(", "))


# Worked out by hand, to hold the program itself to.
BY_HAND = {
    "A grandson B, B mother C": "daughter daughter-in-law",
    "A mother B, B granddaughter C": "daughter outside",  # or a niece
    "A brother B, B sister C": "sister",
    "A father B, B wife C": "mother",
    "A father B, B daughter C": "sister",
    "A daughter B, B sister C": "daughter",
    "A wife B, B son C": "son",
    "A son-in-law B, B wife C": "daughter",
    "A sister B, B son C": "outside",  # a nephew
    "A grandmother B, B husband C": "grandfather",
    "A mother-in-law B, B son C": "husband outside",  # or a brother-in-law
    "A grandson B, B sister C": "granddaughter",
    "A grandson B, B wife C": "outside",
    "A daughter-in-law B, B daughter C": "granddaughter",
    "A daughter B, B grandmother C": "mother mother-in-law",
    # No world: two wives, a spouse of the same sex, two fathers, half-siblings, three grandfathers.
    "A wife B, A wife C": "",
    "A wife B, B wife C": "",
    "A father B, A father C": "",
    "A father B, B son C, C mother D, A mother E": "",
    "A grandfather B, A grandfather D, A grandfather C": "",
    # No world: spouses who are siblings, one's own grandparent, one's own sister.
    "A father C, B father C, A husband B": "",
    "A son B, A sister A, B sister C": "",
    "A son B, B son C, C son A": "",
    # Two facts leave a doubt, the third takes it away.
    "A grandson B, B mother C, C father A": "daughter",
    "A grandson B, B mother C, C father-in-law A": "daughter-in-law",
}


# Where the two assumptions differ: what is possible under `tree`, then under `open`.
BY_HAND_TWICE = {
    # Two brothers marry two sisters; an uncle and his nephew do.
    "A brother B, A wife C, B wife D, C sister D": ("", "wife"),
    "A brother B, B son D, D wife E, E sister F, F husband A, A wife C": ("", ""),
    "A brother B, B son D, D wife E, E sister C, C husband A": ("", "wife"),
    # Marc, his mother-in-law Jenny, her daughter, her husband, their son, his grandfather C (Allen): an
    # in-law; or the father of both men, a brother or the grandfather of Marc, whose brother, nephew or
    # uncle married his wife's sister.
    "A mother-in-law J, J daughter U, U husband L, L son R, R grandfather C": (
        "father-in-law outside",
        "father brother grandfather father-in-law outside",
    ),
    # A brother's father-in-law: one's own, if the two brothers married two sisters.
    "A brother B, B father-in-law C": ("outside", "father-in-law outside"),
    # A wife by her parents and his; but his brother may have married his wife's sister.
    "C father-in-law D, F daughter C, A mother-in-law F, A father D": ("wife", "wife outside"),
    # Own ancestors and relatives who marry are ruled out under both.
    "A son B, B daughter C, C wife D, D sister A": ("", ""),
    "A father F, A wife C, C brother D, D father F": ("", ""),
}


@pytest.mark.parametrize("told", [*BY_HAND, *BY_HAND_TWICE])
def test_worked_out_by_hand(told):
    under = BY_HAND_TWICE.get(told) or (BY_HAND[told],) * len(ASSUMPTIONS)
    for assume, right in zip(ASSUMPTIONS, under, strict=True):
        assert answers(facts(told), ("A", "C"), assume=assume) == set(right.split())
        assert found(SOLVERS[PLAIN, assume].verdict(facts(told), ("A", "C"))) == set(right.split())


@pytest.mark.parametrize(
    ("told", "by_blood", "by_marriage"),
    [
        ("A father B, B sister C", "aunt", "aunt"),
        ("A father B, B brother D, D wife C", "outside", "aunt"),
        ("A husband B, B nephew C", "outside", "nephew"),
        ("A uncle B, B wife C", "outside", "aunt"),
        ("A brother B, B son C", "nephew", "nephew"),
    ],
)
def test_aunts_by_blood_or_by_marriage(told, by_blood, by_marriage):
    for aunts, right in ((Aunts.BY_BLOOD, by_blood), (Aunts.BY_MARRIAGE, by_marriage)):
        assert answers(facts(told), ("A", "C"), world=aunts.value) == set(right.split())
        assert found(SOLVERS[aunts, "tree"].verdict(facts(told), ("A", "C"))) == set(right.split())


def test_by_marriage_two_people_can_be_each_others_nephews():
    """Bob's wife is Carl's aunt, and Carl's wife is Bob's: possible only under open."""
    told, query = facts("C nephew G"), ("C", "G")
    for assume, right in (("tree", {"nephew"}), ("open", {"nephew", "uncle"})):
        assert answers(told, query, assume=assume, world="kinship-v1-by-marriage") == right
        assert found(SOLVERS[Aunts.BY_MARRIAGE, assume].verdict(told, query)) == right


@UNDER_BOTH
def test_every_two_facts_in_a_row(assume):
    chains = (facts(f"A {first} B, B {second} C") for first, second in product(WORDS, WORDS))
    assert_agreement(PLAIN, assume, [Question(chain, ("A", "C")) for chain in chains])


def slow(*given: object) -> object:
    return pytest.param(*given, marks=pytest.mark.slow)


@UNDER_BOTH
@pytest.mark.parametrize(
    ("aunts", "seeds", "sizes"),
    [
        ("NONE", len(SEEDS), SIZES),
        ("BY_BLOOD", 25, (3, 5)),
        ("BY_MARRIAGE", 10, (2, 3)),
        slow("NONE", 300, (4, 8)),
        slow("BY_BLOOD", 100, (4, 7)),
        slow("BY_MARRIAGE", 10, (3, 4)),
    ],
)
@pytest.mark.parametrize("shape", SHAPES)
def test_random_facts(shape, aunts, seeds, sizes, assume):
    if (shape, aunts) == ("loose chain", "BY_MARRIAGE"):
        sizes, seeds = (
            (sizes[0], sizes[0]),
            4,
        )  # longer ones can keep the answer-set program busy for long
    questions = [question(shape, seed, sizes, Aunts[aunts]) for seed in range(seeds)]
    assert_agreement(Aunts[aunts], assume, questions)


@UNDER_BOTH
def test_the_random_facts_are_of_every_sort(assume):
    solver = SOLVERS[PLAIN, assume]
    verdicts = [
        solver.verdict(*question(shape, seed, SIZES)[:2]) for shape in SHAPES for seed in SEEDS
    ]
    sorts = Counter(_sort(verdict) for verdict in verdicts)
    assert min(sorts.values()) >= 25
    assert len(sorts) == 5
    assert {verdict.relations[0] for verdict in verdicts if verdict.entailed} == set(WORDS)


def test_the_assumptions_differ_on_the_random_facts():
    told = [question(shape, seed, SIZES)[:2] for shape in SHAPES for seed in SEEDS]
    tree, wide = (
        [found(SOLVERS[PLAIN, assume].verdict(*asked)) for asked in told] for assume in ASSUMPTIONS
    )
    assert sum(one != other for one, other in zip(tree, wide, strict=True)) >= 50


@UNDER_BOTH
def test_more_people_than_needed_change_nothing(assume):
    for shape in SHAPES:
        for seed in range(6):
            told, query = question(shape, seed, (2, 4))[:2]
            assert answers(told, query, bystanders=2, assume=assume) == answers(
                told, query, assume=assume
            )


def assert_agreement(aunts: Aunts, assume: str, questions: list[Question]) -> None:
    solver = SOLVERS[aunts, assume]
    for told, query, truth, tree in questions:
        right = answers(told, query, assume=assume, world=aunts.value)
        if truth is not None and (tree or assume == "open"):
            assert truth in right, (told, query)
        assert found(solver.verdict(told, query)) == right, (told, query)


def _sort(verdict: Verdict) -> str:
    return "entailed" if verdict.entailed else verdict.status.value
