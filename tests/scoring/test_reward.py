"""The reward, as TRL calls it."""

import inspect

import pytest

import clutrr
from clutrr.errors import ConfigError
from clutrr.prompts import PromptConfig
from clutrr.scoring.reward import reward_in
from clutrr.tasks import Questions
from clutrr.world import load_world
from made import reworded
from solving_server import solved

DENIALS = """
not {} | {}? no | {}? No. | {} is not right | {} isn't it | {} - not! | {} (wrong) | {} (incorrect) | {}
(not) | {} (no) | {} is ruled out | hardly {} | {} cannot be | {} is impossible | can't be {} | never {}
| I doubt it is {} | {} is unlikely | no {} | {} - no | {}: false | {}: no | {}:
not correct | it's false that {} | {} would be a mistake | {} doesn't hold | {} is out of the question |
{}, not | {}: not the answer | {} ✗ | {} ❌ | {} does not fit | {} is excluded | {} is eliminated | {}
can be ruled out | {} fails | {} is not the answer | it is not {} | it isn't {} | it ain't {} | not a {}
| definitely not {} | {}, which is wrong | {}, but that is wrong | {}; wrong | {}. Wrong. | {}. That is
not correct. | {}. No, that is wrong. | {} was wrong | {}. This is incorrect | {}, no wait | rule out {}
| exclude {} | the answer is not {} | the opposite of {} | far from {} | {} is a wrong answer | {} NOT |
wrong: {} | incorrect: {} | false: {} | not: {} | {} is refuted | reject {} | deny {} | lack of {} |
nothing like {} | {} seems wrong | no, {} is wrong | {} is invalid | {} is contradicted | {} would
contradict the story | I would say {}, but I am not sure
"""
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


@pytest.mark.parametrize("mark", ["Answer: {}", "<answer>{}</answer>", "\\boxed{{{}}}"])
def test_what_is_denied_earns_nothing(mark):
    """In whatever words, of a relation, of yes, of a letter, and of a sentence."""
    offered = ["son", "father", "wife", "mother"]
    said = {"father": ("which", []), "yes": ("yes-no", ["father"]), "correct": ("yes-no", ["father"])}
    said |= {
        "B": ("choice", offered),
        "father ": ("choice", offered),
        "Dan is the father of Ann": ("which", []),
    }
    for denial in DENIALS.replace("\n", " ").strip().split(" | "):
        for words, (ask, relations) in said.items():
            reply, answer = mark.format(denial.format(words)), "yes" if ask == "yes-no" else "father"
            earned = clutrr.reward([reply], [answer], [ask], [relations], query=[("Ann", "Dan")])
            assert earned == [0.0], reply


def test_another_world(world):
    words = {kind.name: tuple(f"{word}o" for word in kind.words) for kind in world.kinds}
    reward = reward_in(reworded(world, words))
    assert reward(completions=["Answer: sono", "Answer: son"], answer=["sono", "sono"]) == [1.0, 0.0]


@pytest.mark.parametrize("name", ["kinship", "time"])
def test_steps_are_earned_by_reasoning(name):
    """Proofs earn; what reaches an answer without right steps does not, whatever the answer."""
    world = load_world(name)
    rows = Questions("strict", k=(3,), distractors=0, world=name).first(6)
    columns = [row.to_dict() for row in rows]
    given = {name: [column.get(name) for column in columns] for name in (*COLUMNS, "query", "facts")}
    del given["completions"]
    steps, both = reward_in(world, parts=("steps",)), reward_in(world, parts=("answer", "steps"))
    said = [[world.say(*fact) for fact in row.facts] for row in rows]
    ends = [world.say(row.query[0], row.answer, row.query[1]) for row in rows]
    marked = [f"Answer: {row.answer}" for row in rows]
    proofs = [solved(row.messages[-1]["content"], world) for row in rows]
    assert steps(completions=proofs, **given) == both(completions=proofs, **given) == [1.0] * 6
    each = list(zip([". ".join(facts) for facts in said], ends, rows, strict=True))
    about = "The relation of {0.query[1]} to {0.query[0]} is"
    cheats = {
        "nothing claimed": marked,
        "the end alone": [f"{end}. {mark}" for end, mark in zip(ends, marked, strict=True)],
        "the facts alone": [f"{facts}. Answer: {row.answer}" for facts, _, row in each],
        "one fact again and again": [
            f"{facts[0]}. " * 9 + end for facts, end in zip(said, ends, strict=True)
        ],
        "hedged": [f"{facts}. {about.format(row)[:-2]}can be {row.answer}" for facts, _, row in each],
        "every relation": [
            f"{facts}. {about.format(row)} {', '.join(world.relations)}" for facts, _, row in each
        ],
        "a wrong step": [
            f"{facts}. {world.say(row.query[0], row.answer, row.query[0])}. {end}" for facts, end, row in each
        ],
        "if": [f"If {facts.replace('. ', ' and ')}, then {end}" for facts, end, _ in each],
    }
    for replies in cheats.values():
        assert not any(steps(completions=replies, **given)), replies[0]


def test_parts_are_checked():
    with pytest.raises(ConfigError, match="parts: 'length' is not one of answer, steps"):
        reward_in(load_world(), parts=("length",))
    with pytest.raises(ConfigError, match="query and facts are missing"):
        reward_in(load_world(), parts=("steps",))(completions=["son"], answer=["son"])
