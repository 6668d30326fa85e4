"""Prose is read back to exactly the facts that it states, by the grammar alone."""

import random

import pytest

from clutrr.api import generate, solve
from clutrr.config import ORDERS
from clutrr.puzzle import Fact
from clutrr.wording import Reader
from clutrr.wording.check import Agreement, TextCheck
from clutrr.world import load_world

WORLD = load_world()
NOISE = {"supporting": 3, "irrelevant": 3, "disconnected": 2}


def wrong(reader, puzzle):
    """What is read otherwise than the puzzle says: sentences with their places and facts."""
    reading = reader.read(puzzle.story)
    read = [(s.start, s.end, s.facts) for s in reading.sentences]
    said = [(s.start, s.end, tuple(puzzle.facts[i] for i in s.facts)) for s in puzzle.sentences]
    if read == said and not reading.unread:
        return []
    return [(puzzle.story, [pair for pair in zip(read, said, strict=False) if pair[0] != pair[1]])]


def check(size, seed, brackets):
    reader = Reader(WORLD)
    for i, order in enumerate(ORDERS):
        for k, noise in ((2, {}), (3, NOISE), (5, {})):
            settings = {"style": "prose", "brackets": brackets, "order": order, "distractors": 2 + i}
            for puzzle in generate("described", k=k, size=size, seed=seed, noise=noise, **settings):
                assert wrong(reader, puzzle) == []


@pytest.mark.parametrize("brackets", [True, False])
def test_a_thousand_stories_are_read_back(brackets):
    """Two thousand in all: 9 settings, with brackets and without."""
    check(112, 5, brackets)


@pytest.mark.slow
@pytest.mark.parametrize("brackets", [True, False])
def test_fifty_thousand_stories_are_read_back(brackets):
    check(5556, 11, brackets)


def test_another_world_with_the_same_grammar():
    world = load_world("kinship-v1")
    reader = Reader(world)
    for puzzle in generate("described", k=3, size=150, style="prose", brackets=False, world=world):
        assert wrong(reader, puzzle) == []


@pytest.mark.parametrize("style", ["prose", "sentences"])
def test_the_quick_look_finds_what_the_whole_reading_does(style):
    """`read_whole` gives up at a word that no sentence has: never where the story can be read."""
    puzzles = generate("described", k=3, size=100, seed=3, style=style, noise=NOISE)
    reader, rng = Reader(WORLD), random.Random(8)
    others = [word for puzzle in puzzles for word in puzzle.story.split()] + ["yesterday", "cousin.", "x-y"]
    whole = 0
    for puzzle in puzzles:
        words = puzzle.story.split(" ")
        for changes in (0, 1, 1, 2, 3):
            for _ in range(changes):
                words[rng.randrange(len(words))] = rng.choice(others)
            story = " ".join(words)
            reading = reader.read(story)
            assert (reader.read_whole(story) is None) == bool(reading.unread), story
            whole += not reading.unread
    assert 100 <= whole < 400


def read(story):
    reading = Reader(WORLD).read(story)
    return [tuple(fact) for fact in reading.facts], list(reading.unread)


def test_pronouns_from_one_sentence_to_the_next():
    facts, unread = read("[Ann] loves [pottery]. Her son is [Bob]. She has a son-in-law, [Carl].")
    assert facts == [("Ann", "son", "Bob"), ("Ann", "son-in-law", "Carl")]
    assert unread == []


def test_a_pronoun_that_two_people_can_be_is_not_read():
    facts, unread = read("Ann's daughter is Carol. Her son is Bob.")
    assert facts == [("Ann", "daughter", "Carol")]
    assert unread == ["Her son is Bob."]


def test_a_gender_that_the_sentence_tells_rules_people_out():
    facts, unread = read("Ann's son is Bob. Her mother is Dora.")  # Bob is a son, so she is Ann
    assert facts == [("Ann", "son", "Bob"), ("Ann", "mother", "Dora")]
    assert unread == []
    facts, unread = read("Ann's husband is Bob. His mother is Dora.")
    assert facts == [("Ann", "husband", "Bob"), ("Bob", "mother", "Dora")]


def test_a_pronoun_at_the_beginning_of_a_story_is_nobody():
    assert read("Her son is Bob.") == ([], ["Her son is Bob."])


def test_genders_that_contradict_each_other_are_not_read():
    assert read("Ann's son Bob went to the movies with her sister Carol.")[0] == []


def test_a_word_that_leaves_the_gender_open():
    facts, _ = read("Ann's spouse Bob lost his keys.")
    assert facts == [("Ann", "husband", "Bob")]
    facts, _ = read("Ann's kid Carol lost her keys.")
    assert facts == [("Ann", "daughter", "Carol")]


def test_three_facts_in_a_sentence():
    facts, _ = read("Ann visited her son Bob, whose wife Carol was waiting for her dad Dan.")
    assert facts == [("Ann", "son", "Bob"), ("Bob", "wife", "Carol"), ("Carol", "father", "Dan")]


def test_solve_reads_prose():
    solution = solve("Ann had dinner with her son Bob. His daughter is Eve.", ("Ann", "Eve"))
    assert solution.answer == "granddaughter"


def test_the_check_of_text_against_facts():
    check = TextCheck(WORLD)
    for puzzle in generate("sound", k=3, size=40, style="prose", brackets=False, noise={"irrelevant": 1}):
        assert check.check(puzzle.story, puzzle.facts, puzzle.entities).agreement is Agreement.AGREES
        other = [Fact(f.tail, f.relation, f.head) for f in puzzle.facts]
        assert check.check(puzzle.story, other, puzzle.entities).agreement is Agreement.DISAGREES
