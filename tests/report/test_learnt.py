"""What a composer learnt: verdicts, figure, Markdown, and the command."""

import json
import re
from xml.etree import ElementTree

import pytest
from made_records import LEARNT

from clutrr.report.beliefs import Learnt, Verdict
from clutrr.report.learnt import abbreviations, learnt_figure, learnt_files, learnt_markdown

RIGHT, SEVERAL, WRONG, NO_WORD, IMPOSSIBLE = Verdict


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
        "1 of 2 templates are read as the relation that they tell.",
        "Of 5 pairs of relations with one possible result, 3 give it; of 1 with several, "
        "1 give one of these.",
        "What follows from 2 others has no word among the relations: there 50 % of the belief is in the "
        "16 free states.",
    ]


def test_a_composer_without_free_states_has_no_belief_in_them():
    *_, last = Learnt.from_json({**LEARNT, "free": 0}).summary()
    assert last == "What follows from 2 others has no word among the relations."


def test_markdown(learnt):
    lines = learnt_markdown(learnt, "Title", "some.png").splitlines()
    assert lines[0] == "# Title"
    assert [line.removeprefix("- ") for line in lines[2:5]] == list(learnt.summary())
    assert "![What is made of two relations](some.png)" in lines
    rows = [line for line in lines if line.startswith("| ") and "---" not in line]
    assert rows == [
        "| two relations | true | believed |",
        "| daughter, then mother | wife | mother (60 %) |",
        "| mother, then daughter | sister or something without a word | no relation |",
        "| template | told | read | share |",
        "| {b} is {a}'s daughter. | daughter | daughter | 0.980 |",
        "| {b} \\| mother of {a}. | mother | **wife** | 0.512 |",
        "| relation | height |",
        "| daughter | 2.00 |",
        "| mother | -2.06 |",
        "| grandmother | -4.28 |",
    ]


def test_markdown_of_a_composer_that_is_right_and_has_no_heights():
    right = [LEARNT["compositions"][0]]
    learnt = Learnt.from_json({**LEARNT, "compositions": right, "heights": None})
    text = learnt_markdown(learnt, "Title", "some.png")
    assert re.findall(r"^#.*", text, re.MULTILINE) == ["# Title", "## Sentences"]


def test_the_figure_shows_where_the_tables_agree(learnt):
    table, heights = learnt_figure(learnt).axes
    looks = {
        (round(patch.get_y() + 0.46), round(patch.get_x() + 0.47)): (
            patch.get_facecolor()[:3] if patch.get_facecolor()[3] else None,
            patch.get_hatch(),
        )
        for patch in table.patches
    }
    verdicts = {
        divmod(i, 3): composition.verdict for i, composition in enumerate(learnt.compositions)
    }  # by row and column
    assert looks.keys() == verdicts.keys()
    for place, (colour, hatch) in looks.items():
        assert (hatch is not None) == (verdicts[place] is WRONG)
        assert (colour is None) == (verdicts[place] is IMPOSSIBLE)
    assert len({looks[0, 0], looks[1, 1], looks[2, 0]}) == 1  # right
    assert len({looks[place][0] for place in ((0, 0), (0, 1), (0, 2), (1, 2), (2, 1))}) == 5
    (dark, _, _), (pale, _, _) = looks[1, 2][0], looks[2, 1][0]  # 90 and 10 % in the free states
    assert dark < pale
    words = {}
    for text in table.texts:
        x, y = text.get_position()
        words.setdefault((round(y), round(x)), []).append(text.get_text())
    assert words == {
        (0, 0): ["gdaug"],
        (0, 1): ["moth", "(wife)"],
        (0, 2): ["moth-il"],
        (1, 0): ["?", "(sist)"],
        (1, 1): ["gmoth"],
        (2, 0): ["moth"],
        (2, 1): ["sist"],
        (2, 2): ["\N{EN DASH}"],
    }
    assert heights.lines[1].get_xdata().tolist() == [2.0, -2.06, -4.28]


def test_the_files_are_the_same_each_time(learnt):
    files = learnt_files(learnt, "Title")
    assert files == learnt_files(learnt, "Title")
    assert list(files) == ["learnt.md", "learnt.svg", "learnt.png"]
    assert files["learnt.png"].startswith(b"\x89PNG\r\n")
    texts = {"".join(e.itertext()).strip() for e in ElementTree.fromstring(files["learnt.svg"]).iter()}
    assert texts >= {"daughter (daug)", "grandmother (gmoth)", "learnt height", "wrong: believed (true)"}


def test_without_heights_there_is_one_panel():
    assert len(learnt_figure(Learnt.from_json({**LEARNT, "heights": None})).axes) == 1


def test_abbreviations_differ():
    relations = ["wife", "stepmother", "stepson", "grandson", "son-in-law", "great-grandson"]
    assert abbreviations(relations) == {
        "wife": "wife",
        "stepmother": "stepm",
        "stepson": "steps",
        "grandson": "gson",
        "son-in-law": "son-il",
        "great-grandson": "great-gson",
    }
    assert abbreviations(["a-in-law", "a-il"]) == {"a-in-law": "a-in-law", "a-il": "a-il"}


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


def test_the_command(run, train, tmp_path, world):
    folder = train("composer")
    code, printed, errors = run("learnt", folder, "--json")
    assert (code, errors) == (0, "")
    content = json.loads(printed)
    assert content["relations"] == list(world.relations)
    learnt = Learnt.from_json(content)
    code, printed, errors = run("learnt", folder, "--out", tmp_path / "new" / "out")
    assert (code, errors) == (0, "")
    assert "What composer learnt from M1, M2" in printed
    for line in learnt.summary():
        assert line in printed.splitlines()
    assert learnt.wrong  # after two epochs
    assert printed.count(", then ") == len(learnt.wrong)
    written = {path.name: path.read_bytes() for path in (tmp_path / "new" / "out").glob("learnt.*")}
    files = learnt_files(learnt, "What composer learnt from M1, M2")
    assert written == {k: v.encode() if isinstance(v, str) else v for k, v in files.items()}


def test_a_run_knows_its_world(run, train, tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    (own / "world.yaml").write_text("extends: kinship\n")
    (own / "templates.yaml").write_text('sister: ["{b} is the one sister of {a}."]\n')
    folder = train("composer", "--world", own)
    for world in ((), ("--world", own)):
        code, printed, _ = run("learnt", folder, *world, "--json")
        assert code == 0
        told = [s["template"] for s in json.loads(printed)["sentences"] if s["relation"] == "sister"]
        assert told == ["{b} is the one sister of {a}."]


def test_other_models_hold_no_beliefs(run, train, tmp_path):
    code, printed, errors = run("learnt", train("gnn"), "--out", tmp_path / "out")
    assert (code, printed) == (2, "")
    assert re.fullmatch(r"clutrr: .*gnn holds no beliefs to show: name a run of a composer\n", errors)
    assert not (tmp_path / "out").exists()


def test_what_is_no_run_or_cannot_be_written(run, train, tmp_path):
    folder = train("composer")
    for arguments in ((tmp_path / "data",), (folder, "--out", folder / "record.json")):
        code, printed, errors = run("learnt", *arguments)
        assert (code, printed) == (2, "")
        assert re.fullmatch(r"clutrr: .+\n", errors)
