"""Stories to numbers, against what their text says."""

import re
from dataclasses import replace

import numpy as np
import pytest
import torch
from kin_models import fixed, puzzle, stories_of
from torch import nn

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
    Vocabulary,
    numbered,
)
from clutrr.puzzle import Puzzle, Sentence
from clutrr.table import from_table, to_table
from clutrr.world import World

ODD = [
    puzzle("[A] met [B]. [B] and [C] saw [A]! Rain fell. Was [C] [A]'s son?", ("A", "C"), "A,B,C"),
    puzzle("[Paris] is where [Zoe] lives. [Zoe] likes [Paris].", ("Zoe", "Bob"), "Zoe,Bob"),
    puzzle("No one is here.", ("X", "Y"), "X,Y"),
    puzzle("[A] is [B]'s twin; [B] is 3.5 feet tall. [A] [A] [B].", ("B", "A"), "A,B"),
]


def slow_sentences(story: str) -> list[list[str]]:
    """Sentences of tokens; an entity is a token in brackets."""
    sentences: list[list[str]] = [[]]
    for match in re.finditer(r"\[([^\]]*)\]|'s\b|\w+(?:[-']\w+)*|[^\w\s]", story):
        sentences[-1].append(match[0] if match[1] is not None else match[0].lower())
        behind = story[match.end() : match.end() + 1]
        if match[0] in ".!?" and (not behind or behind.isspace()):
            sentences.append([])
    return [sentence for sentence in sentences if sentence]


def slow_numbers(told: Puzzle) -> dict[str, int]:
    """The numbers of a story's entities: people first."""
    named = {*told.query, *(person.name for person in told.entities)}
    mentioned = list(dict.fromkeys(re.findall(r"\[([^\]]*)\]", told.story)))
    mentioned += [name for name in dict.fromkeys(told.query) if name not in mentioned]
    people = [name for name in mentioned if name in named]
    return {name: i for i, name in enumerate(people + [name for name in mentioned if name not in named])}


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


def test_brackets_that_do_not_match_are_named(world: World) -> None:
    with pytest.raises(DataError, match="story 2: its square brackets"):
        learn_vocabulary([to_table([ODD[0], puzzle("[A met [B].", ("A", "B"), "A,B")])], world)


def slow_graph(one: Puzzle, vocabulary: Vocabulary) -> dict[tuple[int, int], list[list[int]]]:
    """The sentences that each node sees about each neighbour, marked."""
    numbers = slow_numbers(one)
    people = {*one.query, *(person.name for person in one.entities)}
    nodes = {name for name in numbers if name in people}
    graph: dict[tuple[int, int], list[list[int]]] = {}
    for sentence in slow_sentences(one.story):
        order = list(
            dict.fromkeys(token[1:-1] for token in sentence if token[1:-1] in nodes and "[" in token)
        )
        for i, first in enumerate(order):
            for second in order[i + 1 :]:
                for me, you in ((first, second), (second, first)):
                    mine, yours = (SELF_FIRST, OTHER_SECOND) if me == first else (SELF_SECOND, OTHER_FIRST)
                    row = [
                        mine
                        if token == f"[{me}]"
                        else yours
                        if token == f"[{you}]"
                        else BYSTANDER
                        if token.startswith("[")
                        else vocabulary.numbers([token])[0]
                        for token in sentence
                    ]
                    graph.setdefault((numbers[me], numbers[you]), []).append(row)
    return graph


@pytest.mark.parametrize("preset", ["published", "described", "sound", "odd"])
def test_the_graph_is_what_the_sentences_say(preset: str, world: World) -> None:
    table = to_table(ODD) if preset == "odd" else stories_of(preset, 3, 40, distractors=3)
    vocabulary = learn_vocabulary([table], world)
    stories = encode(table, vocabulary)
    for i, one in enumerate(from_table(table)):
        numbers = slow_numbers(one)
        assert stories.query[i].tolist() == [numbers[name] for name in one.query]
        found: dict[tuple[int, int], list[list[int]]] = {}
        for (node, slot), _ in np.ndenumerate(np.zeros(stories.graph.neighbours.shape[1:3])):
            for row in stories.graph.sentences[i, node, slot].tolist():
                if row:
                    words = [word for word in stories.graph.shapes[row].tolist() if word]
                    found.setdefault((node, int(stories.graph.neighbours[i, node, slot])), []).append(words)
        wanted = slow_graph(one, vocabulary)
        assert {k: sorted(v) for k, v in found.items()} == {k: sorted(v) for k, v in wanted.items()}


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
