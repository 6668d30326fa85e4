"""Stories to numbers, against what their text says."""

import re
from dataclasses import replace

import numpy as np
import pytest
import torch
from kin_models import fixed, puzzle, stories_of
from torch import nn

from clutrr._lexicon import World
from clutrr._puzzle import Sentence
from clutrr._table import to_table
from clutrr.errors import DataError
from clutrr.models import Sizes, encode, learn_vocabulary
from clutrr.models.tokens import (
    BYSTANDER,
    NO_TARGET,
    OTHER_FIRST,
    OTHER_SECOND,
    SELF_FIRST,
    SELF_SECOND,
    UNKNOWN,
    numbered,
)

ODD = [
    puzzle("[A] met [B]. [B] and [C] saw [A]! Rain fell. Was [C] [A]'s son?", ("A", "C"), "A,B,C"),
    puzzle("[Paris] is where [Zoe] lives. [Zoe] likes [Paris].", ("Zoe", "Bob"), "Zoe,Bob"),
    puzzle("No one is here.", ("X", "Y"), "X,Y"),
    puzzle("[A] is [B]'s twin; [B] is 3.5 feet tall. [A] [A] [B].", ("B", "A"), "A,B"),
]


def test_sentences_are_those_of_the_column_where_it_has_them(world: World) -> None:
    """A sentence may hold two full stops, or end without one; without the column, punctuation ends it."""
    story = "Dr. [Ann] met [Bob]. He sang - [Bob] left"
    known = replace(
        puzzle(story, ("Ann", "Bob"), "Ann,Bob"),
        sentences=(Sentence(0, 29, ()), Sentence(29, len(story), ())),
    )
    table = to_table([known, puzzle(story, ("Ann", "Bob"), "Ann,Bob")])
    read = numbered(table, learn_vocabulary([table], world))
    assert [[len(sentence) for sentence in one.sentences] for one in read] == [[8, 3], [2, 4, 5]]


def test_stories_without_brackets_read_as_with_them(world: World) -> None:
    """Entities are marked, the longer name first; not within a word."""
    plain, marked = (
        "Ann-Lu met Ann B. Ann is Lu's mother.",
        "Ann-Lu met [Ann B]. [Ann] is [Lu]'s mother.",
    )
    tables = [to_table([puzzle(story, ("Ann", "Lu"), "Ann,Ann B,Lu")]) for story in (plain, marked)]
    vocabulary = learn_vocabulary(tables, world)
    assert numbered(tables[0], vocabulary) == numbered(tables[1], vocabulary)
    with pytest.raises(DataError, match="no story has names"):
        numbered(to_table([puzzle("They sang.", ("Ann", "Lu"), "Ann,Lu")]), vocabulary)


def test_brackets_that_do_not_match_are_named(world: World) -> None:
    with pytest.raises(DataError, match="story 2: its square brackets"):
        learn_vocabulary([to_table([ODD[0], puzzle("[A met [B].", ("A", "B"), "A,B")])], world)


MARKS = {
    SELF_FIRST: "I1",
    OTHER_SECOND: "you2",
    OTHER_FIRST: "you1",
    SELF_SECOND: "I2",
    BYSTANDER: "they",
}


def test_the_graph_is_what_the_sentences_say(world: World) -> None:
    """By hand: what each node reads about each other one, from its own end; values are no nodes."""
    table = to_table(ODD)
    vocabulary = learn_vocabulary([table], world)
    stories = encode(table, vocabulary)
    said = MARKS | dict(zip(vocabulary.numbers(vocabulary.words), vocabulary.words, strict=True))
    found: list[dict[tuple[int, int], set[str]]] = [{} for _ in ODD]
    for (i, node, slot, _), row in np.ndenumerate(stories.graph.sentences.numpy()):
        if row:
            text = " ".join(said[word] for word in stories.graph.shapes[row].tolist() if word)
            found[i].setdefault((node, int(stories.graph.neighbours[i, node, slot])), set()).add(
                text
            )
    assert found == [
        {
            (0, 1): {"I1 met you2 .", "you1 and they saw I2 !"},
            (1, 0): {"you1 met I2 .", "I1 and they saw you2 !"},
            (0, 2): {"they and you1 saw I2 !", "was you1 I2 's son ?"},
            (2, 0): {"they and I1 saw you2 !", "was I1 you2 's son ?"},
            (1, 2): {"I1 and you2 saw they !"},
            (2, 1): {"you1 and I2 saw they !"},
        },
        {},
        {},
        {
            (0, 1): {"I1 is you2 's twin ; you2 is 3 . 5 feet tall .", "I1 I1 you2 ."},
            (1, 0): {"you1 is I2 's twin ; I2 is 3 . 5 feet tall .", "you1 you1 I2 ."},
        },
    ]
    assert stories.query.tolist() == [[0, 2], [0, 1], [0, 1], [1, 0]]
    assert (stories.graph.nodes.tolist(), stories.entities) == ([3, 2, 2, 2], 3)


def test_words_that_were_never_seen_are_counted(world: World) -> None:
    vocabulary = learn_vocabulary([to_table([puzzle("[A] met [B].", ("A", "B"), "A,B")])], world)
    stories = encode(to_table([puzzle("[A] hit [B].", ("A", "B"), "A,B", "boss")]), vocabulary)
    assert (stories.unknown_words, stories.target.tolist()) == (1, [NO_TARGET])
    assert UNKNOWN in stories.tokens[0].tolist()


# What a batch says of every token


def test_mentions_are_those_of_the_text(world):
    """Counted in the text itself, name by name in the order in which they appear."""
    table = stories_of("sound", 3, 40)
    batch = fixed(encode(table, learn_vocabulary([table], world)))
    for row, story in enumerate(table["story"].to_pylist()):
        named = re.findall(r"\[(.+?)\]", story)
        mentions = [m for m in batch.mentions[row].tolist() if m >= 0]
        assert len(mentions) == len(named)
        assert len(set(zip(named, mentions, strict=True))) == len(set(named)) == len(set(mentions))
    assert ((batch.tokens == BYSTANDER) == (batch.mentions >= 0)).all()


def test_embedded_words_are_learnt_and_people_are_fresh(world):
    table = stories_of("sound", 3, 10)
    vocabulary = learn_vocabulary([table], world)
    batch = fixed(encode(table, vocabulary))
    words = nn.Embedding(Sizes.of(vocabulary).words, 5)
    embedded = batch.embed(words)
    assert embedded.shape == (*batch.tokens.shape, 5)
    is_word = batch.mentions < 0
    torch.testing.assert_close(embedded[is_word], words(batch.tokens)[is_word])
    fresh = batch.fresh(batch.stories.entities, 5)
    for row in range(len(batch)):
        people = batch.mentions[row][~is_word[row]]
        torch.testing.assert_close(embedded[row][~is_word[row]], fresh[row][people])
