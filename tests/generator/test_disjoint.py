"""What train and test do not share: wordings and names."""

import re
from dataclasses import replace

import pytest

from clutrr import load_world
from clutrr._generate import Config, Generator
from clutrr._table import from_table
from clutrr.errors import ConfigError

WORLD = load_world()


def with_lexicon(**changes):
    return replace(WORLD, lexicon=replace(WORLD.lexicon, **changes))


def drawn(config):
    """Some hundred puzzles of each split."""
    generator = Generator(config, WORLD)
    return [
        list(from_table(generator.block(split, 3, 0).slice(0, 600))) for split in ("train", "test")
    ]


def shapes(puzzles):
    return {
        re.sub(r"\[[^\]]*\]", "[]", puzzle.story[s.start : s.end])
        for puzzle in puzzles
        for s in puzzle.sentences
    }


@pytest.mark.parametrize("style", ["sentences", "prose"])
def test_no_sentence_of_one_is_worded_like_one_of_the_other(style):
    config = Config(
        k=(3,), train=3000, test=1000, style=style, disjoint=("wordings",), irrelevant=1
    )
    train, test = map(shapes, drawn(config))
    assert not train & test
    assert min(len(train), len(test)) > 20
    shared = Config(k=(3,), style=style)
    train, test = map(shapes, drawn(shared))
    assert train & test


def test_no_name_is_in_both():
    train, test = drawn(Config(k=(3,), disconnected=1, disjoint=("patterns", "names")))
    train, test = (
        {person.name for puzzle in part for person in puzzle.entities} for part in (train, test)
    )
    assert not train & test
    assert len(train) > 200
    assert len(test) > 200


@pytest.mark.parametrize("style", ["sentences", "prose"])
def test_too_few_wordings(style):
    one = {**WORLD.lexicon.templates, "son": WORLD.lexicon.templates["son"][:1]}
    with pytest.raises(ConfigError, match=r"templates.yaml.*son has one wording only"):
        Generator(Config(k=(3,), style=style, disjoint=("wordings",)), with_lexicon(templates=one))


def test_too_few_sentences_of_prose():
    prose = WORLD.lexicon.prose
    few = {**prose.sentences, 3: prose.sentences[3][:1]}
    world = with_lexicon(prose=replace(prose, sentences=few))
    with pytest.raises(ConfigError, match=r"prose.yaml.*three has one wording only"):
        Generator(Config(k=(3,), style="prose", disjoint=("wordings",)), world)
