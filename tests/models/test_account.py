"""The composition that is shown is the best one, step by step."""

import itertools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("transformers")

from clutrr.models.text.account import derived


def every_tree(start, end):
    """Every way to put brackets around the steps from start to end."""
    if end - start == 1:
        return [()]
    return [
        (cut, one, other)
        for cut in range(start + 1, end)
        for one in every_tree(start, cut)
        for other in every_tree(cut, end)
    ]


def worth(tree, start, end, kinds, chain, table):
    """The best product over the kinds inside a tree, given the kind of the whole."""
    if not tree:
        return float(chain[start, kinds])
    cut, one, other = tree
    return max(
        worth(one, start, cut, a, chain, table)
        * worth(other, cut, end, b, chain, table)
        * float(table[a, b, kinds])
        for a, b in itertools.product(range(2), repeat=2)
    )


@given(st.integers(0, 999), st.integers(2, 4))
@settings(max_examples=20)
def test_no_other_bracketing_is_better(seed, length):
    torch.manual_seed(seed)
    chain, table = torch.rand(length, 2), torch.rand(2, 2, 2)
    steps = derived(chain, table, 1)
    assert [step[:1] + step[2:3] for step in steps][-1] == (0, length)
    assert len(steps) == length - 1
    known = {}
    value = 1.0
    for start, cut, end, (a, b, c) in steps:
        for place, kind in (((start, cut), a), ((cut, end), b)):
            if place[1] - place[0] == 1:
                value *= float(chain[place[0], kind])
            else:
                assert known[place] == kind  # it was derived in a step before
        value *= float(table[a, b, c])
        known[start, end] = c
    best = max(worth(tree, 0, length, 1, chain, table) for tree in every_tree(0, length))
    assert value == pytest.approx(best, rel=1e-4)
