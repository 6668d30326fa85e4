"""Files of passages and questions: text in the format of bAbI, nested JSON, answers of yes and no."""

import json
from pathlib import Path

import pytest

import clutrr
from clutrr.errors import ClutrrError

PUBLISHED = Path(__file__).parents[3] / "shared" / "published" / "babi"

TASK_4 = """\
1 The cellar is north of the attic.
2 The attic is east of the porch.
3 What is the cellar north of?\tattic\t1
4 What is east of the porch?\tattic\t2
"""
TASK_17 = """\
1 The cone is above the green ball.
2 The star is to the left of the cone.
3 Is the green ball to the right of the star?\tyes\t1 2
4 Is the star below the green ball?\tno\t2 1
5 Is the star above the green ball?\tno\t2 1
"""
TASK_19 = """\
1 The cellar is north of the attic.
2 The porch is east of the cellar.
3 How do you go from the attic to the porch?\tn,e\t1 2
4 How do you go from the porch to the attic?\tw,s\t1 2
"""


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def proved(data, **more):
    """The share of proved targets by id."""
    found = []
    audit = clutrr.audit(data, **more)
    for splits in audit.subsets.values():
        for group in splits.values():
            (shares,) = group.soundness.values()
            found.append((group.rows, shares["proved"], shares["refuted"]))
    return found


def test_task_4_asks_what_one_place_is_to_another(tmp_path):
    read = clutrr.read(write(tmp_path / "qa4.txt", TASK_4))
    assert [(one.query, one.target) for one in read] == [
        (("attic", "cellar"), "north of"),
        (("porch", "attic"), "east of"),
    ]
    assert read.world.name == "directions"
    assert proved(tmp_path / "qa4.txt") == [(2, 100, 0)]


def test_task_17_asks_for_yes_or_no(tmp_path):
    """Each answer against a grid: every sentence one step, "above" is anywhere higher. One is wrong here."""
    at = {"green ball": (0, 0), "cone": (0, 1), "star": (-1, 1)}
    path = write(tmp_path / "qa17_test.txt", TASK_17)
    read = clutrr.read(path)
    sides = {"right": lambda a, b: at[a][0] > at[b][0], "below": lambda a, b: at[a][1] < at[b][1]}
    sides["above"] = lambda a, b: at[a][1] > at[b][1]
    asked = [("green ball", "right", "star"), ("star", "below", "green ball")]
    asked.append(("star", "above", "green ball"))
    answers = ["yes" if sides[side](a, b) else "no" for a, side, b in asked]
    assert answers == ["yes", "no", "yes"]  # where the file has a no
    assert [one.target for one in read] == ["yes", "no", "no"]
    assert proved(path) == [(3, pytest.approx(66.7), pytest.approx(33.3))]
    clutrr.convert(path, tmp_path / "right", relabel=True)
    assert [one.target for one in clutrr.read(tmp_path / "right")] == answers


def test_task_19_asks_where_steps_lead(tmp_path):
    path = write(tmp_path / "qa19.txt", TASK_19)
    assert [(one.query, one.target) for one in clutrr.read(path)] == [
        (("attic", "porch"), "north-east of"),
        (("porch", "attic"), "south-west of"),
    ]
    assert proved(path) == [(2, 100, 0)]
    wrong = write(tmp_path / "wrong.txt", TASK_19.replace("w,s", "w,n"))
    assert proved(wrong) == [(2, 50, 50)]


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="no published files")
@pytest.mark.parametrize("task", [4, 17, 19])
def test_the_published_answers_are_proved(task):
    for _, right, wrong in proved(PUBLISHED / f"qa{task}_valid.txt"):
        assert (right, wrong) == (100, 0)


def test_stepgame_as_text(tmp_path):
    text = (
        "1 W is to the bottom-right of E.\n2 L presents right to E.\n"
        "3 What is the relation of the agent W to the agent L?\tbelow\t1\n"
        "1 W is to the right of E.\n"
        "2 What is the relation of the agent X to the agent E?\tright\t1\n"
    )
    path = write(tmp_path / "qa2_test.txt", text)
    found = clutrr.audit(path)
    assert (found.data.kinds, found.data.assume) == ("StepGame", "unit")
    assert found.unusable[0]["rows"] == 1
    (group,) = found.subsets["M2"].values()
    assert group.soundness["unit"]["proved"] == 100


def test_other_tasks_are_refused_in_a_line(tmp_path):
    text = "1 Mary went to the hall.\n2 Where is Mary? \thall\t1\n"
    with pytest.raises(ClutrrError, match="no built-in world has the relations 'hall'"):
        clutrr.read(write(tmp_path / "qa1.txt", text))


