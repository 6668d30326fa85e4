"""What takes back what was said before it, and what leaves open what is meant."""

import pytest

import clutrr

TAKEN_BACK = [
    ("kinship", "Bob is Ann's son. No, he is her nephew."),
    ("kinship", "Bob is Ann's son. No, Carl is asleep."),
    ("kinship", "Bob is Ann's son. Wait, scratch that: Bob is the dog."),
    ("kinship", "Bob is Ann's son. No, forgive me, that is Carl; Bob is the curate."),
    ("kinship", "Bob is Ann's son. Or rather, so the register would have it."),
    ("directions", "Wells is north of Bath. No, sorry, I mixed that up."),
    ("time", "The Audit was before the Merger. No, I've got that backwards."),
    (
        "time",
        "The Audit finished before the Merger. So we minuted; in truth the Merger came first.",
    ),
    ("regions", "Mere touches Fell. Correction: the map is out of date, and Mere does not."),
    ("order", "Ann is older than Bob. My mistake, Bob has three years on Ann."),
]
KEPT = [
    ("kinship", "Bob is Ann's son. No sister of Ann came."),
    ("kinship", "Bob is Ann's son. Is Carl Bob's brother? No, he is a lodger."),
    ("directions", "Wells is north of Bath. No railway runs there."),
]


@pytest.mark.parametrize(("world", "text"), TAKEN_BACK)
def test_it_takes_back_what_was_said(world, text):
    found = clutrr.statements(text, world=world)
    assert "asserted" not in [one.status for one in found]
    assert found.revised


@pytest.mark.parametrize(("world", "text"), KEPT)
def test_what_corrects_nothing_takes_nothing_back(world, text):
    (one, *_) = clutrr.statements(text, world=world)
    assert one.status == "asserted"


@pytest.mark.parametrize(
    ("text", "relations"),
    [
        ("Dore is somewhere north of Beck.", {"north of", "north-east of", "north-west of"}),
        ("Dore lies somewhere to the east of Beck.", {"east of", "north-east of", "south-east of"}),
        ("Dore is north of Beck.", {"north of"}),
    ],
)
def test_somewhere_leaves_open_which_way(text, relations):
    (one,) = clutrr.statements(text, world="directions")
    assert (one.head, set(one.relations), one.tail) == ("Beck", relations, "Dore")
