"""Chains with genders, at any length, under both assumptions; and the patterns that entail their answer."""

import importlib.util
import inspect
from collections import Counter
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest

from clutrr.world import load_world
from clutrr.world.assumptions import Assumption
from clutrr.world.chains import Chains
from clutrr.world.closing import closes
from clutrr.world.steps import Step
from kin_chance import surprise
from kin_oracle import KINDS, WORDS, possible

WORLD = load_world()
CHAINS = WORLD.chains
EVERY = set(range(len(KINDS)))


def program():
    """The answer-set program that the solver is held to, where it knows both assumptions."""
    pytest.importorskip("clingo")
    path = Path(__file__).parents[1] / "solver" / "answer_set.py"
    spec = importlib.util.spec_from_file_location("answer_set_for_chains", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.answers


def answers_of_program(pattern, genders, assume):
    answers = program()
    if assume == "open" and "assume" not in inspect.signature(answers).parameters:
        pytest.skip("the answer-set program knows trees only")
    facts = [
        (f"P{i}", WORDS[KINDS[kind]][gender], f"P{i + 1}")
        for i, (kind, gender) in enumerate(zip(pattern, genders, strict=True))
    ]
    more = {"assume": assume} if assume == "open" else {}
    return answers(facts, ("P0", f"P{len(pattern)}"), **more)


def answers_of_chains(pattern, genders, assume):
    kinds = CHAINS.kinds(pattern, genders)
    if assume == "open":
        kinds |= frozenset(CHAINS.linked(pattern, EVERY - kinds, genders))
    outside = CHAINS.outside(pattern, genders)
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


@pytest.mark.slow
@pytest.mark.parametrize("edges", [1, 2, 3])
def test_every_short_chain_agrees_with_the_answer_set_program_if_families_may_be_linked_twice(edges):
    random = Random(edges)
    for pattern in product(range(8), repeat=edges):
        genders = [random.randrange(2) for _ in pattern]
        assert answers_of_chains(pattern, genders, "open") == answers_of_program(pattern, genders, "open")


@pytest.mark.parametrize("assume", list(Assumption))
def test_cases_say_what_any_genders_make_of_a_chain(assume):
    random = Random(5)
    checked = dependent = 0
    for _ in range(500):
        pattern, genders = random_chain(random, random.randint(3, 6))
        kinds, outside = CHAINS.kinds(pattern, genders), CHAINS.outside(pattern, genders)
        if not kinds and not outside:
            continue  # genders against the facts
        if assume is Assumption.OPEN:
            kinds |= frozenset(CHAINS.linked(pattern, EVERY - kinds, genders))
        cases = CHAINS.cases(pattern, assume)
        assert cases.given([random.randrange(2), *genders]) == (kinds, outside)
        checked += 1
        dependent += not cases.free
    assert checked > 150
    assert dependent > 10


def test_more_families_make_more_possible_and_nothing_else_outside():
    random = Random(8)
    for _ in range(100):
        pattern, _ = random_chain(random, random.randint(1, 5))
        tree, linked = CHAINS.cases(pattern).kinds, CHAINS.cases(pattern, Assumption.OPEN).kinds
        assert set(tree) <= set(linked)
        assert (None in tree) == (None in linked)
        if len(tree) == 1 and None not in tree:  # entailed
            assert set(linked) == set(tree)


def test_two_brothers_may_marry_two_sisters():
    """A sibling's spouse's sibling: nobody of the label set under tree, possibly one's spouse under open."""
    pattern = [WORLD.index[kind] for kind in ("sibling", "SO", "sibling")]
    assert not CHAINS.kinds(pattern)
    # Or somebody marries their uncle's wife's sister.
    assert {KINDS[kind] for kind in CHAINS.linked(pattern, EVERY)} == {"SO", "in-law", "inv-in-law"}
    siblings = [WORLD.index["sibling"]] * 2
    assert CHAINS.kinds(siblings) == {WORLD.index["sibling"]}
    assert not set(CHAINS.linked(siblings, EVERY - set(siblings)))  # nobody marries a brother or sister


def test_the_two_of_a_pair_are_one_thing_to_each_other():
    assert not CHAINS.double
    state = next(CHAINS.states([WORLD.index["SO"]]))
    assert not closes(state, (Step.SPOUSE, Step.PARENT))


@pytest.mark.slow
@pytest.mark.parametrize("edges", [12, 14])
def test_long_chains_agree_with_all_placements(edges):
    random = Random(edges)
    for _ in range(20):
        pattern, _ = random_chain(random, edges)
        kinds, outside = possible(tuple(KINDS[kind] for kind in pattern))
        assert {KINDS[kind] for kind in CHAINS.kinds(pattern)} == kinds
        assert CHAINS.outside(pattern) == outside


@pytest.mark.parametrize("edges", [10, 20, 30])
def test_a_long_chain_means_the_same_backwards(edges):
    random = Random(edges)
    back = [WORLD.index[kind.inverse] for kind in WORLD.kinds]
    for _ in range(30):
        pattern, _ = random_chain(random, edges)
        there = CHAINS.kinds(pattern)
        assert {back[kind] for kind in there} == CHAINS.kinds([back[kind] for kind in reversed(pattern)])


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
        composed = WORLD.compose(pattern)
        if composed.entailed:
            found[WORLD.index[composed.kinds[0]]] += 1
    assert found.total() == count
    assert WORLD.forced.count(edges) == [found[kind] for kind in range(8)]


def test_few_patterns_lie_beyond_the_automaton():
    """4 of the 1338 that entail their answer at 6 facts lead further off than it looks."""
    assert sum(WORLD.forced.count(6)) == 1334


def test_patterns_are_drawn_equally():
    targets = np.repeat(np.arange(8, dtype=np.int8), 4000)
    drawn = WORLD.forced.draw(np.random.default_rng(4), 3, targets)
    found = Counter(
        (target, tuple(row)) for target, row in zip(targets.tolist(), drawn.tolist(), strict=True)
    )
    counts = WORLD.forced.count(3)
    entailed = {}
    for pattern in product(range(8), repeat=3):
        kinds = CHAINS.kinds(pattern)
        if len(kinds) == 1 and not CHAINS.outside(pattern):
            (kind,) = kinds
            entailed[kind, pattern] = 1 / counts[kind]
    assert abs(surprise(found, entailed)) < 4


@pytest.mark.parametrize("edges", [10, 20, 30])
def test_drawn_patterns_entail_their_target(edges):
    targets = np.tile(np.arange(8, dtype=np.int8), 5)
    for target, pattern in zip(
        targets.tolist(),
        WORLD.forced.draw(np.random.default_rng(edges), edges, targets).tolist(),
        strict=True,
    ):
        assert CHAINS.kinds(pattern) == {target}
        assert not CHAINS.outside(pattern)


def test_a_world_with_more_kinds_has_patterns_too():
    wider = load_world("kinship-v1")
    counts = wider.forced.count(4)
    targets = np.array([kind for kind, count in enumerate(counts) if count], np.int8)
    assert len(targets) == len(wider.kinds)
    for target, pattern in zip(
        targets, wider.forced.draw(np.random.default_rng(0), 4, targets).tolist(), strict=True
    ):
        composed = wider.compose([wider.kinds[kind].name for kind in pattern])
        assert composed.entailed
        assert composed.kinds == (wider.kinds[target].name,)


@pytest.mark.parametrize("name", ["kinship", "kinship-v1", "kinship-v1-by-marriage"])
def test_what_is_outside_freely_is_so_whatever_the_genders(name):
    """The quick look agrees with all ways to sit, and misses few."""
    world = load_world(name)
    chains, rng = world.chains, Random(4)
    seen = missed = 0
    for _ in range(300):
        pattern = [rng.randrange(len(world.kinds)) for _ in range(rng.randint(1, 5))]
        cases = chains.cases(pattern)
        free = None in cases.kinds and cases.settled(None)
        if chains.outside_freely(pattern):
            assert free, pattern
            seen += 1
        else:
            missed += free
    assert seen > 150
    assert missed < 15


def test_beginnings_that_are_remembered_change_nothing():
    """Chains in any order, and each by itself, come to the same kinds."""
    world = load_world()
    rng = Random(5)
    patterns = [[rng.randrange(len(world.kinds)) for _ in range(rng.randint(1, 6))] for _ in range(150)]
    together = [world.chains.kinds(pattern) for pattern in patterns]
    for pattern, kinds in zip(patterns, together, strict=True):
        states = Chains([kind.steps for kind in world.kinds]).states(pattern)
        labels = world.chains.labels
        assert kinds == {labels[state.steps] for state in states if state.steps in labels}
