"""Worked examples in prompts: right step by step, as a person would write them, the answer last."""

import re

import pytest

import clutrr

WORLDS = ("kinship", "order", "time", "regions", "directions")


def shown(world, preset="strict", k=3):
    """The worked examples of a prompt, as question and solution, with their puzzles."""
    puzzles = clutrr.generate(
        preset=preset, k=k, size=30, world=world, distractors=0, split=("train", "test")
    )
    prompt = next(iter(clutrr.prompts(puzzles, shots=3)))
    turns = [message["content"] for message in prompt.messages[:-1]]
    by_story = {re.sub(r"[\[\]]", "", one.story): one for one in puzzles}
    for asked, solved in zip(turns[::2], turns[1::2], strict=True):
        story = asked.split("Story: ")[1].split("\n\n")[0]
        yield by_story[story], solved


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("k", [2, 4])
def test_every_step_is_right_and_the_answer_comes_last(world, k):
    for puzzle, solved in shown(world, k=k):
        judged = clutrr.verify(
            solved, puzzle, world=world, assume="open" if world == "kinship" else None
        )
        assert judged.claims
        assert judged.right, (solved, str(judged))
        *steps, last = solved.split("\n")
        assert last == f"Answer: {puzzle.target}"
        final = clutrr.verify(steps[-1], puzzle, world=world).claims[-1]
        assert {final.head, final.tail} == {*puzzle.query}
        assert judged.progress >= 1


@pytest.mark.parametrize("world", WORLDS)
def test_nothing_is_said_that_only_a_solver_says(world):
    for _, solved in shown(world):
        assert not re.search(
            r"entailed|Assumed|possible|label set|; so of|^; ", solved, re.MULTILINE
        )
        assert len(solved.split("\n")) <= 5


def test_each_step_names_one_relation_where_some_example_has_such_steps():
    puzzles = [puzzle for puzzle, _ in shown("kinship", preset="sound", k=4)]
    solutions = [solved for _, solved in shown("kinship", preset="sound", k=4)]
    assert len(puzzles) == 3
    assert all(" or " not in solved for solved in solutions)


def test_what_cannot_be_told_lists_what_it_can_be():
    found = [
        solved for puzzle, solved in shown("kinship", "mixed") if puzzle.target == "cannot be told"
    ]
    assert found
    for solved in found:
        assert re.fullmatch(r"\w+ can be \w+'s .+ or .+\.\nAnswer: cannot be told", solved)


def test_in_the_language_of_the_story():
    puzzles = clutrr.generate(
        preset="strict", k=3, size=20, world="kinship-de", distractors=0, split=("train", "test")
    )
    prompt = next(iter(clutrr.prompts(puzzles, shots=1)))
    solved = prompt.messages[1]["content"]
    assert "also gilt: " in solved
    assert solved.split("\n")[-1].startswith("Antwort: ")
