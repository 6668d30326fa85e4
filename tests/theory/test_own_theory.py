"""A theory that somebody else wrote: what commands do with it beyond what they do with any data."""

import pytest

import clutrr
from clutrr._io.executors import SerialExecutor
from clutrr._puzzle import CANNOT_BE_TOLD
from commands import findings, refused, run, told
from solving_server import serving

pytest.importorskip("torch", reason="torch is not installed (extra: models)")


@pytest.fixture(scope="module")
def mixed(bench, tmp_path_factory):
    out = tmp_path_factory.mktemp("mixed") / "mixed"
    settings = "--preset mixed --k 3 --train 60 --test 40 --distractors 1".split()
    run("generate", out, "--world", bench, *settings)
    return out


def test_generated_answers_are_true(rows, mixed, bench):
    """By sorting: the seats of a row are numbers. In a folder, and in a stream."""
    stream = clutrr.stream("mixed", 3, world=bench, distractors=1)[10**6 : 10**6 + 40]
    for puzzle in (*clutrr.read(rows), *clutrr.read(mixed), *stream):
        orders = {fact.relation for fact in puzzle.facts}
        assert puzzle.target == (orders.pop() if len(orders) == 1 else CANNOT_BE_TOLD)
        assert set(puzzle.pattern) <= {"left", "right"}
    card = (rows / "README.md").read_text()
    assert "left of" in card
    assert "famil" not in card.lower().replace("familiar", "")
    assert findings(mixed)["proved"] == 100
    assert "every target is proved and entailed, assuming row" in run("audit", rows)


@pytest.mark.parametrize("preset", ["mixed", "described"])
def test_other_presets(bench, preset):
    puzzles = clutrr.generate(preset, k=3, size=50, world=clutrr.load_world(bench), distractors=1)
    assert {len(puzzle.possible) for puzzle in puzzles} == {1, 2}


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--noise", "supporting=2", "noise: the theory of seats has none"),
        ("--preset", "sound", "preset: 'sound' is not one of strict, mixed, described"),
        ("--assume", "tree", "assume: 'tree' is not one of row"),
        ("--scene", "levels=3", "scene: 'levels=3': the scenes of seats have no settings"),
        ("--style", "prose", "style: world 'bench' has no prose.yaml"),
    ],
)
def test_what_the_theory_does_not_have_is_refused(bench, tmp_path, option, value, message):
    settings = ["--world", bench, "--distractors", 1, option, value]
    assert message in refused("generate", tmp_path / "o", *settings)
    assert not (tmp_path / "o").exists()


def test_solve(bench):
    def solved(story, first, last):
        return told("solve", "--world", bench, "--story", story, "--query", first, last)

    story = "Ben sits to the left of Ada. Ada drinks tea. Cleo sits to the left of Ben."
    printed = run("solve", "--world", bench, "--story", story, "--query", "Ada", "Cleo")
    assert "Cleo is left of Ada" in printed
    assert "row" in printed
    turned = "Ben sits to the left of Ada. Cleo sits to the right of Ben."
    assert solved(turned, "Ada", "Cleo")["answers"] == ["left of", "right of"]
    conflict = solved("Ben sits to the left of Ada. Ada sits to the left of Ben.", "Ada", "Ben")
    assert (conflict["status"], len(conflict["conflict"])) == ("contradictory", 2)


def test_composition_and_words_without_forms(bench):
    world = clutrr.load_world(bench)
    assert world.theory.compose(world.labels, ("left", "left")).kinds == ("left",)
    assert world.theory.compose(world.labels, ("left", "right")).kinds == ("left", "right")
    assert world.forms == ()
    assert world.say("Ada", "left of", "Ben") == "Ben is left of Ada"


def test_prompts_ask_score(rows, mixed, bench, tmp_path):
    prompts = run("prompts", rows, "--limit", 3)
    assert "left of" in prompts
    assert "row" in prompts
    with serving(clutrr.load_world(bench)) as (address, _):
        for data in (rows, mixed):
            answers = tmp_path / f"{data.name}.jsonl"
            run("ask", data, answers, "--model", "oracle", "--base-url", address, "--limit", 20)
            assert told("score", data, answers, "--split", "test")["right"] == 20


def test_report(bench, tmp_path, monkeypatch):
    monkeypatch.setattr("clutrr._train.cells.ProcessExecutor", lambda at_once: SerialExecutor())
    matrix = tmp_path / "seats.yaml"
    data = f"{{world: {bench}, k: 2-3, train: 40, test: 20, distractors: 1}}"
    matrix.write_text(f"data: {data}\ntrain: [2]\nmodels: [gnn]\nseeds: 1\nepochs: 1\n")
    run("reproduce", tmp_path / "out", "--matrix", matrix, "--device", "cpu")
    assert "M3" in run("report", tmp_path / "out")
