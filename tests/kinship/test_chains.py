"""Chains with genders, at any length, under both assumptions; and the patterns that entail their answer."""

from collections import Counter
from itertools import product
from random import Random

import numpy as np
import pytest

from clutrr import load_world
from clutrr.theory.kinship.drawing.chains import closes
from clutrr.theory.kinship.drawing.placements import Placements, states
from clutrr.theory.kinship.steps import Step
from kin_oracle import KINDS, WORDS

WORLD = load_world()
THEORY = WORLD.theory
CHAINS = THEORY.chains
EVERY = set(range(len(KINDS)))


def answers_of_program(pattern, genders, assume):
    facts = [
        (f"P{i}", WORDS[KINDS[kind]][gender], f"P{i + 1}")
        for i, (kind, gender) in enumerate(zip(pattern, genders, strict=True))
    ]
    pytest.importorskip("clingo")
    from kin_program import answers

    return answers(facts, ("P0", f"P{len(pattern)}"), assume=assume)


def answers_of_chains(pattern, genders, assume):
    kinds = CHAINS.kinds(pattern, genders)
    if assume == "open":
        kinds |= frozenset(CHAINS.linked(pattern, EVERY - kinds, genders))
    outside = None in CHAINS.ends(pattern, genders)
    return {WORDS[KINDS[kind]][genders[-1]] for kind in kinds} | ({"outside"} if outside else set())


def random_chain(random, edges):
    return [random.randrange(8) for _ in range(edges)], [random.randrange(2) for _ in range(edges)]


@pytest.mark.parametrize("assume", ["tree", "open"])
@pytest.mark.parametrize("edges", [2, 3, 4, 5, pytest.param(6, marks=pytest.mark.slow)])
def test_chains_with_genders_agree_with_the_answer_set_program(assume, edges):
    random = Random(f"{assume} {edges}")
    for _ in range(60 if edges < 6 else 300):
        pattern, genders = random_chain(random, edges)
        there = answers_of_program(pattern, genders, assume)
        assert answers_of_chains(pattern, genders, assume) == there, (pattern, genders)


@pytest.mark.parametrize("assume", ["tree", "open"])
def test_chains_judged_together_are_judged_as_each_by_itself(assume):
    random = Random(5)
    for edges in (1, 3, 5, 6, 7):
        patterns, genders = zip(*(random_chain(random, edges) for _ in range(100)), strict=True)
        stated = np.array(genders, np.int8)
        judged, outside = CHAINS.judge(
            np.array(patterns), stated, np.ones(100, bool), assume == "open"
        )
        for row in range(100):
            kinds = {WORDS[KINDS[kind]][stated[row, -1]] for kind in np.flatnonzero(judged[row])}
            alone = answers_of_chains(patterns[row], genders[row], assume)
            assert kinds | ({"outside"} if outside[row] else set()) == alone


def test_more_families_make_more_possible_and_leave_what_is_entailed():
    random = Random(8)
    for _ in range(100):
        pattern, _ = random_chain(random, random.randint(1, 5))
        ends = CHAINS.ends(pattern)
        if len(ends) == 1 and None not in ends:  # entailed
            assert not set(CHAINS.linked(pattern, EVERY - ends))


def test_two_brothers_may_marry_two_sisters():
    """A sibling's spouse's sibling: nobody of the label set under tree, possibly one's spouse under open."""
    pattern = [WORLD.index[kind] for kind in ("sibling", "SO", "sibling")]
    assert not CHAINS.kinds(pattern)
    # Or somebody marries their uncle's wife's sister.
    assert {KINDS[kind] for kind in CHAINS.linked(pattern, EVERY)} == {"SO", "in-law", "inv-in-law"}
    siblings = [WORLD.index["sibling"]] * 2
    assert CHAINS.kinds(siblings) == {WORLD.index["sibling"]}
    assert not set(
        CHAINS.linked(siblings, EVERY - set(siblings))
    )  # nobody marries a brother or sister


def test_the_two_of_a_pair_are_one_thing_to_each_other():
    assert not CHAINS.double
    (state,) = states(Placements(THEORY.ways).follow([WORLD.index["SO"]]))
    assert not closes(state, (Step.SPOUSE, Step.PARENT))


@pytest.mark.parametrize("edges", [15, 25])
def test_one_more_person_named_makes_no_more_possible(edges):
    """A parent's spouse is a parent: whoever fits the chain by way of both fits it by way of one."""
    random = Random(edges)
    parent, spouse = WORLD.index["inv-child"], WORLD.index["SO"]
    changed = 0
    for _ in range(40):
        pattern, _ = random_chain(random, edges)
        pattern[edges // 2 : edges // 2 + 2] = [WORLD.index["sibling"], parent]
        longer = [*pattern[: edges // 2 + 2], spouse, *pattern[edges // 2 + 2 :]]
        assert CHAINS.kinds(longer) <= CHAINS.kinds(pattern)
        changed += CHAINS.kinds(longer) != CHAINS.kinds(pattern)
    assert changed < 40


# Of all 8^k patterns, how many entail their answer.
@pytest.mark.parametrize(("edges", "count"), [(1, 8), (2, 22), (3, 65), (4, 182)])
def test_patterns_that_entail_their_answer_are_counted(edges, count):
    found = Counter()
    for pattern in product(KINDS, repeat=edges):
        composed = THEORY.compose(WORLD.labels, pattern)
        if composed.entailed:
            found[WORLD.index[composed.kinds[0]]] += 1
    assert found.total() == count
    assert THEORY.entailed.count(edges) == [found[kind] for kind in range(8)]


def test_few_patterns_lie_beyond_the_automaton():
    """4 of the 1338 that entail their answer at 6 facts lead further off than it looks."""
    assert sum(THEORY.entailed.count(6)) == 1334


@pytest.mark.parametrize(("name", "edges"), [("kinship", 10), ("kinship", 30), ("kinship-v1", 4)])
def test_patterns_of_the_automaton_entail_their_answer(name, edges):
    """A few patterns of each target, drawn by how many lead there."""
    theory, rng = load_world(name).theory, Random(edges)
    after, ends = theory.entailed.automaton
    kinds = range(len(theory.ways))
    leads = [(ends[:, None] == np.array(kinds)).astype(float)]
    for _ in range(edges):
        leads.append(leads[-1][after].sum(axis=1))
    assert leads[edges][0].tolist() == theory.entailed.count(edges)
    for target in [*kinds] * 4:
        state, pattern = 0, []
        for left in reversed(leads[:edges]):
            (kind,) = rng.choices(kinds, left[after[state], target])
            pattern.append(kind)
            state = after[state, kind]
        assert theory.chains.ends(pattern) == {target}
