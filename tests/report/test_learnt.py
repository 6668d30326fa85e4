"""What a composer learnt: beside what is true, and by the command."""

import pytest

import clutrr
from clutrr._generate import Config
from clutrr._generate.folder import Job, generate_folder
from clutrr._train.learnt import Learnt
from commands import refused, told
from made_records import LEARNT


@pytest.fixture
def learnt():
    return Learnt.from_json(LEARNT)


def test_the_summary(learnt):
    assert list(learnt.summary()) == [
        "1 of 2 templates are read as the relation that they state.",
        "Of 6 pairs of relations, 3 give the one possible result, 1 one of several, 2 a wrong one.",
        "What follows from 2 others has no word among the relations.",
    ]


def test_the_picture(learnt):
    first, *rows, _ = learnt.picture()
    assert first.split() == ["1", "2", "3"]
    assert [row[-9:][2::3] for row in rows] == ["·x~", "x· ", "·  "]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A composer and a GNN, trained on a few stories of a world with one template of its own."""
    folder = tmp_path_factory.mktemp("learnt")
    (folder / "own").mkdir()
    (folder / "own/world.yaml").write_text("extends: kinship\n")
    (folder / "own/templates.yaml").write_text('sister: ["{b} is the one sister of {a}."]\n')
    config = Config(k=(1, 2), train=60, test=1, distractors=0)
    generate_folder(Job(folder / "data", config, str(folder / "own")))
    for model in ("composer", "gnn"):
        settings = {"k": (1, 2), "epochs": 2, "batch": 20, "device": "cpu"}
        clutrr.train(folder / "data", folder / model, model=model, **settings)
    return folder


def test_the_command(run, runs, world):
    folder = runs / "composer"
    content = told("info", folder)
    assert set(content["learnt"]["heights"]) == set(world.relations)
    assert len(content["epochs"]) == 2
    learnt = Learnt.from_json(content["learnt"])
    code, printed, errors = run("info", folder)
    assert (code, errors) == (0, "")
    assert printed.startswith(
        f"{folder}: composer, trained on M1, M2 with seed 0\n2 of 2 epochs on cpu; "
    )
    for line in learnt.summary():
        assert line in printed.splitlines()
    assert len(learnt.wrong) > 8  # after two epochs
    assert printed.count(", then ") == 8
    for world in ((), ("--world", runs / "own")):  # a run knows its world
        sentences = told("info", folder, *world)["learnt"]["sentences"]
        templates = [s["template"] for s in sentences if s["relation"] == "sister"]
        assert templates == ["{b} is the one sister of {a}."]


def test_other_models_hold_no_beliefs(runs):
    assert "learnt" not in told("info", runs / "gnn")


def test_an_evaluation_is_part_of_its_run_and_of_its_answers(runs):
    folder, data = runs / "gnn", runs / "data"
    tested = told("evaluate", folder, data)["tested"]
    of_run, of_file = (told("info", path) for path in (folder, folder / "predictions.parquet"))
    assert of_run["evaluated"] == of_file
    assert of_file["command"] == f"clutrr evaluate {folder} {data} --json"
    assert of_file["questions"] == {"data": str(data), "split": "test", "world": "own"}
    assert of_file["tested"] == tested
    assert (of_file["train"], of_file["seed"]) == ("M1-2", 0)
    scored = told("score", data, folder)
    for name, one in scored["tested"].items():
        assert (one["right"], one["rows"]) == (of_file["tested"][name]["right"], 1)


def test_what_is_no_run(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run/record.json").write_text("[]")
    assert "not the folder of a run" in refused("info", tmp_path / "run")


def test_no_cell_is_wrong_that_no_question_determines():
    """Where what follows has no word, or nothing can, a set of relations is neither right nor wrong."""
    from clutrr._train.learnt import Learnt, LearntPair

    pairs = (
        LearntPair("son", "brother", ("son",), False, {}, ("son",)),
        LearntPair("son", "father", ("husband",), False, {}, ("husband", "son")),
        LearntPair("father", "sister", (), True, {}, ("mother",)),
        LearntPair("wife", "wife", (), False, {}, ("son",)),
    )
    learnt = Learnt((), pairs, {})
    assert [pair.verdict for pair in pairs] == ["right", "extra", "unnamed", "impossible"]
    assert learnt.wrong == [pairs[1]]
    assert any("the others 0 are missing and 1 too many" in line for line in learnt.summary())
