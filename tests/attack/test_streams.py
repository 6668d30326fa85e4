"""Trainings on streams that are killed, and what they wrote down when that is spoiled."""

import json
import math
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import clutrr
from clutrr.errors import ConfigError
from clutrr.tasks.difficulty import Controller, Difficulty
from processes import until

pytestmark = [pytest.mark.process, pytest.mark.slow]

BATCHES = 12
# A training that keeps what it needs to go on: a line of scores for each batch of questions.
TRAINING = """
import json, sys, time
from pathlib import Path
import clutrr
from clutrr.tasks.difficulty import Controller, Difficulty

log, pause = Path(sys.argv[1]), float(sys.argv[2])
lines = log.read_text().splitlines(keepends=True) if log.exists() else []
whole = [json.loads(line) for line in lines if line.endswith("\\n")]
log.write_text("".join(json.dumps(line) + "\\n" for line in whole))
controller = Controller([Difficulty((2,)), Difficulty((3,)), Difficulty((4,))], window=4, patience=1)
controller = controller.replayed(line["scores"] for line in whole)
for batch in range(len(whole), int(sys.argv[3])):
    stream = clutrr.stream(**controller.point.settings, seed=5)
    asked = [stream[4 * batch + i] for i in range(4)]
    scores = [float(sum(puzzle.story.encode()) % 3 > 0) for puzzle in asked]
    line = {"level": controller.level, "ids": [puzzle.id for puzzle in asked], "scores": scores}
    controller.report(scores)
    with log.open("a") as file:
        file.write(json.dumps(line) + "\\n")
    time.sleep(pause)
"""


def training(log: Path, pause: float) -> subprocess.Popen:
    env = {**os.environ, "PYTHONPATH": str(Path(clutrr.__file__).parents[1])}
    return subprocess.Popen([sys.executable, "-c", TRAINING, str(log), str(pause), str(BATCHES)], env=env)


def test_a_training_that_is_killed_goes_on_where_it_was(tmp_path):
    assert training(tmp_path / "whole", 0).wait(300) == 0
    for batches in (1, 5):
        log = tmp_path / f"killed-{batches}"
        with training(log, 0.2) as run:
            until(lambda log=log, n=batches: log.exists() and log.read_text().count("\n") >= n, "batches")
            run.send_signal(signal.SIGKILL)
        with log.open("a") as file:
            file.write('{"level": 0, "ids": ["M')  # half a line
        assert training(log, 0).wait(300) == 0
        assert log.read_text() == (tmp_path / "whole").read_text()
    levels = [json.loads(line)["level"] for line in log.read_text().splitlines()]
    assert (len(levels), len(set(levels)) > 1) == (BATCHES, True)


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
