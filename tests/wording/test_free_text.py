"""Free text: what is read as a fact of two people, and what only looks like one."""

import pytest

from clutrr.theory.theory import FreeReader
from clutrr.world import load_world

GENDERS = {"Ann": "female", "Bea": "female", "Carl": "male", "Dan": "male"}


def reader_of(name: str) -> FreeReader:
    world = load_world(name)
    found = world.theory.free_reader(world.labels, world.lexicon.phrases.words.synonyms)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def reader() -> FreeReader:
    return reader_of("kinship-v1")


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
def test_what_is_said(reader: FreeReader, story: str, head: str, tail: str, relation: str) -> None:
    assert reader.relation(story, head, tail, GENDERS) == relation


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
def test_what_is_not_said(reader: FreeReader, story: str, head: str, tail: str) -> None:
    assert reader.relation(story, head, tail, GENDERS) is None


def test_of_two_readings_the_more_frequent(reader: FreeReader) -> None:
    story = "[Carl]'s sister [Ann] sang. [Carl] and his mother [Ann] met. [Ann] and her son [Carl] ate."
    assert reader.relation(story, "Carl", "Ann", GENDERS) == "mother"


def test_a_relation_that_the_world_has_no_label_for() -> None:
    story = "[Ann] visited her mother's sister [Bea]."
    assert reader_of("kinship").relation(story, "Ann", "Bea", GENDERS) is None
    assert reader_of("kinship-v1").relation(story, "Ann", "Bea", GENDERS) == "aunt"


@pytest.mark.parametrize(
    ("story", "facts"),
    [
        (["Ann took her daughter Bea to the park."], "Ann daughter Bea"),
        (["Dan and his wife Ann have two sons, Carl and Bob."], "Dan wife Ann, {} son Carl, {} son Bob"),
        (["Carl, the father of Bea, sings."], "Bea father Carl"),
        (
            ["Dan's parents are Carl and Ann.", "Carl and his wife Ann sing."],
            "Dan father Carl, Dan mother Ann",
        ),
        (["Dan and Carl are brothers."], "Carl brother Dan"),
        (["Ann's sister Bea married Carl."], "Ann sister Bea, Bea husband Carl"),
    ],
)
def test_sentences_that_are_read(reader: FreeReader, story: list[str], facts: str) -> None:
    found = reader.read(story).facts[0]
    wanted = {fact.format(who) for fact in facts.split(", ") for who in ("Ann", "Dan")}
    assert {" ".join(fact) for fact in found or ()} == wanted


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
def test_sentences_that_are_not_read(reader: FreeReader, sentence: str) -> None:
    assert reader.read([sentence]).facts == [None]


def test_genders_that_no_sentence_shows(reader: FreeReader) -> None:
    reading = reader.read(["John is married to Zoe.", "They have a son called Tim."])
    assert reading.forms == {"John": "", "Zoe": "", "Tim": "male"}
    assert reader.read(["John is married to Zoe.", "Zoe sees her sister Ann."]).forms["John"] == "male"


@pytest.mark.parametrize(
    "sentence",
    [
        "[Ann] is [Carl]'s future wife.",
        "[Ann] is [Bea]'s sister and [Carl]'s sister-in-law.",
        "[Ann] is [Bea]'s sister and [Carl]'s sister in law.",
    ],
)
def test_a_sentence_with_kin_beyond_the_labels_is_not_read(reader: FreeReader, sentence: str) -> None:
    assert reader.read([sentence]).facts == [None]
