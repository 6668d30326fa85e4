"""Ordinary sentences about directions: what is read, and what is not."""

import pytest

from clutrr.world import load_world

WORLD = load_world("directions")
READER = WORLD.theory.free_reader(WORLD.labels, {})


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("P is north-east of Q.", "NE"),
        ("P lies directly below Q.", "S"),
        ("P is above Q and to the left of it.", "NW"),
        ("P is at Q's 9 o'clock.", "W"),
        ("P is at the 4:30 position relative to Q.", "SE"),
        ("If Q is the center of a clock face, P is located between 1 and 2.", "NE"),
        ("P is in the upper left corner of Q.", "NW"),
        ("P is to the left of Q and is on the same horizontal plane.", "W"),
        ("Q is over there and P is on the right of it.", "E"),
        ("P and Q are in a vertical line with Q on top.", "S"),
        ("Q is at the bottom and P is on the top.", "N"),
        ("To the left of Q is P.", "W"),
        ("Q has P on its right.", "E"),
        ("P overlaps Q.", "Eq"),
        ("[The Mill] is right under [Q].", "S"),
    ],
)
def test_what_is_read(sentence, kind):
    ((fact,),) = READER.read([sentence]).facts
    said = WORLD.meaning[fact.relation].kind
    assert kind == (said.name if fact.head == "Q" else said.converse)
    assert {fact.head, fact.tail} in ({"P", "Q"}, {"The Mill", "Q"})


@pytest.mark.parametrize(
    "sentence",
    [
        "P is not above Q.",  # a word that is not known
        "P is diagonally above Q.",  # to either side
        "P is to the left of Q on the same vertical plane.",  # it contradicts itself
        "P and Q are in a vertical line.",  # up or down
        "P is above Q and R.",
        "P is between 1 and 2 miles from Q.",
    ],
)
def test_what_is_not_read(sentence):
    assert READER.read([sentence]).facts == [None]


def test_what_states_nothing_and_what_no_scene_has():
    assert READER.read(["P and Q are over there."]).facts == [()]
    ((fact,),) = READER.read(["P is diagonally left and above P."]).facts
    assert fact == ("P", "north-west of", "P")
    for assume in ("unit", "free"):
        verdict = WORLD.theory.solver(WORLD.labels, assume).verdict(
            [fact, fact._replace(tail="Q")], ("P", "Q")
        )
        assert verdict.contradictory
