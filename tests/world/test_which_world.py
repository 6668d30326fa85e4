"""The world of data that names none: one rule, wherever data comes in, and why it is that one."""

from dataclasses import replace
from importlib import resources

import pytest

import clutrr
from clutrr._data import open_dataset
from clutrr._worlds import infer_world
from clutrr.errors import ClutrrError, ConfigError
from clutrr.theory import WORLDS, theory_names
from clutrr.theory.registry import RECOGNISED, THEORIES
from commands import refused, run, told

WITH_OWN_WORDS = ("kinship", "order", "time", "regions", "directions")


def some(world: str, **settings) -> clutrr.Puzzle:
    return clutrr.generate("strict", 2, 1, world=world, distractors=0, **settings)[0]


# The registry


def test_the_registry_has_every_world_and_theory():
    folders = resources.files("clutrr") / "_lexicon" / "worlds"
    there = {one.name for one in folders.iterdir() if (one / "relations.yaml").is_file()}
    assert set(WORLDS) == there
    assert set(theory_names()) >= set(THEORIES)
    assert {clutrr.load_world(name).theory.name for name in WORLDS} == set(THEORIES)


def test_no_relation_is_of_two_theories():
    """Or the first world that has all relations of data would not be the only one."""
    of: dict[str, str] = {}
    for name in WORLDS:
        world = clutrr.load_world(name)
        for relation in world.relations:
            assert of.setdefault(relation, world.theory.name) == world.theory.name


# The rule


def test_a_world_is_told_by_its_relations():
    for name in RECOGNISED:
        relations = clutrr.load_world(name).relations
        found = infer_world(relations)
        assert found.world.name == name
        assert found.reason == f"{len(relations)} of {len(relations)} relations are its own"
    assert infer_world(["son", "cannot be told", "boss"]).reason == "1 of 2 relations are its own"


def test_of_kinship_the_smallest_world_that_will_do():
    assert infer_world(["son"]).world.name == "kinship"
    assert infer_world(["son", "aunt"]).world.name == "kinship-v1"


@pytest.mark.parametrize("name", WITH_OWN_WORDS)
def test_or_else_by_a_story(name):
    found = infer_world(story=some(name).story)
    assert (found.world.name, found.reason) == (
        name,
        "2 of 2 sentences about relations are read",
    )


@pytest.mark.parametrize(
    ("relations", "story", "message"),
    [
        ((), "", "nothing tells it"),
        (("cannot be told",), "", "nothing tells it"),
        (("boss", "rival"), "", "no built-in world has the relations 'boss', 'rival'"),
        ((), "It rains.", "no built-in world reads a sentence of the story"),
        (("son", "before"), "", r"it could be kinship \(1 of 2 relations are its own\) or time"),
    ],
)
def test_where_nothing_tells_it_has_to_be_named(relations, story, message):
    with pytest.raises(ConfigError, match=f"^world: {message}.*; name it$"):
        infer_world(relations, story)


# Everybody who needs it


@pytest.mark.parametrize("name", WITH_OWN_WORDS)
def test_verify(name):
    """By the facts; without them by the answer; without that by the story, which is read then."""
    puzzle = some(name)
    bare = replace(puzzle, facts=(), pattern=(), possible=None)
    for one in (puzzle, bare, replace(bare, target="cannot be told")):
        found = clutrr.verify(puzzle.story, one)
        assert found.right
        assert len(found.claims) == 2
    with pytest.raises(ClutrrError, match="name it"):
        clutrr.verify(puzzle.story, replace(bare, target="boss", story="It rains."))


@pytest.mark.parametrize("name", WITH_OWN_WORDS)
def test_reward(name):
    puzzle = some(name)
    reply, facts = f"Answer: {puzzle.target}", [[list(fact) for fact in puzzle.facts]]
    assert clutrr.reward([reply, "Answer: boss"], [puzzle.target] * 2) == [1, 0]
    columns = {"query": [puzzle.query], "facts": facts}
    assert clutrr.reward([reply], ["cannot be told"], **columns) == [0]
    assert clutrr.reward([reply], [puzzle.target], world=[None]) == [1]
    assert clutrr.reward(["Answer: yes"], ["yes"], ["yes-no"], [[puzzle.target]]) == [1]
    assert clutrr.reward(["Answer: aunt or son"], ["son"]) == [0]
    with pytest.raises(ClutrrError, match="name it"):
        clutrr.reward([reply], ["boss"])


@pytest.mark.parametrize("name", WITH_OWN_WORDS)
def test_a_data_set(name, tmp_path):
    puzzles = list(clutrr.generate("strict", 2, 20, world=name, distractors=0))
    clutrr.write(puzzles, tmp_path / "mine.jsonl")
    found = open_dataset(tmp_path / "mine.jsonl")
    assert found.world.name == clutrr.audit(puzzles).world.split()[1] == name
    number = found.origin.split()[0]
    assert found.origin == f"{number} of {number} relations are its own"
    assert told("info", tmp_path / "mine.jsonl")["world"] == f"world {name} ({found.origin})"


def test_a_data_set_of_no_world(tmp_path):
    strange = replace(some("time"), target="boss", facts=(), pattern=(), possible=None)
    with pytest.raises(ClutrrError, match=r"has the relations 'boss'; name it"):
        clutrr.write([strange], tmp_path / "strange.jsonl")


@pytest.mark.parametrize("name", WITH_OWN_WORDS)
def test_rows_of_your_own(name):
    puzzle = some(name)
    row = {"text": puzzle.story, "question": puzzle.question, "answer": puzzle.target}
    assert clutrr.read([row]).world.name == name
    assert clutrr.puzzle(puzzle.story, puzzle.query, puzzle.target).facts == puzzle.facts
    with pytest.raises(ClutrrError, match=f"'boss' is no relation of world {name} "):
        clutrr.read([row | {"answer": "boss"}])  # which the story tells
    assert clutrr.read([row | {"answer": "cannot be told"}]).world.name == name


def test_rows_in_other_words_for_the_relations():
    row = {"text": "B is to the left of A.", "question": "What is B to A?", "answer": "left"}
    found = clutrr.read([row])
    assert (found.world.name, found[0].target) == ("directions", "west of")


@pytest.mark.parametrize("name", WITH_OWN_WORDS)
def test_solve(name):
    puzzle = some(name)
    found = clutrr.solve(puzzle.story, puzzle.query)
    assert (found.world.name, found.answer) == (name, puzzle.target)
    printed = run("solve", "--story", puzzle.story, "--query", *puzzle.query)
    assert printed == f"{found}\n"


def test_solve_a_story_of_no_world():
    said = refused("solve", "--story", "It rains.", "--query", "Ann", "Bob")
    assert "no built-in world reads a sentence of the story; name it" in said
