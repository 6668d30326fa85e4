"""The reward, as TRL calls it."""

import inspect

import pytest

import clutrr
from clutrr.prompts import PromptConfig
from clutrr.scoring.reward import reward_in
from clutrr.tasks import Questions
from clutrr.world import load_world
from made import reworded
from solving_server import solved

COLUMNS = "prompts completions completion_ids trainer_state answer ask relations id k".split()


@pytest.mark.parametrize("ask", ["which", "yes-no", "choice"])
def test_as_a_trainer_calls_it(ask):
    """With every column of the data, and replies as messages or as text."""
    rows = Questions(k=(2, 3), distractors=0, prompts=PromptConfig(form=ask)).first(12)
    columns = [row.to_dict() for row in rows]
    given = {name: [column.get(name) for column in columns] for name in COLUMNS}
    replies = [solved(row.messages[-1]["content"], load_world()) for row in rows]
    given["completions"] = [[{"role": "assistant", "content": reply}] for reply in replies]
    assert clutrr.reward(**given) == [1.0] * 12
    given["completions"] = replies
    assert clutrr.reward(**given) == [1.0] * 12
    given["completions"] = [reply.rpartition("Answer: ")[2] for reply in replies]  # nothing marked
    assert clutrr.reward(**given) == [0.0] * 12


def test_the_signature_takes_any_column():
    parameters = inspect.signature(clutrr.reward).parameters
    assert "completions" in parameters
    assert parameters["columns"].kind is inspect.Parameter.VAR_KEYWORD
    assert clutrr.reward.__name__ == "reward"


def test_hedging_earns_nothing():
    replies = [
        "Answer: son or daughter",
        "<answer>son</answer><answer>daughter</answer>",
        "Answer: not a son",
        "",
    ]
    assert clutrr.reward(replies, ["son"] * 4) == [0.0] * 4
    denied = ["Answer: not correct", "Answer: isn't true", "Answer: not yes"]
    assert clutrr.reward(denied, ["yes"] * 3, ["yes-no"] * 3, [["son"]] * 3) == [0.0] * 3
    assert clutrr.reward([[{"role": "assistant", "content": None}]], ["son"]) == [0.0]


def test_another_world(world):
    words = {kind.name: tuple(f"{word}o" for word in kind.words) for kind in world.kinds}
    reward = reward_in(reworded(world, words))
    assert reward(completions=["Answer: sono", "Answer: son"], answer=["sono", "sono"]) == [1.0, 0.0]
