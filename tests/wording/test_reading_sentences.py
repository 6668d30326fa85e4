"""Sentences to facts: every template, the common wordings, distractors, and what is not understood."""

import pytest

from clutrr import Fact, load_world
from clutrr._reading import reader_of
from clutrr._reading.readable import unreadable
from clutrr._sentences import cut_sentences, entities_in, sentence_spans, shape_of, unbracketed
from clutrr.theory import WORLDS
from made import reworded

WORLD = load_world()
READER = reader_of(WORLD)


@pytest.mark.parametrize("name", WORLDS)
def test_every_template_alone_and_among_others(name):
    assert not list(unreadable(load_world(name)))


@pytest.mark.parametrize(
    "sentence",
    [
        "[Bob] is a son of [Ann].",
        "[Bob] is the son of [Ann].",
        "[Bob] is [Ann]'s son.",
        "[Ann] has a son called [Bob].",
        "[Ann] has a son named [Bob].",
        "[Ann] has a son who is [Bob].",
        "The son of [Ann] is [Bob].",
        "Bob is Ann's son.",
        "The son of Ann is Bob.",
    ],
)
def test_common_wordings(sentence):
    assert READER.read(sentence).facts == (Fact("Ann", "son", "Bob"),)


def test_kinship_that_the_world_has_no_word_for_is_reported():
    reading = READER.read("[Eve] likes [tea]. [Bob] is a cousin of [Ann].")
    assert reading.in_doubt == ("[Bob] is a cousin of [Ann].",)
    assert not reading.facts


@pytest.mark.parametrize(
    "sentence",
    ["[Ann] and [Bob] got divorced.", "[Ann] loves [Bob]'s sister.", "[Ann] is a mother."],
)
def test_what_says_nothing_of_two_who_are_named(sentence):
    assert not READER.read(f"[Eve] likes [tea]. {sentence}").facts


def test_labels_in_any_case():
    capitals = {kind.name: tuple(word.capitalize() for word in kind.words) for kind in WORLD.kinds}
    reading = reader_of(reworded(WORLD, capitals)).read("[Ann] is a Mother. [Ann] is Glad.")
    assert not reading.facts
    assert reader_of(reworded(WORLD, capitals)).read("[Ann] is [Bob]'s Mother.").facts == (
        Fact("Bob", "Mother", "Ann"),
    )


def test_sentences_and_brackets():
    story = " [Ann] paid 3.50 at [St. Mary's]!  Why? Nobody knows... [Bob] left"
    sentences = cut_sentences(story)
    assert sentences == [
        "[Ann] paid 3.50 at [St. Mary's]!",
        "Why?",
        "Nobody knows...",
        "[Bob] left",
    ]
    assert [story[start:end] for start, end in sentence_spans(story)] == sentences
    assert entities_in(sentences[0]) == ["Ann", "St. Mary's"]
    assert shape_of(sentences[0]) == "[] paid 3.50 at []!"
    assert unbracketed(sentences[0]) == "Ann paid 3.50 at St. Mary's!"
    assert cut_sentences(" \n") == []


def test_full_stops_within_brackets_and_words():
    reading = READER.read(
        "[Ann] works at [St. Mary's]. [Bob] is [Ann]'s son. [Ann] paid 3.50 for it."
    )
    assert reading.facts == (Fact("Ann", "son", "Bob"),)
    assert not reading.unread
