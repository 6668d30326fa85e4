"""What a composer learnt: beside what is true, and by the command."""

import json
import re

import pytest
from made_records import LEARNT

from clutrr.experiment.learnt import Agreement, Learnt

RIGHT, SEVERAL, WRONG, NO_WORD, IMPOSSIBLE = Agreement


@pytest.fixture
def learnt():
    return Learnt.from_json(LEARNT)


def test_verdicts(learnt):
    assert [composition.verdict for composition in learnt.compositions] == [
        *(RIGHT, WRONG, SEVERAL),
        *(WRONG, RIGHT, NO_WORD),
        *(RIGHT, NO_WORD, IMPOSSIBLE),
    ]


def test_the_summary(learnt):
    assert list(learnt.summary()) == [
        "1 of 2 templates are read as the relation that they state.",
        "Of 5 pairs of relations with one possible result, 3 give it; of 1 with several, "
        "1 give one of these.",
        "What follows from 2 others has no word among the relations: there 50 % of the belief is in the "
        "16 free states.",
    ]


def test_a_composer_without_free_states_has_no_belief_in_them():
    *_, last = Learnt.from_json({**LEARNT, "free": 0}).summary()
    assert last == "What follows from 2 others has no word among the relations."


@pytest.fixture
def train(run, tmp_path):
    """Train a model on a few stories: the folder of the training."""

    def command(model: str, *options: object):
        size = ("--k", "1-2", "--train", "60", "--test", "1", "--distractors", "0")
        assert run("generate", tmp_path / "data", *size, *options)[0] == 0
        schedule = ("--k", "1,2", "--epochs", "2", "--batch", "20", "--device", "cpu")
        code, _, errors = run("train", tmp_path / "data", tmp_path / "run", "--model", model, *schedule)
        assert (code, errors) == (0, "")
        return tmp_path / "run"

    return command


def test_the_command(run, train, world):
    folder = train("composer")
    code, printed, errors = run("info", folder, "--json")
    assert (code, errors) == (0, "")
    content = json.loads(printed)
    assert content["learnt"]["relations"] == list(world.relations)
    assert len(content["epochs"]) == 2
    learnt = Learnt.from_json(content["learnt"])
    code, printed, errors = run("info", folder)
    assert (code, errors) == (0, "")
    assert printed.startswith(f"{folder}: composer, trained on M1, M2 with seed 0\n2 of 2 epochs on cpu; ")
    for line in learnt.summary():
        assert line in printed.splitlines()
    assert len(learnt.wrong) > 8  # after two epochs
    assert printed.count(", then ") == 8


def test_a_run_knows_its_world(run, train, tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    (own / "world.yaml").write_text("extends: kinship\n")
    (own / "templates.yaml").write_text('sister: ["{b} is the one sister of {a}."]\n')
    folder = train("composer", "--world", own)
    for world in ((), ("--world", own)):
        code, printed, _ = run("info", folder, *world, "--json")
        assert code == 0
        sentences = json.loads(printed)["learnt"]["sentences"]
        assert [s["template"] for s in sentences if s["relation"] == "sister"] == [
            "{b} is the one sister of {a}."
        ]


def test_other_models_hold_no_beliefs(run, train):
    code, printed, errors = run("info", train("gnn"), "--json")
    assert (code, errors) == (0, "")
    assert "learnt" not in json.loads(printed)


def test_an_evaluation_is_part_of_its_run_and_of_its_answers(run, train, tmp_path):
    folder, data = train("gnn"), tmp_path / "data"
    assert run("info", tmp_path / "data")[0] == 0
    code, printed, _ = run("evaluate", folder, data, "--json")
    assert code == 0
    accuracy = json.loads(printed)["accuracy"]
    of_run, of_file = (
        json.loads(run("info", path, "--json")[1]) for path in (folder, folder / "predictions.parquet")
    )
    assert of_run["evaluated"] == of_file
    assert of_file["command"] == f"clutrr evaluate {folder} {data} --json"
    assert of_file["questions"] == {"data": str(data), "split": "test", "world": "kinship"}
    assert {name: one["accuracy"] for name, one in of_file["tested"].items()} == accuracy
    assert (of_file["train"], of_file["seed"]) == ("M1-2", 0)
    scored = json.loads(run("score", data, folder, "--json")[1])
    for name, one in scored["tested"].items():
        assert (one["right"], one["rows"]) == (of_file["tested"][name]["right"], 1)


def test_what_is_no_run(run, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run/record.json").write_text("[]")
    code, printed, errors = run("info", tmp_path / "run")
    assert (code, printed) == (2, "")
    assert re.fullmatch(r"clutrr: .+not the folder of a run.+\n", errors)
