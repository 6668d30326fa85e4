"""Drawing paths: each equally likely, whether from the list of all or by walking."""

from collections import Counter

import numpy as np
import pytest

from clutrr.theory.kinship.drawing.families import list_paths, regular, relations
from clutrr.theory.kinship.drawing.walks import PathTable, Walks
from kin_chance import surprise
from kin_oracle import Tree

SIGMAS = 4  # chance passes it once in 30,000 times; the seeds are fixed


def source(world, kind, levels, children, edges):
    shape = regular(levels, children)
    related = relations(shape, world.theory.ways, "all")
    if kind == "walks":
        return Walks(related, [None] * edges)
    return PathTable.listing(levels, children, related, *list_paths(related, shape, [None] * edges))


def everyone(last):
    return np.arange(len(last))


def draw(paths, rng, size, targets=None):
    """At least so many paths, as tuples."""
    found = []
    while len(found) < size:
        rows, which = paths.draw(
            rng, size, None if targets is None else np.full(size, targets, np.int8), everyone
        )
        assert len(rows) == len(which)
        found += map(tuple, rows.tolist())
    return found


@pytest.mark.parametrize("kind", ["table", "walks"])
@pytest.mark.parametrize(
    ("levels", "children", "edges"), [(1, 3, 1), (1, 3, 3), (2, 2, 2), (2, 2, 4)]
)
def test_every_path_is_equally_likely(world, kind, levels, children, edges):
    weights = {path: 1.0 for path, _, _ in Tree.regular(levels, children).paths(edges, "all")}
    rng = np.random.default_rng(11)
    found = draw(source(world, kind, levels, children, edges), rng, 20 * len(weights))
    assert abs(surprise(Counter(found), weights)) < SIGMAS


@pytest.mark.parametrize("kind", ["table", "walks"])
@pytest.mark.parametrize("target", ["sibling", "inv-in-law"])
def test_with_a_given_target_every_path_is_equally_likely(world, kind, target):
    paths = Tree.regular(2, 2).paths(3, "all")
    weights = {path: 1.0 for path, _, found in paths if found == target}
    rng = np.random.default_rng(2)
    drawn = draw(source(world, kind, 2, 2, 3), rng, 50 * len(weights), world.index[target])
    assert abs(surprise(Counter(drawn), weights)) < SIGMAS


def test_avoiding_walks_are_paths_and_reach_all_of_them(world):
    shape = regular(2, 2)
    walks = Walks(relations(shape, world.theory.ways, "all"), [None] * 4, avoiding=True)
    every = {path for path, _, _ in Tree.regular(2, 2).paths(4, "all")}
    assert set(draw(walks, np.random.default_rng(1), 30 * len(every))) == every
