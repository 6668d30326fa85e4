"""Levels from easy to hard, and what moves between them."""

import json
import math
import random
from itertools import pairwise

import numpy
import pytest

import clutrr
from clutrr.errors import ConfigError
from clutrr.tasks import LEVELS, Controller, Difficulty

SOME = [Difficulty((k,)) for k in (2, 3, 4, 5)]


@pytest.mark.parametrize("name", LEVELS)
def test_every_level_is_a_stream(name):
    point = LEVELS[name]
    found = [clutrr.stream(**point.settings)[number] for number in range(len(point.k))]
    assert tuple(one.k for one in found) == point.k
    for one in found:
        assert one.roles.count("disconnected") == point.noise
        assert (one.roles.count("irrelevant") == point.noise) == (
            not point.undetermined or not point.noise
        )


def test_it_rises_and_falls_at_its_marks():
    controller = Controller(SOME, window=10)
    assert not controller.report([1] * 6 + [0] * 3)
    assert not controller.report([1] * 0 + [0])  # 6 of 10 are not enough
    assert controller.report([1] * 7 + [0] * 3)  # 7 are
    assert controller.level == 1
    assert not controller.report([1] * 3 + [0] * 7)  # back where it came from takes two windows
    assert controller.report([1] * 3 + [0] * 7)
    assert controller.level == 0
    assert not controller.report([0] * 10)  # there is nothing below
    for _ in range(8):
        controller.report([1] * 10)
    assert controller.level == 3  # nor above


def test_scores_of_one_level_do_not_count_for_the_next():
    controller = Controller(SOME, window=4)
    controller.report([1, 1, 1, 1, 1, 1, 1])
    assert controller.level == 1
    assert not controller.report([1])
    assert controller.report([1, 1, 1])


def test_everything_follows_from_the_log():
    """Saved as JSON at any point and restored, it goes on as if nothing had happened."""
    rng = random.Random(2)
    reports = [[rng.random() for _ in range(rng.randrange(9))] for _ in range(300)]
    whole = Controller(SOME, window=16, raise_at=0.55, lower_at=0.45)
    start = Controller(SOME, window=16, raise_at=0.55, lower_at=0.45)
    for number, scores in enumerate(reports):
        if number == 137:
            saved = json.loads(json.dumps(start.log))
            start = Controller(SOME, window=16, raise_at=0.55, lower_at=0.45).replayed(saved)
        assert start.report(scores) == whole.report(scores)
        assert start == whole
    assert len({whole.level, *(Controller(SOME).levels.index(point) for point in SOME)}) == 4


def test_scores_of_any_kind_are_kept_as_numbers():
    controller = Controller(SOME, window=2)
    assert controller.report(numpy.array([1, 1], dtype="float32"))
    controller.report([True, numpy.float64(0.5)])
    assert json.loads(json.dumps(controller.log)) == [[1, 1], [1, 0.5]]
    before = controller.log.copy()
    for wrong in (
        0.5,
        *([score] for score in (None, "1", 2, -0.1, 1e9, math.nan, math.inf, 10**400, [1], {})),
    ):
        for call, given in ((controller.report, wrong), (controller.replayed, [[1, 1], wrong])):
            with pytest.raises(ConfigError, match="scores: expected"):
                call(given)
    assert controller.log == before


@pytest.mark.parametrize(
    "wrong",
    [
        {"levels": []},
        {"levels": ["easy"]},
        {"raise_at": 0.2},
        {"lower_at": -1},
        {"window": 0},
        {"patience": 0},
    ],
)
def test_what_cannot_be(wrong):
    with pytest.raises(ConfigError):
        Controller(**wrong)


def test_it_does_not_swing():
    """Where one level is easy and the next is hard, it does not change at every window."""
    moves = {}
    for patience in (1, 4):
        rng, controller = random.Random(1), Controller(SOME, window=8, patience=patience)
        levels = []
        for _ in range(400):
            controller.report(
                [rng.random() < (0.75, 0.25, 0, 0)[controller.level] for _ in range(8)]
            )
            levels.append(controller.level)
        moves[patience] = sum(one != other for one, other in pairwise(levels))
    assert moves[4] < moves[1] / 2
