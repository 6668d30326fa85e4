"""Ordinary sentences about two things in the plane: what is read, and what is not."""

import pytest

from clutrr import load_world, statements

WORLD = load_world("directions")


def facts(text):
    return statements(text, "directions").facts


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
    (fact,) = facts(sentence)
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
        "P is between 1 and 2 miles from Q.",
    ],
)
def test_what_is_not_read(sentence):
    assert facts(sentence) == ()


def test_what_states_nothing_and_what_no_scene_has():
    assert facts("P and Q are over there.") == ()
    (fact,) = facts("P is diagonally left and above P.")
    assert fact == ("P", "north-west of", "P")
    for assume in ("unit", "free"):
        verdict = WORLD.theory.solver(WORLD.labels, assume).verdict(
            [fact, fact._replace(tail="Q")], ("P", "Q")
        )
        assert verdict.contradictory
