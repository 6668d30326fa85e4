"""Puzzles as messages: what is told, what is not, and that every answer key follows from the words."""

import json
import re
from collections import Counter
from dataclasses import replace
from itertools import product

import pytest

import clutrr
from clutrr import load_world
from clutrr._ask.prompt_text import PROMPT_VERSION
from clutrr._ask.prompter import Prompter, prompter_for, prompts_of
from clutrr._config import PromptConfig
from clutrr._data import open_dataset
from clutrr._generate import Config
from clutrr._generate.folder import Job, generate_folder
from clutrr._puzzle import CANNOT_BE_TOLD
from clutrr._score.replies import AnswerReader
from clutrr._sentences import unbracketed
from clutrr.errors import ConfigError, DataError
from clutrr.theory import WORLDS
from commands import refused, run
from made import made, reworded
from solving_server import Mind


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    out = tmp_path_factory.mktemp("prompts") / "data"
    generate_folder(Job(out, Config(k=(2, 3), train=200, test=60, distractors=1, seed=5)))
    return out


def prompts(data, limit=None, split="test", **config):
    opened = open_dataset(data)
    return list(prompts_of(opened, prompter_for(opened, PromptConfig(**config)), split, limit))


def told(prompt):
    return prompt.messages[-1]["content"]


def test_the_story_without_brackets_and_the_question_in_plain_words(data):
    puzzles = {puzzle.id: puzzle for puzzle in open_dataset(data).puzzles()}
    for prompt in prompts(data):
        puzzle = puzzles[prompt.id]
        first, second = puzzle.query
        (message,) = prompt.messages
        assert message["role"] == "user"
        assert not set("[]{}") & set(message["content"])
        assert puzzle.story.replace("[", "").replace("]", "") in message["content"]
        assert f"What is {second} to {first}?" in message["content"]
        assert prompt.answer == prompt.target == puzzle.target


def test_what_can_be_turned_off(data, world):
    whole = prompts(data, 1)[0]
    bare = Prompter(world, "open", PromptConfig(omit=("relations", "assumptions"))).prompt(
        clutrr.generate("strict", k=2, size=1)[0]
    )
    assert ", ".join(world.relations) in told(whole)
    assert "Take this for granted" in told(whole)
    assert "two brothers never marry two sisters" in told(whole)
    assert "daughter-in-law or son-in-law: spouse of a child" in told(whole)
    for relation in ("mother-in-law", "granted"):
        assert relation not in told(bare).split("Story:")[0]


def test_examples_are_of_other_families_of_train_and_right(data, world):
    puzzles = {unbracketed(puzzle.story): puzzle for puzzle in open_dataset(data).puzzles()}
    reader = AnswerReader(world)
    for split in ("test", "train"):
        for prompt in prompts(data, split=split, shots=3)[::9]:
            assert [message["role"] for message in prompt.messages] == ["user", "assistant"] * 3 + [
                "user"
            ]
            stories = [
                puzzles[m["content"].split("Story: ")[1].split("\n\n")[0]]
                for m in prompt.messages
                if m["role"] == "user"
            ]
            *shown, asked = stories
            assert asked.id == prompt.id
            assert all("train" in shot.id for shot in shown)
            assert asked.scene not in {shot.scene for shot in shown}
            assert len({shot.target for shot in shown}) == 3
            for shot, message in zip(shown, prompt.messages[1::2], strict=True):
                found = reader.read(message["content"])
                assert found.committed
                assert found.value == shot.target
                assert (
                    f"so {shot.query[1]} is {shot.query[0]}'s {shot.target}" in message["content"]
                )


def test_examples_answer_as_they_are_asked_to(data):
    for message in prompts(data, 1, shots=3, direct=True, form="choice")[0].messages[1:-1:2]:
        assert re.fullmatch(r"Answer: [A-D]", message["content"])


def test_no_example_that_is_not_proved(world):
    puzzles = clutrr.generate(preset="described", k=4, size=40, seed=1)
    solver = world.theory.solver(world.labels, "tree")
    shots = Prompter(world, "tree", PromptConfig(shots=5), examples=puzzles).shots
    assert len(shots) >= 5
    for puzzle, _ in shots:
        assert solver.verdict(puzzle.facts, puzzle.query).relations == (puzzle.target,)


def test_yes_and_no_are_even_and_the_form_does_not_tell(data, world):
    asked = prompts(data, form="yes-no")
    answers = Counter(prompt.answer for prompt in asked)
    assert set(answers) == {"yes", "no"}
    assert 35 < answers["yes"] < 85
    for prompt in asked:
        (relation,) = prompt.asked.relations
        assert (relation == prompt.target) is (prompt.answer == "yes")
        assert world.meaning[relation][1] == world.meaning[prompt.target][1]
        assert f"the {relation} of" in told(prompt)


def test_choices_hold_the_answer_anywhere(data, world):
    places = Counter()
    for prompt in prompts(data, form="choice"):
        assert len(set(prompt.asked.relations)) == 4
        places[prompt.asked.relations.index(prompt.target)] += 1
        assert len({world.meaning[relation][1] for relation in prompt.asked.relations}) == 1
    assert set(places) == {0, 1, 2, 3}
    assert max(places.values()) < 60


