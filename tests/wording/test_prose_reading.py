"""Prose is read back to exactly the facts that it states, by the grammar alone."""

import random

import pytest

from clutrr import generate, load_world
from clutrr._config import ORDERS
from clutrr._puzzle import Fact
from clutrr._reading import reader_of
from clutrr._reading.agreement import Agreement, TextCheck
from clutrr._reading.prose import ProseReader
from clutrr._reading.reader import Reader

WORLD = load_world()
NOISE = {"supporting": 3, "irrelevant": 3, "disconnected": 2}


class Thorough(ProseReader):
    """Reads every sentence, whatever its words."""

    def may_read(self, shape):
        return True


def wrong(reader, puzzle):
    """What is read otherwise than the puzzle says: sentences with their places and facts."""
    reading = reader.read(puzzle.story)
    read = [(s.start, s.end, s.facts) for s in reading.sentences]
    said = [(s.start, s.end, tuple(puzzle.facts[i] for i in s.facts)) for s in puzzle.sentences]
    if read == said and not reading.unread:
        return []
    return [(puzzle.story, [pair for pair in zip(read, said, strict=False) if pair[0] != pair[1]])]


@pytest.mark.parametrize("size", [30, pytest.param(5556, marks=pytest.mark.slow)])
@pytest.mark.parametrize("brackets", [True, False])
def test_stories_are_read_back(size, brackets):
    """9 settings: a few hundred stories, or fifty thousand."""
    reader = reader_of(WORLD)
    for i, order in enumerate(ORDERS):
        for k, noise in ((2, {}), (3, NOISE), (5, {})):
            settings = {
                "style": "prose",
                "brackets": brackets,
                "order": order,
                "distractors": 2 + i,
            }
            for puzzle in generate("described", k=k, size=size, seed=size, noise=noise, **settings):
                assert wrong(reader, puzzle) == []


def test_another_world_with_the_same_grammar():
    world = load_world("kinship-v1")
    reader = reader_of(world)
    for puzzle in generate("described", k=3, size=100, style="prose", brackets=False, world=world):
        assert wrong(reader, puzzle) == []


@pytest.mark.parametrize("style", ["prose", "sentences"])
def test_the_quick_look_finds_what_the_whole_reading_does(style, monkeypatch):
    """A sentence with a word that the grammar does not have is not looked at: never one that can be read."""
    puzzles = generate("described", k=3, size=100, seed=3, style=style, noise=NOISE)
    reader, thorough, rng = reader_of(WORLD), Reader(WORLD), random.Random(8)
    monkeypatch.setattr(thorough, "_prose", Thorough(WORLD, WORLD.lexicon.prose))
    others = [word for puzzle in puzzles for word in puzzle.story.split()] + [
        "yesterday",
        "cousin.",
        "x-y",
    ]
    whole = 0
    for puzzle in puzzles:
        words = puzzle.story.split(" ")
        for changes in (0, 1, 1, 2, 3):
            for _ in range(changes):
                words[rng.randrange(len(words))] = rng.choice(others)
            story = " ".join(words)
            reading = reader.read(story)
            assert thorough.read(story) == reading, story
            whole += not reading.unread
    assert 100 <= whole < 400


@pytest.mark.parametrize(
    ("story", "facts"),
    [
        # Pronouns from one sentence to the next.
        (
            "[Ann] loves [pottery]. Her son is [Bob]. She has a son-in-law, [Carl].",
            "Ann son Bob, Ann son-in-law Carl",
        ),
        # Bob is a son, so she is Ann; and here he is Bob.
        ("Ann's son is Bob. Her mother is Dora.", "Ann son Bob, Ann mother Dora"),
        ("Ann's husband is Bob. His mother is Dora.", "Ann husband Bob, Bob mother Dora"),
        # Words of any gender.
        ("Ann's spouse Bob lost his keys.", "Ann husband Bob"),
        ("Ann's kid Carol lost her keys.", "Ann daughter Carol"),
        # Three facts in a sentence.
        (
            "Ann visited her son Bob, whose wife Carol was waiting for her dad Dan.",
            "Ann son Bob, Bob wife Carol, Carol father Dan",
        ),
    ],
)
def test_pronouns_and_open_words(story, facts):
    reading = reader_of(WORLD).read(story)
    assert (", ".join(map(" ".join, reading.facts)), reading.unread) == (facts, ())


@pytest.mark.parametrize(
    ("before", "unread"),
    [
        ("Ann's daughter is Carol.", "Her son is Bob."),  # she may be either
        ("", "Her son is Bob."),  # nobody
    ],
)
def test_pronouns_that_mean_nobody_for_certain(before, unread):
    reading = reader_of(WORLD).read(f"{before} {unread}".strip())
    assert (len(reading.facts), reading.in_doubt) == (bool(before), (unread,))


def test_the_check_of_text_against_facts():
    check = TextCheck(WORLD)
    for puzzle in generate(
        "sound", k=3, size=40, style="prose", brackets=False, noise={"irrelevant": 1}
    ):
        assert (
            check.check(puzzle.story, puzzle.facts, puzzle.entities).agreement is Agreement.AGREES
        )
        other = [Fact(f.tail, f.relation, f.head) for f in puzzle.facts]
        assert check.check(puzzle.story, other, puzzle.entities).agreement is Agreement.DISAGREES
