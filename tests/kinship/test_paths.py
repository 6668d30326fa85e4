"""Paths of regular families: the paper's Table 2, and a search person by person to hold it to."""

import pytest

from clutrr.theory.kinship.drawing.families import (
    count_paths,
    enumerate_patterns,
    people_in,
    regular,
    relations,
)
from kin_oracle import Tree


def test_table_2(world):
    rows = list(count_paths(world.theory.ways, 3, 3, 6, "last"))
    assert [tuple(row.values()) for row in rows] == [
        (2, 3, 20, 40, 1116),
        (3, 4, 84, 168, 6492),
        (4, 5, 305, 610, 33420),
        (5, 6, 978, 1956, 164448),
        (6, 7, 2814, 5628, 751968),
    ]
    everywhere = count_paths(world.theory.ways, 3, 3, 6, "all")
    assert [row["unique"] for row in everywhere] == [20, 94, 418, 1685, 6176]


@pytest.mark.parametrize("siblings", ["last", "all"])
@pytest.mark.parametrize(
    ("levels", "children", "max_edges"),
    [(1, 1, 3), (1, 3, 5), (2, 2, 5), (2, 3, 4), (3, 1, 6), (3, 2, 4), (3, 3, 4), (4, 1, 5)],
)
def test_counts_agree_with_a_search(world, levels, children, max_edges, siblings):
    tree = Tree.regular(levels, children)
    for row in count_paths(world.theory.ways, levels, children, max_edges, siblings):
        unique, forward, _ = tree.count(row["edges"], siblings)
        assert (row["unique"], row["paths"]) == (unique, forward), row


@pytest.mark.parametrize("siblings", ["last", "all"])
@pytest.mark.parametrize(
    ("levels", "children", "edges"), [(2, 3, 4), (3, 2, 3), (3, 3, 1), (3, 3, 3)]
)
def test_patterns_and_their_weights_agree_with_a_search(world, levels, children, edges, siblings):
    _, _, both = Tree.regular(levels, children).count(edges, siblings)
    found = enumerate_patterns(world.theory.ways, levels, children, edges, siblings)
    names = [kind.name for kind in world.kinds]
    rows = zip(found.patterns.tolist(), found.targets.tolist(), found.paths.tolist(), strict=True)
    assert {(tuple(names[k] for k in row), names[target]): n for row, target, n in rows} == both


@pytest.mark.parametrize("siblings", ["last", "all"])
@pytest.mark.parametrize(("levels", "children"), [(1, 1), (1, 4), (2, 3), (3, 3), (4, 2)])
def test_who_is_related_agrees_with_the_definitions(world, levels, children, siblings):
    tree, shape = Tree.regular(levels, children), regular(levels, children)
    assert shape.people == people_in(levels, children) == len(tree.parents)
    assert [p if p >= 0 else None for p in shape.spouse] == tree.spouse
    related = relations(shape, world.theory.ways, siblings)
    names = [*(kind.name for kind in world.kinds), None]
    for a in range(shape.people):
        for b in range(shape.people):
            assert names[related[a, b]] == tree.kind(a, b, siblings)