def test_cannot_be_told(tmp_path, world):
    out = tmp_path / "data"
    generate_folder(Job(out, Config(preset="mixed", k=(2, 3), train=20, test=60, distractors=0)))
    asked = prompts(out)
    assert {prompt.answer == CANNOT_BE_TOLD for prompt in asked} == {True, False}
    assert all('the answer is "cannot be told"' in told(prompt) for prompt in asked)
    assert all("two brothers" not in told(prompt) for prompt in asked)
    assert {prompt.answer for prompt in prompts(out, form="yes-no")} == {
        "yes",
        "no",
        CANNOT_BE_TOLD,
    }
    for prompt in prompts(out, form="choice"):
        assert prompt.asked.relations[-1] == CANNOT_BE_TOLD
        assert prompt.answer in prompt.asked.relations


def test_a_limit_is_spread_over_the_subsets(data):
    assert Counter(prompt.subset for prompt in prompts(data, 7)) == {"M2": 4, "M3": 3}
    ids = [{prompt.id for prompt in prompts(data, limit)} for limit in (1, 7, 50, 1000)]
    assert [len(found) for found in ids] == [1, 7, 50, 120]
    assert ids[0] < ids[1] < ids[2] < ids[3]


def test_the_command(data):
    printed = run("prompts", data, "--shots", 1, "--direct", "--limit", 3)
    rows = [json.loads(line) for line in printed.splitlines()]
    assert len(rows) == 3
    assert {"id", "k", "messages", "answer", "prompt_version"} <= set(rows[0])
    assert rows[0]["prompt_version"] == PROMPT_VERSION


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--form", "why"], "form: 'why' is not one of which, yes-no, choice"),
        (["--shots", "-1"], "shots: -1 is below 0"),
        (["--omit", "story"], "omit: 'story' is not one of relations, assumptions"),
        (["--omit", "assumptions"], "omit: assumptions: the answers rest on `tree`"),
        (
            ["--omit", "relations"],
            "omit: relations: some answers hold only if one of the relations does",
        ),
        (["--limit", "0"], "limit: 0 is below 1"),
        (["--split", "dev"], "no dev stories"),
    ],
)
def test_bad_options(data, arguments, message):
    assert message in refused("prompts", data, *arguments)


def test_what_cannot_be_asked(tmp_path, world):
    puzzle = clutrr.generate(k=2, size=1)[0]
    with pytest.raises(DataError, match="use form='which'"):
        Prompter(world, "open", PromptConfig(form="choice"), undetermined=True).prompt(
            replace(puzzle, target=CANNOT_BE_TOLD, possible=None, facts=())
        )
    with pytest.raises(ConfigError, match="too few examples of other scenes"):
        Prompter(world, "tree", PromptConfig(shots=1), examples=[puzzle]).prompt(puzzle)
    generate_folder(Job(tmp_path / "data", Config(k=(2,), train=0, test=5)))
    with pytest.raises(DataError, match="no train stories"):
        prompts(tmp_path / "data", shots=1)
    german = reworded(world, world.lexicon.words, "de")
    assert 'The story is in the language "de".' in told(Prompter(german, "open").prompt(puzzle))


ENGLISH = tuple(name for name in WORLDS if load_world(name).lexicon.language == "en")
CASES = [(world, preset.name) for world in ENGLISH for preset in load_world(world).theory.presets]
FORMS = ("which", "yes-no", "choice")
OMITTED = ((), ("relations",), ("assumptions",), ("relations", "assumptions"))
# Where a prompt has to state more than it is asked to.
REFUSED = {
    "relations": {("kinship", "sound"), ("kinship", "mixed"), ("kinship", "described")},
    "assumptions": {("kinship", "sound"), ("kinship", "described"), ("kinship", "published")},
}


@pytest.mark.parametrize(("name", "preset"), CASES)
def test_every_key_is_proved_from_the_words_of_its_prompt(name, preset):
    """More than 3,000 keys in all, solved under exactly what the text of the prompt presupposes."""
    world = load_world(name)
    lengths = (3, 4, 5) if preset == "published" else (2, 3, 4)
    config = {
        "size": 8,
        "world": name,
        "distractors": 0,
        "routes": (1, 2) if "kinship" not in name else (1,),
    }
    puzzles = [puzzle for k in lengths for puzzle in made(preset, k=k, **config)]
    assume, several = world.theory.preset(preset).assume, preset in ("mixed", "described")
    mind, proved = Mind(world), 0
    for form, omit in product(FORMS, OMITTED):
        asked = PromptConfig(form=form, omit=omit)
        refused = [what for what in omit if (name.split("-")[0], preset) in REFUSED[what]]
        if refused and not (refused == ["relations"] and form == "choice"):
            with pytest.raises(ConfigError, match=f"omit: ({'|'.join(refused)}): "):
                [*map(Prompter(world, assume, asked, undetermined=several).prompt, puzzles)]
            continue
        for prompt in map(Prompter(world, assume, asked, undetermined=several).prompt, puzzles):
            told = prompt.messages[0]["content"]
            assert not mind.read(mind.question(told)[0]).unread
            assert mind.answer(told) == prompt.answer, told
            proved += 1
    assert proved >= 24 * (4 if "kinship" in name else 12)
