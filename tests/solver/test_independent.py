"""The solver against an answer-set program that shares no code with it, and against cases by hand."""

from collections import Counter
from itertools import product

import pytest
from fact_sets import SHAPES, WORDS, Question, people, question

from clutrr.puzzle import Fact
from clutrr.solver.solver import Solver, Verdict
from clutrr.world import World

pytest.importorskip("clingo", reason="clingo is not installed (extra: check)")
from answer_set import answers

SMALL, SEEDS = (2, 6), range(120)


@pytest.fixture(scope="module")
def solver(world: World) -> Solver:
    return Solver(world)


def found(verdict: Verdict) -> frozenset[str]:
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
    # No world: spouses who are siblings, two brothers who marry two sisters, one's own grandparent.
    "A father C, B father C, A husband B": "",
    "A brother B, A wife C, B wife D, C sister D": "",
    "A son B, B son C, C son A": "",
    # Two facts leave a doubt, the third takes it away.
    "A grandson B, B mother C, C father A": "daughter",
    "A grandson B, B mother C, C father-in-law A": "daughter-in-law",
}


@pytest.mark.parametrize("told", BY_HAND)
def test_worked_out_by_hand(solver, told):
    assert answers(facts(told), ("A", "C")) == set(BY_HAND[told].split())
    assert found(solver.verdict(facts(told), ("A", "C"))) == set(BY_HAND[told].split())


def test_every_two_facts_in_a_row(solver):
    chains = (facts(f"A {first} B, B {second} C") for first, second in product(WORDS, WORDS))
    assert_agreement(solver, [Question(chain, ("A", "C")) for chain in chains])


@pytest.mark.parametrize("shape", SHAPES)
def test_random_facts(solver, shape):
    assert_agreement(solver, [question(shape, seed, SMALL) for seed in SEEDS])


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_more_random_facts(solver, shape):
    assert_agreement(solver, [question(shape, seed, (4, 8)) for seed in range(300)])


def test_the_random_facts_are_of_every_sort(solver):
    verdicts = [solver.verdict(*question(shape, seed, SMALL)[:2]) for shape in SHAPES for seed in SEEDS]
    sorts = Counter(_sort(verdict) for verdict in verdicts)
    assert min(sorts.values()) >= 25
    assert len(sorts) == 5
    assert {verdict.relations[0] for verdict in verdicts if verdict.entailed} == set(WORDS)


def test_more_people_than_needed_change_nothing():
    for shape in SHAPES:
        for seed in range(12):
            told, query, _ = question(shape, seed, (2, 4))
            assert answers(told, query, bystanders=2) == answers(told, query)


def assert_agreement(solver: Solver, questions: list[Question]) -> None:
    for told, query, truth in questions:
        right = answers(told, query)
        if truth is not None:
            assert truth in right, (told, query)
        if found(solver.verdict(told, query)) != right:
            least = _least_disagreement(solver, told, query)
            verdict = sorted(found(solver.verdict(least, query)))
            pytest.fail(f"{query} in {least}: {verdict}, but {sorted(answers(least, query))}")


def _least_disagreement(solver: Solver, told: tuple[Fact, ...], query: tuple[str, str]) -> tuple[Fact, ...]:
    """Some of the facts that solver and program still disagree on, such that every one is needed."""
    for i in range(len(told)):
        fewer = told[:i] + told[i + 1 :]
        if people(fewer) >= set(query) and found(solver.verdict(fewer, query)) != answers(fewer, query):
            return _least_disagreement(solver, fewer, query)
    return told


def _sort(verdict: Verdict) -> str:
    if verdict.contradictory:
        return "contradictory"
    if verdict.proved:
        return "entailed" if verdict.entailed else "proved"
    return "undetermined" if verdict.relations else "outside"
