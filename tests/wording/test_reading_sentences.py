"""Sentences to facts: every template, the common wordings, distractors, and what is not understood."""

import pytest

from clutrr import Fact, load_world
from clutrr.sentences import cut_sentences, entities_in, sentence_spans, shape_of, unbracketed
from clutrr.wording import StoryReader
from clutrr.wording.reading import unreadable
from clutrr.world import builtin_worlds
from made import reworded

WORLD = load_world()
READER = StoryReader(WORLD)


@pytest.mark.parametrize("name", builtin_worlds())
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


@pytest.mark.parametrize(
    "sentence",
    ["[Bob] is a cousin of [Ann].", "[Ann] and [Bob] got divorced.", "[Ann] loves [Bob]'s sister."],
)
def test_kinship_that_is_not_understood_is_reported(sentence):
    reading = READER.read(f"[Eve] likes [tea]. {sentence}")
    assert reading.unread == (sentence,)
    assert not reading.facts


def test_labels_in_any_case():
    capitals = {kind.name: tuple(word.capitalize() for word in kind.words) for kind in WORLD.kinds}
    reading = StoryReader(reworded(WORLD, capitals)).read("[Ann] is a Mother. [Ann] is Glad.")
    assert reading.unread == ("[Ann] is a Mother.",)
    assert not reading.facts


def test_sentences_and_brackets():
    story = " [Ann] paid 3.50 at [St. Mary's]!  Why? Nobody knows... [Bob] left"
    sentences = cut_sentences(story)
    assert sentences == ["[Ann] paid 3.50 at [St. Mary's]!", "Why?", "Nobody knows...", "[Bob] left"]
    assert [story[start:end] for start, end in sentence_spans(story)] == sentences
    assert entities_in(sentences[0]) == ["Ann", "St. Mary's"]
    assert shape_of(sentences[0]) == "[] paid 3.50 at []!"
    assert unbracketed(sentences[0]) == "Ann paid 3.50 at St. Mary's!"
    assert cut_sentences(" \n") == []


def test_full_stops_within_brackets_and_words():
    reading = READER.read("[Ann] works at [St. Mary's]. [Bob] is [Ann]'s son. [Ann] paid 3.50 for it.")
    assert reading.facts == (Fact("Ann", "son", "Bob"),)
    assert not reading.unread
