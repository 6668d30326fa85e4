"""Streams: any item, in any order and process; true, and apart where train and test should be."""

import json
import os
import pickle
import random
import re
import subprocess
import sys
from itertools import islice

import pytest

import clutrr
from clutrr import load_world
from clutrr._facts import roles
from clutrr._puzzle import CANNOT_BE_TOLD
from clutrr._reading import reader_of
from clutrr.errors import ConfigError

WORLDS = ("kinship", "kinship-v1", "order", "time", "regions", "directions")
FAR = (0, 1, 77, 4095, 4096, 131_072, 131_073, 10**6, 10**9, 2**40 + 3)
_ELSEWHERE = """
import json, sys, clutrr
settings, numbers = json.loads(sys.stdin.read())
stream = clutrr.stream(**settings)
print(json.dumps([repr(stream[number]) for number in numbers]))
"""


@pytest.mark.process
@pytest.mark.parametrize(
    "settings",
    [
        {"preset": "strict", "k": "2-4", "seed": 5},
        {"world": "time", "k": 3, "routes": "1-2", "style": "prose", "brackets": False},
        {"preset": "mixed", "k": [2, 4], "noise": {"disconnected": 1}, "distractors": 1},
    ],
)
def test_an_item_is_the_same_in_any_order_and_process(settings):
    stream = clutrr.stream(**settings)
    numbers = list(FAR)
    found = {number: stream[number] for number in numbers}
    random.Random(0).shuffle(numbers)
    printed = subprocess.run(
        [sys.executable, "-c", _ELSEWHERE],
        input=json.dumps([settings, numbers]),
        env={**os.environ, "PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert json.loads(printed) == [repr(found[number]) for number in numbers]
    again = pickle.loads(pickle.dumps(stream))
    assert (
        list(islice(again, 9)) == [stream[number] for number in range(9)] == list(islice(stream, 9))
    )
    assert clutrr.stream(**{**settings, "seed": 99})[3] != stream[3]


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("style", ["sentences", "prose"])
@pytest.mark.parametrize("noisy", [False, True])
def test_items_say_what_they_should_and_are_proved(world, style, noisy):
    """The story, read back, states the facts; a solver that draws nothing finds the target."""
    if style == "prose" and load_world(world).lexicon.prose is None:
        pytest.skip("has no prose")
    noise = {"supporting": 2, "irrelevant": 1, "disconnected": 1} if noisy else {}
    stream = clutrr.stream("strict", "2-4", world=world, style=style, noise=noise, distractors=2)
    reader = reader_of(stream.world)
    solver = stream.world.theory.solver(stream.world.labels, stream.assume)
    for number in FAR:
        one = stream[number]
        verdict = solver.verdict(one.facts, one.query)
        assert verdict.relations == (one.target,) == one.possible
        assert (verdict.outside, one.outside) == (False, False)
        assert set(reader.read(one.story).facts) == set(one.facts)
        assert len({name for name, _ in one.entities}) == len(one.entities)
        assert roles(one.facts, len(one.pattern)) == one.roles
        assert [one.facts[0].head, one.facts[one.k - 1].tail] == list(one.query)
        stated = [fact for sentence in one.sentences for fact in sentence.facts]
        assert sorted(stated) == list(range(len(one.facts)))
        for start, end, numbers in one.sentences:
            said = one.story[start:end]  # a pronoun may stand for one of the two
            assert all(
                f"[{one.facts[n].tail}]" in said or f"[{one.facts[n].head}]" in said
                for n in numbers
            )
        assert one.sentences[0].start == 0
        assert one.sentences[-1].end == len(one.story)


@pytest.mark.parametrize("world", ["kinship", "time"])
def test_mixed_items_have_several_answers_or_one(world):
    stream = clutrr.stream("mixed", 3, world=world, undetermined=0.5)
    solver = stream.world.theory.solver(stream.world.labels, stream.assume)
    found = [stream[number] for number in range(60)]
    for one in found:
        several = len(solver.verdict(one.facts, one.query).relations) > 1
        assert several == (one.target == CANNOT_BE_TOLD) == (one.abstract == "")
    assert 15 <= sum(one.target == CANNOT_BE_TOLD for one in found) <= 45


def test_lengths_and_routes_take_turns():
    stream = clutrr.stream(world="time", k=(2, 3), routes=(1, 2), distractors=0)
    turns = [(one.k, len(one.routes)) for one in islice(stream, 8)]
    assert turns == [(2, 1), (3, 1), (2, 2), (3, 2)] * 2


def test_orders_of_sentences():
    def numbers(**settings):
        made = islice(clutrr.stream("sound", 4, distractors=1, **settings), 30)
        return [[s.facts[0] if s.facts else None for s in one.sentences] for one in made]

    along = [0, None, None, 1, None, 2, None, 3, None]
    assert all(found == along for found in numbers(order="path"))
    inserted = numbers(order="inserted")
    assert all([n for n in found if n is not None] == [0, 1, 2, 3] for found in inserted)
    assert len({str(found) for found in inserted}) > 20
    first = [found[0] for found in numbers(order="shuffled")]
    assert {0, 1, 2, 3, None} == set(first)
    noisy = numbers(order="path", noise={"disconnected": 2})
    assert all([n for n in found if n in range(4)] == [0, 1, 2, 3] for found in noisy)


def test_train_and_test_stay_apart_however_far():
    apart = ("patterns", "wordings", "names")
    rng = random.Random(3)
    seen = {}
    for split in ("train", "test"):
        stream = clutrr.stream("strict", 3, split=split, disjoint=apart, distractors=1)
        items = [stream[n] for n in [*range(300), *(rng.randrange(10**12) for _ in range(700))]]
        names = {name for one in items for name, _ in one.entities}
        patterns = {one.pattern for one in items}
        wordings = {shape(one, s) for one in items for s in one.sentences}
        seen[split] = names, patterns, wordings, {one.scene for one in items}
    for train, test in zip(*seen.values(), strict=True):
        assert train
        assert test
        assert not train & test


def shape(puzzle, sentence):
    """The wording of a sentence, without its names and values."""
    return re.sub(r"\[.*?\]", "[]", puzzle.story[sentence.start : sentence.end]) + (
        puzzle.facts[sentence.facts[0]].relation if sentence.facts else ""
    )


def test_a_stream_does_not_repeat_itself():
    stream = clutrr.stream("strict", 2, distractors=1)
    stories = {stream[number].story for number in (*range(500), *range(131_072, 131_572))}
    assert len(stories) == 1000


def test_what_cannot_be():
    stream = clutrr.stream(k=2)
    for nowhere in (-1, slice(3, None), slice(-2, 4)):
        with pytest.raises(IndexError):
            stream[nowhere]
    for number in ("x", None, 1.5):
        with pytest.raises(TypeError):
            stream[number]
    assert stream[10**30] == clutrr.stream(k=2)[10**30]
    assert stream[2:7:2] == [stream[2], stream[4], stream[6]]
    for settings, message in (
        ({"split": "dev"}, "split: 'dev'"),
        ({"k": "long"}, "k: 'long'"),
        ({"preset": "easy"}, "preset: 'easy'"),
        ({"routes": 2}, "routes: the questions of theory kinship have one route"),
        ({"noise": {"loud": 1}}, "noise: 'loud'"),
    ):
        with pytest.raises(ConfigError, match=message):
            clutrr.stream(**settings)
    with pytest.raises(TypeError, match="train"):
        clutrr.stream(train=5)


def test_a_world_of_your_own(world):
    """By name, folder or object: the same items."""
    assert clutrr.stream(world=load_world("kinship"), k=2)[5] == clutrr.stream(k=2)[5]
