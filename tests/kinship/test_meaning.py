"""What chains of facts mean: hand-worked, against every way to seat the people, and by law."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clutrr import load_world
from clutrr.theory.kinship.drawing.families import enumerate_patterns
from clutrr.theory.kinship.drawing.placements import Placements, states
from clutrr.theory.kinship.steps import Step, reduce
from kin_oracle import INVERSE, KINDS, STEPS, placements

WORLD = load_world()


def compose(world, pattern):
    return world.theory.compose(world.labels, pattern)


def words(world, pattern):
    places = Placements(world.theory.ways).follow([world.index[kind] for kind in pattern])
    return {tuple(step.name.lower() for step in state.steps) for state in states(places)}


@pytest.mark.parametrize(
    ("pattern", "kinds", "outside"),
    [
        ("child sibling", "child", False),
        ("child child", "grand", False),
        ("child SO", "in-law", False),
        ("SO child", "child", False),
        ("SO inv-child", "inv-in-law", False),
        ("sibling sibling", "sibling", False),
        ("inv-child SO", "inv-child", False),
        ("child inv-child", "SO", False),  # the other parent
        ("grand inv-child", "child in-law", False),  # one's child, or that child's spouse
        ("inv-child grand", "child", True),  # one's own child, or a nephew or niece
        ("inv-child child", "sibling", False),
        ("grand inv-grand", "SO", True),  # or the child-in-law's parent
        ("inv-grand grand", "sibling", True),  # or a cousin
        ("in-law child", "grand", False),
        ("in-law inv-in-law", "SO", False),
        ("inv-in-law in-law", "", True),  # the spouse of the spouse's sibling
        ("sibling child", "", True),  # a nephew
        ("SO sibling", "", True),
        ("child SO child", "grand", False),
        ("SO child SO child", "grand", False),
        ("child sibling sibling", "child", False),
    ],
)
def test_hand_worked_chains(world, pattern, kinds, outside):
    found = compose(world, pattern.split())
    assert (set(found.kinds), found.outside) == (set(kinds.split()), outside)


def test_kinds_mean_their_definitions(world):
    assert tuple(kind.name for kind in world.kinds) == KINDS
    for kind in world.theory.kinds:
        assert kind.ways == (reduce([Step.named(step) for step in STEPS[kind.name]]),)
        assert kind.converse == INVERSE[kind.name]


@pytest.mark.parametrize("edges", [1, 2, 3, 4])
def test_every_short_chain_agrees_with_all_placements(world, edges):
    for pattern in product(KINDS, repeat=edges):
        assert words(world, pattern) == placements(pattern), pattern


@settings(max_examples=300)
@given(st.lists(st.sampled_from(KINDS), min_size=5, max_size=9))
def test_longer_chains_agree_with_all_placements(pattern):
    assert words(WORLD, pattern) == placements(tuple(pattern))


WIDER = {
    **{kind: [steps] for kind, steps in STEPS.items()},
    "aunt": [["parent", "parent", "child"], ["parent", "parent", "child", "spouse"]],
    "cousin": [["parent", "parent", "child", "child"]],
    "sibling-in-law": [["spouse", "parent", "child"], ["parent", "child", "spouse"]],
    "great-grand": [["child", "child", "child"]],
}


@settings(max_examples=200)
@given(st.lists(st.sampled_from(list(WIDER)), min_size=1, max_size=5))
def test_chains_of_wider_kinds_agree_with_all_placements(pattern):
    """Kinds of several ways and longer steps, as somebody's own world may have them."""
    names = list(WIDER)
    wider = Placements(
        [[reduce([Step.named(s) for s in way]) for way in WIDER[name]] for name in names]
    )
    places = wider.follow([names.index(name) for name in pattern])
    spelt = {tuple(step.name.lower() for step in state.steps) for state in states(places)}
    assert spelt == placements(tuple(pattern), WIDER)


@given(st.lists(st.sampled_from(KINDS), min_size=1, max_size=20))
def test_the_chain_backwards_means_the_inverses(pattern):
    there = compose(WORLD, pattern)
    back = compose(WORLD, [INVERSE[kind] for kind in reversed(pattern)])
    assert {INVERSE[kind] for kind in there.kinds} == set(back.kinds)
    assert (there.outside, there.determined, there.entailed) == (
        back.outside,
        back.determined,
        back.entailed,
    )


# Per cent of the paths in families of 3 levels with 3 children, siblings in every generation: how
# many are determined, how many entailed, and how often the likeliest target of a pattern is right.
# Two prototypes gave 88.5 82.7 79.3 78.7 79.2, then 66.5 39.7 20.2 10.2 5.1, then 94.3 94.5 93.6
# 93.8 94.0. All agree to the digit but 82.7, which is 82.648 and should have been rounded down.
SHARES = {
    2: (88.52, 66.51, 94.26),
    3: (82.65, 39.73, 94.52),
    4: (79.27, 20.16, 93.64),
    5: (78.70, 10.19, 93.77),
    6: (79.23, 5.14, 93.96),
}


@pytest.mark.parametrize("edges", SHARES)
def test_shares_of_determined_and_entailed_questions(world, edges):
    found = enumerate_patterns(world.theory.ways, 3, 3, edges, "all")
    meanings = {
        tuple(row): compose(world, [world.kinds[kind].name for kind in row])
        for row in found.patterns.tolist()
    }
    of_path = [meanings[tuple(row)] for row in found.patterns.tolist()]
    total = found.paths.sum()
    determined = found.paths[[m.determined for m in of_path]].sum() / total
    entailed = found.paths[[m.entailed for m in of_path]].sum() / total
    best: dict[tuple[int, ...], int] = {}
    for row, paths in zip(found.patterns.tolist(), found.paths.tolist(), strict=True):
        best[tuple(row)] = max(best.get(tuple(row), 0), paths)
    shares = 100 * np.array([determined, entailed, sum(best.values()) / total])
    assert shares.round(2).tolist() == list(SHARES[edges])
