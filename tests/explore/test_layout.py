"""Drawings: nobody stands on anybody, generations are rows, couples stand together."""

from itertools import pairwise

import pytest

from clutrr.api import generate
from clutrr.explore.layout import lay_out_family, lay_out_people
from clutrr.solver import Couple, Solver, Witness


@pytest.fixture(scope="module")
def families(world):
    solver = Solver(world)
    sizes = (("described", 3, 12), ("described", 6, 12), ("sound", 9, 4), ("published", 6, 4))
    puzzles = [p for preset, k, size in sizes for p in generate(preset, k=k, size=size, seed=3)]
    return [solver.witness(p.facts, p.query, p.target) for p in puzzles]


def test_everybody_is_drawn_once(families):
    for family in families:
        drawing = lay_out_family(family, [])
        people = {name for c in family.couples for name in (*c.partners, *c.children) if name}
        assert sorted(node.name for node in drawing.nodes) == sorted(people)


def test_children_stand_below_and_partners_side_by_side(families):
    for family in families:
        drawing = lay_out_family(family, [])
        for couple, knot in zip(family.couples, drawing.knots, strict=True):
            assert {drawing.nodes[i].name for i in knot.partners} == {n for n in couple.partners if n}
            assert {drawing.nodes[i].name for i in knot.children} == set(couple.children)
            assert all(drawing.nodes[i].row == knot.row for i in knot.partners)
            assert all(drawing.nodes[i].row == knot.row + 1 for i in knot.children)
            if len(knot.partners) == 2:
                left, right = sorted(drawing.nodes[i].x for i in knot.partners)
                between = [n for n in drawing.nodes if n.row == knot.row and left < n.x < right]
                assert not between
                assert left < knot.x < right


def test_nobody_stands_on_anybody(families):
    for family in families:
        drawing = lay_out_family(family, [])
        for row in {node.row for node in drawing.nodes}:
            nodes = sorted((n for n in drawing.nodes if n.row == row), key=lambda n: n.x)
            for a, b in pairwise(nodes):
                widths = [0.5 if node.name.startswith("?") else 1.0 for node in (a, b)]
                assert b.x - a.x >= sum(widths) / 2


def test_a_plain_family():
    family = Witness((Couple(("0", "1"), ("2", "3")), Couple(("3", "4"), ("5",))), {})
    drawing = lay_out_family(family, ["6"])
    rows = {node.name: node.row for node in drawing.nodes}
    assert rows == {"0": 0, "1": 0, "2": 1, "3": 1, "4": 1, "5": 2, "6": 0}
    at = {node.name: node.x for node in drawing.nodes}
    # The child who is married stands towards the siblings, the spouse outside.
    assert abs(at["3"] - at["2"]) < abs(at["4"] - at["2"])


def test_parents_who_are_not_known_have_a_place_but_no_node():
    drawing = lay_out_family(Witness((Couple(("",), ("0", "1")),), {}), [])
    assert [(node.name, node.row) for node in drawing.nodes] == [("0", 1), ("1", 1)]
    assert drawing.knots[0].partners == ()
    assert drawing.nodes[0].x < drawing.knots[0].x < drawing.nodes[1].x


def test_facts_alone_are_drawn_by_generation():
    drawing = lay_out_people({("0", "1"): 2, ("1", "2"): 0, ("0", "3"): -1})
    assert {node.name: node.row for node in drawing.nodes} == {"0": 2, "1": 0, "2": 0, "3": 3}
