"""Drawings: no node lies on another, generations are rows, couples are side by side."""

from itertools import pairwise

import pytest

from clutrr import generate
from clutrr.theory.drawing import draw_facts
from clutrr.theory.kinship.deciding.scene import Couple, FamilyScene


@pytest.fixture(scope="module")
def families(world):
    solver = world.theory.solver(world.labels, "tree")
    sizes = (("described", 3, 12), ("described", 6, 12), ("sound", 9, 4), ("published", 6, 4))
    puzzles = [p for preset, k, size in sizes for p in generate(preset, k=k, size=size, seed=3)]
    return [solver.scene(p.facts, p.query, p.target) for p in puzzles]


def test_families_as_they_are_drawn(families, world):
    """Everybody once, couples side by side, children below, nobody on another."""
    for family in families:
        drawing, nodes = family.drawing(), family.drawing().nodes
        people = {name for c in family.couples for name in (*c.partners, *c.children)}
        assert sorted(node.name for node in nodes) == sorted(people)
        for node in nodes:
            assert (world.forms[node.form] if node.form >= 0 else None) == family.genders.get(
                node.name
            )
        for couple, junction in zip(family.couples, drawing.junctions, strict=True):
            assert {nodes[i].name for i in junction.members} == set(couple.partners)
            assert {nodes[i].name for i in junction.below} == set(couple.children)
            assert all(nodes[i].row == junction.row for i in junction.members)
            assert all(nodes[i].row == junction.row + 1 for i in junction.below)
            if len(junction.members) == 2:
                left, right = sorted(nodes[i].x for i in junction.members)
                assert not [n for n in nodes if n.row == junction.row and left < n.x < right]
                assert left < junction.x < right
        for row in {node.row for node in nodes}:
            for a, b in pairwise(sorted((n for n in nodes if n.row == row), key=lambda n: n.x)):
                widths = [0.5 if node.name.startswith("?") else 1.0 for node in (a, b)]
                assert b.x - a.x >= sum(widths) / 2


def test_a_plain_family():
    family = FamilyScene((Couple(("0", "1"), ("2", "3")), Couple(("3", "4"), ("5",))), {})
    drawing = family.drawing(["6"])
    rows = {node.name: node.row for node in drawing.nodes}
    assert rows == {"0": 0, "1": 0, "2": 1, "3": 1, "4": 1, "5": 2, "6": 0}
    at = {node.name: node.x for node in drawing.nodes}
    # The child who is married is next to the siblings, the spouse outside.
    assert abs(at["3"] - at["2"]) < abs(at["4"] - at["2"])
    names = [node.name for node in drawing.nodes]
    words = [junction.words.format(*names) for junction in drawing.junctions]
    assert words == ["0 and 1, parents of 2 and 3", "3 and 4, parents of 5"]


def test_parents_who_are_not_known_have_a_place_but_no_node():
    drawing = FamilyScene((Couple((), ("0", "1")),), {}).drawing()
    assert [(node.name, node.row) for node in drawing.nodes] == [("0", 1), ("1", 1)]
    assert drawing.junctions[0].members == ()
    assert drawing.junctions[0].words == "Two people, parents of {0} and {1}"
    assert drawing.nodes[0].x < drawing.junctions[0].x < drawing.nodes[1].x


def test_facts_alone_are_drawn_by_rows():
    drawing = draw_facts({("0", "1"): 2, ("1", "2"): 0, ("0", "3"): -1})
    assert {node.name: node.row for node in drawing.nodes} == {"0": 2, "1": 0, "2": 0, "3": 3}
    assert draw_facts({}).nodes == ()
