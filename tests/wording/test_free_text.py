"""Free text: what is read as a fact of two people, and what only looks like one."""

import pytest

from clutrr import load_world, statements
from clutrr._reading.agreement import TextCheck

GENDERS = {"Ann": "female", "Bea": "female", "Carl": "male", "Dan": "male"}


def relation_of(story, head, tail, world="kinship-v1"):
    return TextCheck(load_world(world)).relation(story, head, tail, GENDERS)


@pytest.mark.parametrize(
    ("story", "head", "tail", "relation"),
    [
        ("[Ann] and her son [Carl] went home.", "Ann", "Carl", "son"),
        ("[Ann] and her son [Carl] went home.", "Carl", "Ann", "mother"),
        ("[Ann] adores her son. His name is [Carl].", "Ann", "Carl", "son"),
        ("[Ann] visited [Carl], her grandfather.", "Ann", "Carl", "grandfather"),
        ("[Bea], who is the sister of [Ann], sings.", "Ann", "Bea", "sister"),
        ("[Ann] took her daughter's son [Carl] to Rome.", "Ann", "Carl", "grandson"),
        ("[Carl] went to Paris with his mom [Ann].", "Carl", "Ann", "mother"),
        ("[Ann] is [Carl]'s mother in law.", "Carl", "Ann", "mother-in-law"),
        ("[Ann] is the mother in law of [Carl].", "Carl", "Ann", "mother-in-law"),
    ],
)
def test_what_is_said(story: str, head: str, tail: str, relation: str) -> None:
    assert relation_of(story, head, tail) == relation


@pytest.mark.parametrize(
    ("story", "head", "tail"),
    [
        # The sentence ends before the next name.
        ("[Carl]'s brother. [Dan] came home.", "Carl", "Dan"),
        ("[Ann] phoned her son. [Carl] was out.", "Ann", "Carl"),
        # Somebody without brackets stands between.
        ("[Ann]'s daughter Paula sang; Paula's brother [Carl] listened.", "Ann", "Carl"),
        ("[Ann]'s daughter, Paula, and her brother [Carl] went out.", "Ann", "Carl"),
        ("[Ann] has a daughter named Paula. Her brother [Carl] is tall.", "Ann", "Carl"),
        ("[Ann] met Paula's brother [Carl].", "Ann", "Carl"),
        # Whose grandmother she is is the baby's, not Ann's.
        ("[Ann] presented the baby to the new grandmother, [Bea].", "Ann", "Bea"),
        ("[Ann], [Carl] and [Bea] met.", "Ann", "Carl"),
    ],
)
def test_what_is_not_said(story: str, head: str, tail: str) -> None:
    assert relation_of(story, head, tail) is None


def test_a_story_that_says_two_things_says_neither() -> None:
    story = "[Carl]'s sister [Ann] sang. [Carl] and his mother [Ann] met."
    assert relation_of(story, "Carl", "Ann") is None


def test_a_relation_that_the_world_has_no_label_for() -> None:
    story = "[Ann] visited her mother's sister [Bea]."
    assert relation_of(story, "Ann", "Bea", "kinship") is None
    assert relation_of(story, "Ann", "Bea") == "aunt"


@pytest.mark.parametrize(
    ("story", "facts"),
    [
        (["Ann took her daughter Bea to the park."], "Ann daughter Bea"),
        (
            ["Dan and his wife Ann have two sons, Carl and Bob."],
            "Dan wife Ann, {} son Carl, {} son Bob",
        ),
        (["Carl, the father of Bea, sings."], "Bea father Carl"),
        (
            ["Dan's parents are Carl and Ann.", "Carl and his wife Ann sing."],
            "Dan father Carl, Dan mother Ann",
        ),
        (["Dan and Carl are brothers."], "Dan brother Carl"),
        (["Ann's sister Bea married Carl."], "Ann sister Bea"),
    ],
)
def test_sentences_that_are_read(story: list[str], facts: str) -> None:
    found = statements(" ".join(story), "kinship-v1").sentences[0].facts
    wanted = {fact.format(who) for fact in facts.split(", ") for who in ("Ann", "Dan")}
    assert {" ".join(fact) for fact in found} == wanted


@pytest.mark.parametrize(
    "sentence",
    [
        "Bob isn't Ann's father.",
        "Bob would be Ann's father.",
        "Ann met Bea and her son Carl.",  # whose son?
        "Ann has a stepson called Tim.",
        "Ann's father met the mother of Carl's wife.",
        "They have a son called Tim.",  # who?
    ],
)
def test_sentences_that_are_not_read(sentence: str) -> None:
    assert statements(sentence, "kinship-v1").facts == ()


def test_genders_that_no_sentence_shows() -> None:
    married = "John is married to Zoe."
    assert statements(f"{married} They have a son called Tim.", "kinship-v1").forms == {
        "Tim": "male"
    }
    told = statements(f"{married} Zoe sees her sister Ann.", "kinship-v1")
    assert told.forms["Zoe"] == told.forms["Ann"] == "female"


@pytest.mark.parametrize(
    "sentence",
    [
        "[Ann] is [Carl]'s future wife.",
        "[Ann] is [Bea]'s sister and [Carl]'s sister-in-law.",
        "[Ann] is [Bea]'s sister and [Carl]'s sister in law.",
    ],
)
def test_a_sentence_with_kin_beyond_the_labels_is_not_wholly_read(sentence: str) -> None:
    told = statements(sentence, "kinship-v1")
    assert told.in_doubt == (sentence,) or not told.settled
    assert all((fact.head, fact.tail) == ("Bea", "Ann") for fact in told.facts)
