"""Questions made on the spot."""

import inspect
from itertools import islice
from pathlib import Path

import pytest

from clutrr.errors import ConfigError
from clutrr.generator import Config
from clutrr.generator.folder import Job, generate_folder
from clutrr.prompts import PromptConfig
from clutrr.tasks import Questions
from clutrr.tasks.questions import load_questions


def test_a_question_is_a_pure_function_of_its_number():
    asked = Questions(k=(2, 3), distractors=0, seed=4)
    first = asked.first(6)
    assert [prompt.k for prompt in first] == [2, 3] * 3
    assert Questions(k=(2, 3), distractors=0, seed=4)[5] == first[5]
    assert list(islice(asked, 6)) == first
    assert Questions(k=(2, 3), distractors=0, seed=5)[5] != first[5]


def test_lengths_as_people_write_them():
    assert [Questions(k=k).k for k in (3, "3", "2-4", [2, 5])] == [(3,), (3,), (2, 3, 4), (2, 5)]
    assert Questions(k=3, distractors=0)[0].k == 3
    with pytest.raises(ConfigError, match="k: 'long'"):
        Questions(k="long")


def test_defaults_are_those_of_generate():
    """In Python, Inspect, reasoning-gym and verifiers; only train or test differ."""
    gym, task = pytest.importorskip("clutrr.tasks.gym"), pytest.importorskip("clutrr.tasks.inspect_task")
    config = gym.KinshipConfig()
    assert (Questions.preset, Questions.k, Questions.distractors) == (None, Config.k, Config.distractors)
    assert (config.preset, config.distractors) == (Questions.preset, Questions.distractors)
    assert (config.min_k, config.max_k) == (min(Config.k), max(Config.k))
    assert inspect.signature(task.kinship).parameters["k"].default == "3-6"
    text = (Path(__file__).parents[2] / "environments/clutrr_kinship/clutrr_kinship.py").read_text()
    for name in ("preset", "seed", "distractors", "world"):
        assert f"= Questions.{name}\n" in text


def test_they_are_those_that_generate_writes(tmp_path):
    generate_folder(Job(tmp_path / "data", Config(preset="strict", k=(2, 3), train=0, test=4, seed=9)))
    written = load_questions(tmp_path / "data", (2, 3), 8)
    made = Questions("strict", (2, 3), seed=9).first(8)
    assert sorted(prompt.messages[0]["content"] for prompt in written) == sorted(
        prompt.messages[0]["content"] for prompt in made
    )


def test_examples_of_other_families_even_from_train(tmp_path):
    config = PromptConfig(shots=2)
    for split in ("train", "test"):
        asked = Questions(k=(2,), split=split, distractors=0, prompts=config)
        assert len(asked[0].messages) == len(asked[700].messages) == 5


def test_what_cannot_be():
    with pytest.raises(ConfigError, match="split"):
        Questions(split="dev")
    with pytest.raises(ConfigError, match="preset"):
        Questions(preset="easy")[0]
    with pytest.raises(IndexError):
        Questions()[-1]


def test_lengths_that_a_folder_does_not_have(tmp_path):
    generate_folder(Job(tmp_path / "data", Config(k=(2,), train=0, test=4)))
    with pytest.raises(ConfigError, match="no stories of these lengths"):
        load_questions(tmp_path / "data", (5,), 4)
