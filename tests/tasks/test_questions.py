"""Questions of a stream as rows of every library, and of a folder."""

import ast
import inspect
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

import clutrr
from clutrr import load_world
from clutrr._config import Config, PromptConfig
from clutrr._generate.folder import Job, generate_folder
from clutrr._measure import written
from clutrr.errors import ConfigError
from clutrr.tasks import Questions
from clutrr.tasks.questions import load_questions


def stream(**settings):
    return clutrr.stream(**{"preset": "strict", "k": (2, 3), "distractors": 0, **settings})


def test_question_i_is_item_i():
    items = stream(seed=4)
    asked = Questions(items, form="choice")
    first = list(islice(asked, 6))
    assert [prompt.id for prompt in first] == [items[i].id for i in range(6)]
    assert [asked[i] for i in range(6)] == first
    assert first[5] != Questions(stream(seed=5), form="choice")[5]


def test_defaults_are_the_same_everywhere():
    """Those of `Config`, in Python, Inspect, reasoning-gym and verifiers; only train or test differ."""
    gym, task = (
        pytest.importorskip("clutrr.tasks.gym"),
        pytest.importorskip("clutrr.tasks.inspect_task"),
    )
    own = inspect.signature(clutrr.stream).parameters
    for name in ("preset", "k", "seed"):
        assert own[name].default == getattr(Config, name)
    config = gym.StreamConfig()
    assert (config.preset, config.distractors, config.style) == (
        None,
        Config.distractors,
        Config.style,
    )
    assert (config.min_k, config.max_k) == (min(Config.k), max(Config.k))
    assert inspect.signature(task.kinship).parameters["k"].default is None
    assert {prompt.k for prompt in load_questions(size=8, distractors=0)} == set(Config.k)
    file = Path(__file__).parents[2] / "environments/clutrr_kinship/clutrr_kinship.py"
    written_there = {
        one.target.id: ast.literal_eval(one.value)
        for one in ast.walk(ast.parse(file.read_text()))
        if isinstance(one, ast.AnnAssign) and isinstance(one.value, ast.Constant)
    }
    for name in ("preset", "seed", "distractors", "style"):
        assert written_there[name] == getattr(Config, name)
    for name in ("k", "routes"):
        assert written_there[name] == written(getattr(Config, name))
    for name in ("form", "direct", "shots"):
        assert written_there[name] == getattr(PromptConfig, name)


def test_examples_of_other_scenes_even_from_train():
    for split in ("train", "test"):
        asked = Questions(stream(k=2, split=split), shots=2)
        assert len(asked[0].messages) == len(asked[700].messages) == 5
        assert asked[1].messages[0]["content"] != asked[1].messages[-1]["content"]


def test_rows_have_what_the_reward_needs():
    asked = Questions(stream(world="time"))
    rows = [asked.row(number) for number in range(4)]
    replies = [[{"role": "assistant", "content": f"Answer: {row['answer']}"}] for row in rows]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    assert clutrr.reward(completions=replies, parts=("answer", "abstain"), **columns) == [1.0] * 4
    assert columns["world"] == ["time"] * 4
    assert "world" not in Questions(stream(world=renamed(load_world("time")))).row(0)


def renamed(world):
    from dataclasses import replace

    return replace(world, name="mine")


def test_hugging_face_shards_and_resumes():
    pytest.importorskip("datasets", reason="needs the extra `hf`")
    from datasets.distributed import split_dataset_by_node

    items = Questions(stream())
    data = items.to_hf()
    want = [items.row(number) for number in range(20)]
    walk = iter(data)
    assert [row["id"] for row in islice(walk, 16)] == [row["id"] for row in want[:16]]
    state = data.state_dict()
    later = items.to_hf()
    later.load_state_dict(state)
    assert list(islice(later, 3)) == list(islice(walk, 3)) == want[16:19]
    halves = [
        {row["id"] for row in islice(split_dataset_by_node(items.to_hf(), rank, 2), 60)}
        for rank in (0, 1)
    ]
    assert len(halves[0]) == len(halves[1]) == 60
    assert not halves[0] & halves[1]
    assert items.to_hf(3).to_list() == want[:3]


def test_what_cannot_be():
    for wrong in ({"size": 0}, {"size": -3}):
        with pytest.raises(ConfigError, match="size"):
            Questions(stream()).to_hf(**wrong)
    with pytest.raises(ConfigError, match="noise: 2 is not a setting"):
        clutrr.stream(noise=2)
    with pytest.raises(TypeError):
        Questions(stream(), loud=True)
    with pytest.raises(ConfigError, match="form"):
        Questions(stream(), form="riddle")
    assert Questions(stream(), direct=True).config == PromptConfig(direct=True)


def test_questions_of_a_folder_or_fresh(tmp_path):
    generate_folder(Job(tmp_path / "data", Config(k=(2,), train=0, test=4)))
    assert len(load_questions(tmp_path / "data", (2,), 9)) == 4
    with pytest.raises(ConfigError, match="no stories of these lengths"):
        load_questions(tmp_path / "data", (5,), 4)
    fresh = load_questions(None, (2, 3), 4, style="prose", omit="relations", preset="strict")
    assert [prompt.k for prompt in fresh] == [2, 3, 2, 3]


def test_all_questions_of_data_count_unless_some_are_named(tmp_path):
    """Defaults of generated stories, such as 3 to 6 facts and 500 questions, are none for data."""
    folder = tmp_path / "data"
    generate_folder(Job(folder, Config(k=(2, 3, 7), train=0, test=220, distractors=0)))
    assert Counter(one.k for one in load_questions(folder)) == {2: 220, 3: 220, 7: 220}
    assert Counter(one.k for one in load_questions(folder, "3,7", 9)) == {3: 5, 7: 4}
    with pytest.raises(ConfigError, match="preset: is a setting of generated stories"):
        load_questions(folder, preset="strict")


def test_slices_are_the_items():
    items = Questions(stream())
    assert items[3:6] == [items[3], items[4], items[5]]
    with pytest.raises(IndexError, match="needs an end"):
        items[3:]
