"""What is no score of a training on a stream, and no number of an item."""

import math

import pytest

import clutrr
from clutrr.errors import ConfigError
from clutrr.tasks.difficulty import Controller, Difficulty


@pytest.mark.parametrize("score", ["1", None, math.nan, math.inf, -0.1, 1e9, [1], {}])
def test_what_is_no_score(score):
    controller = Controller([Difficulty((2,)), Difficulty((3,))], window=2)
    with pytest.raises(ConfigError, match="scores: expected numbers from 0 to 1"):
        controller.replayed([[1, 1], [1, score]])
    with pytest.raises(ConfigError):
        controller.report([score])
    assert (controller.level, controller.log) == (0, [])


@pytest.mark.parametrize("number", [-1, 10**30, "x", None, 1.5])
def test_numbers_of_items(number):
    """Any number from 0 on is one, however large; nothing else is."""
    stream = clutrr.stream(k=2, seed=1)
    if number == 10**30:
        assert stream[number] == clutrr.stream(k=2, seed=1)[number]
    else:
        with pytest.raises((IndexError, TypeError)):
            stream[number]