CLAIMS = [
    ("Is Carl Ann's son?", ("Ann", "Carl"), {"son"}),
    ("Is Carl a parent of Ann?", ("Ann", "Carl"), {"mother", "father"}),
    ("Was Carl the brother of Bob?", ("Bob", "Carl"), {"brother"}),
]
STORY = "Bob is Ann's son. Carl is Bob's brother."


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize("answer", ["yes", "No", "true"])
def test_rows_of_yes_and_no(claim, answer):
    question, query, relations = claim
    truth = {("Ann", "Carl"): "son", ("Bob", "Carl"): "brother"}[query] in relations
    row = {"story": STORY, "question": question, "answer": answer}
    found = clutrr.audit([row])
    ((one,),) = [splits.values() for splits in found.subsets.values()]
    said = answer != "No"
    assert one.soundness["open"]["proved" if said is truth else "refuted"] == 100


def test_what_a_story_leaves_open_is_undetermined():
    row = {"story": "Bob is Ann's son. Carl is Bob's father.", "answer": "yes"}
    for question, finding in (
        ("Is Carl Ann's husband?", "proved"),
        ("Is Bob a child of Carl?", "proved"),
    ):
        found = clutrr.audit([{**row, "question": question}])
        ((one,),) = [splits.values() for splits in found.subsets.values()]
        assert one.soundness["tree"][finding] == 100
    parent = {"story": "Ann is Bob's grandmother. Carl is Ann's child.", "answer": "no"}
    found = clutrr.audit([{**parent, "question": "Is Carl Bob's father?"}], world="kinship-v1")
    ((one,),) = [splits.values() for splits in found.subsets.values()]
    assert one.soundness["open"]["undetermined"] == 100


def test_answers_to_them_are_scored_and_prompts_put_them(tmp_path):
    rows = [
        {"id": f"{n}", "story": STORY, "question": question, "answer": answer, "split": "test"}
        for n, (question, answer) in enumerate(
            [("Is Carl Ann's son?", "yes"), ("Is Carl a parent of Ann?", "no")]
        )
    ]
    path = write(tmp_path / "mine.json", json.dumps(rows))
    found = clutrr.score(path, {"0": "Answer: Yes, he is.", "1": "Answer: yes"})
    assert (found.total.right, found.total.rows) == (1, 2)
    asked = list(clutrr.prompts(path))
    assert [one.answer for one in asked] == ["yes", "no"]
    assert "Is Carl Ann's son?" in asked[0].messages[0]["content"]
    assert "<yes or no>" in asked[0].messages[0]["content"]
    for form in ("csv", "jsonl", "parquet"):
        clutrr.convert(path, tmp_path / f"own.{form}")
        back = clutrr.read(tmp_path / f"own.{form}")
        assert [(one.question, one.target) for one in back] == [
            (row["question"], row["answer"]) for row in rows
        ]
        assert clutrr.audit(tmp_path / f"own.{form}").subsets["M2"]["unsplit"].rows == 2


NESTED = {
    "passages": {"passages": [{"id": "a", "story": STORY, "questions": 0}]},
    "list": [{"context": STORY, "qas": 0}],
    "squad": {"version": 1, "data": [{"title": "x", "paragraphs": [{"context": STORY, "qas": 0}]}]},
}


def filled(value, questions):
    if isinstance(value, dict):
        return {
            name: questions if name in ("questions", "qas") else filled(one, questions)
            for name, one in value.items()
        }
    return [filled(one, questions) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("shape", NESTED)
@pytest.mark.parametrize("lines", [False, True])
def test_passages_with_several_questions(tmp_path, shape, lines):
    questions = [
        {"question": "What is Carl to Ann?", "answer": "son"},
        {"question": "What is Carl to Bob?", "answers": [{"text": "brother"}, {"text": "brother"}]},
        {"question": "Is Carl Ann's son?", "answer": "yes"},
    ]
    content = filled(NESTED[shape], questions)
    if lines:
        rows = content if isinstance(content, list) else next(iter(content.values()))
        rows = rows if isinstance(rows, list) else content["data"]
        text = "\n".join(map(json.dumps, rows))
    else:
        text = json.dumps(content, indent=None if shape == "list" else 1)
    read = clutrr.read(write(tmp_path / "nested.json", text))
    assert {(one.query, one.target) for one in read} == {
        (("Ann", "Carl"), "son"),
        (("Bob", "Carl"), "brother"),
        (("Ann", "Carl"), "yes"),
    }
    assert len({one.id for one in read}) == 3
