"""The worlds beside kinship through everything that asks and rewards language models."""

import json

import pytest

from clutrr import generate, load_world
from clutrr._score.replies import AnswerReader
from clutrr.tasks.lm_eval import functions
from solving_server import serving, solved

WORLDS = ("order", "time", "regions", "directions")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.process
@pytest.mark.parametrize("name", WORLDS)
def test_the_commands(name, run, tmp_path):
    data, out = tmp_path / "data", tmp_path / "out.jsonl"
    made = (
        "--world",
        name,
        "--k",
        "2-3",
        "--routes",
        "1-2",
        "--train",
        10,
        "--test",
        6,
        "--distractors",
        1,
    )
    assert run("generate", data, *made)[0] == 0
    with serving(load_world(name)) as (url, _):
        code, printed, errors = run(
            "ask", data, out, "--model", "m", "--base-url", url, "--limit", 4, "--json"
        )
    assert (code, errors, json.loads(printed)["right"]) == (0, "", 4)
    counted = json.loads(run("score", data, out, "--json")[1])
    assert (counted["rows"], counted["right"], counted["questions"]["not_asked"]) == (4, 4, 8)


@pytest.mark.parametrize("name", WORLDS)
def test_frameworks(name, monkeypatch, tmp_path):
    pytest.importorskip("reasoning_gym", reason="needs the extra `rl`")
    pytest.importorskip("inspect_ai", reason="needs the extra `inspect`")
    import reasoning_gym

    import clutrr.tasks.gym
    from clutrr.tasks.inspect_task import kinship

    world = load_world(name)
    fresh = {"world": name, "distractors": 0}
    gym = reasoning_gym.create_dataset(clutrr.tasks.gym.NAME, seed=1, size=4, max_routes=2, **fresh)
    for item in gym:
        assert gym.score_answer(solved(item["question"], world), item) == 1
        assert gym.score_answer(f"not {item['answer']}", item) == 0
    samples = kinship(k="2-3", size=4, routes="1-2", **fresh).dataset
    assert [sample.metadata["k"] for sample in samples] == [2, 3, 2, 3]
    for sample in samples:
        reply = solved(sample.input[0].text, world)
        assert AnswerReader(world).read(reply).value == sample.target
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path))
    for row in functions.load(3, size=3, routes="1-2", **fresh)["test"]:
        assert functions.process(row, [solved(row["text"], world)]) == {
            "acc": 1,
            "read": 1,
            "refused": 0,
        }


def test_questions_of_a_folder_come_evenly_over_k(tmp_path):
    pytest.importorskip("inspect_ai", reason="needs the extra `inspect`")
    from clutrr.tasks.inspect_task import kinship

    generate(out=tmp_path / "data", world="order", k=(2, 3, 4), train=0, test=9)
    samples = kinship(k="2-4", data=str(tmp_path / "data"), size=7).dataset
    assert [sample.metadata["k"] for sample in samples] == [2, 3, 4, 2, 3, 4, 2]
