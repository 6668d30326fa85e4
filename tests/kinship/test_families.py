"""Families: partners of opposite sex, names of their own, children between the bounds."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from clutrr import load_world
from clutrr.theory.kinship.drawing.families import regular, sample, sample_families

WORLD = load_world()


@settings(max_examples=60)
@given(st.integers(1, 4), st.integers(1, 2), st.integers(0, 2), st.integers(0, 2**32))
def test_sampled_families(levels, fewest, more, seed):
    rng = np.random.default_rng(seed)
    shape = sample(levels, fewest, fewest + more, 10**6, rng)
    children = np.bincount([c for c in shape.couple if c >= 0], minlength=shape.people)
    generation: list[int] = []
    for person, (spouse, couple) in enumerate(zip(shape.spouse, shape.couple, strict=True)):
        if spouse >= 0:
            assert shape.spouse[spouse] == person
            assert spouse != person
        if couple >= 0:  # born into the family
            assert couple < person
            generation.append(generation[couple] + 1)
        else:  # its head, or married in
            generation.append(generation[spouse] if spouse < person and person else 0)
            assert person == 0 or spouse == person - 1
        born = couple >= 0 or person == 0
        married = generation[person] < levels
        assert married == (spouse >= 0)
        assert (children[person] > 0) == (born and married)
        if born and married:
            assert fewest <= children[person] <= fewest + more
    families = sample_families(shape, WORLD.supply, 5, rng)
    assert families.first.tolist() == [shape.people * i for i in range(5)]
    women = len(WORLD.lexicon.names[0])
    for first in families.first:
        names, forms = (
            column[first : first + shape.people] for column in (families.names, families.forms)
        )
        assert len(set(names.tolist())) == shape.people
        assert ((names >= women) == forms).all()
        for person, spouse in enumerate(shape.spouse):
            if spouse >= 0:
                assert {forms[person], forms[spouse]} == {0, 1}


def test_genders_names_and_numbers_of_children_are_all_drawn(world):
    rng = np.random.default_rng(4)
    families = sample_families(regular(3, 3), world.supply, 4000, rng)
    share = families.forms.reshape(4000, -1).mean(axis=0)
    assert (abs(share - 0.5) < 0.04).all()  # five standard deviations
    assert len(np.unique(families.names)) == sum(world.supply.names)
    counts = np.bincount(families.names)
    assert counts.min() > 120  # of some 204 expected
    assert counts.max() < 290
    sizes = [
        np.unique(sample(1, 2, 4, 10, rng).couple, return_counts=True)[1][-1] for _ in range(3000)
    ]
    assert (abs(np.bincount(sizes)[2:] - 1000) < 130).all()
