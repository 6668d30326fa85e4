"""Presets of one's own: what they keep counts, and not what they are called."""

from dataclasses import replace

import pytest

import clutrr
from clutrr.theory import Preset, Theory
from clutrr.theory.directions import Directions
from clutrr.theory.kinship import Kinship
from clutrr.theory.order import Order


class OwnOrder(Order):
    """Ages, with presets that other theories do not have."""

    presets = (
        Preset("anything", "every question", "all", "inserted", "line"),
        Preset("described", "questions with one answer", "entailed", "shuffled", "line", True),
        Preset("open", "questions with one answer or several", "mixed", "shuffled", "line", True),
    )


class OwnDirections(Directions):
    """Places on a map, with every question."""

    presets = (Preset("anything", "every question", "all", "inserted", "free"),)


class OwnKinship(Kinship):
    """Families, with every question, also where the strict presets of kinship differ."""

    presets = (
        Preset("anything", "every question", "all", "inserted", "tree"),
        Preset("proved", "questions with one answer", "entailed", "shuffled", "open", True),
    )


def world_with(name: str, theory: Theory) -> clutrr.World:
    return replace(clutrr.load_world(name), theory=theory)


@pytest.fixture(scope="module")
def family() -> clutrr.World:
    return world_with("kinship", OwnKinship(clutrr.load_world("kinship").theory.kinds))


@pytest.mark.parametrize(
    ("name", "theory"), [("order", OwnOrder()), ("directions", OwnDirections())]
)
def test_a_preset_that_keeps_all_draws_ambiguous_questions(name, theory):
    own = clutrr.generate("anything", 3, 200, 7, world=world_with(name, theory))
    assert max(len(puzzle.possible) for puzzle in own) > 1
    assert all(puzzle.target in puzzle.possible for puzzle in own)
    usual = clutrr.generate("described", 3, 200, 7, world=name)
    assert [puzzle.story for puzzle in own] == [puzzle.story for puzzle in usual]


def test_in_kinship_too(family):
    own = clutrr.generate("anything", 3, 200, 7, world=family)
    assert max(len(puzzle.possible) for puzzle in own) > 1
    usual = clutrr.generate("described", 3, 200, 7)
    assert [puzzle.story for puzzle in own] == [puzzle.story for puzzle in usual]


def test_a_name_of_ours_does_not_make_a_preset(family):
    """`described` keeps every question elsewhere; here it keeps those with one answer."""
    own = clutrr.generate("described", 3, 100, world=world_with("order", OwnOrder()))
    assert {len(puzzle.possible) for puzzle in own} == {1}
    proved = clutrr.generate("proved", 3, 100, world=family)
    assert all((len(puzzle.possible), puzzle.outside) == (1, False) for puzzle in proved)


def test_a_preset_that_keeps_others_too_has_a_share_of_them():
    world = world_with("order", OwnOrder())
    own = clutrr.generate("open", 3, 200, world=world, undetermined=0.25)
    assert sum(puzzle.target == "cannot be told" for puzzle in own) == pytest.approx(50, abs=20)
    with pytest.raises(clutrr.ClutrrError, match="only preset open has such questions"):
        clutrr.generate("anything", 3, 10, world=world, undetermined=0.25)
    with pytest.raises(clutrr.ClutrrError, match="preset open starts at k = 2"):
        clutrr.generate("open", 1, 10, world=world)


def test_a_preset_says_what_it_keeps():
    with pytest.raises(ValueError, match="keeps: 'everything' is not one of all, determined"):
        Preset("mine", "every question", "everything", "inserted", "line")
