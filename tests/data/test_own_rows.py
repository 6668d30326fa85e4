"""Rows of a story, a question and an answer: in every container, under any names, with every mistake."""

import json
from collections import Counter
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import clutrr
from clutrr._data import open_dataset
from clutrr._reading.reader import Reader
from clutrr.errors import ClutrrError, DataError
from commands import run

STORY = "Dan married Carol. Ann took her daughter Carol to the park."
ROW = {"id": "r1", "story": STORY, "query": "What is Dan to Ann?", "target": "son-in-law"}
QUERIES = [
    ["Ann", "Dan"],
    "Ann, Dan",
    "('Ann', 'Dan')",
    "How is Dan related to Ann?",
    "What relation is Dan to Ann?",
]


def tables(folder: Path, row: dict[str, str]) -> list[Path]:
    """The row in every kind of file."""
    frame = pd.DataFrame([row])
    frame.to_csv(folder / "a.csv", index=False)
    frame.to_csv(folder / "b.tsv", index=False, sep="\t")
    frame.to_csv(
        folder / "b2.csv", index=False, sep=";", encoding="utf-8-sig"
    )  # as spreadsheets write it
    (folder / "c.jsonl").write_text(json.dumps(row) + "\n")
    (folder / "d.json").write_text(json.dumps([row], indent=1))
    (folder / "e.json").write_text(json.dumps({"0": row}))
    pq.write_table(pa.Table.from_pylist([row]), folder / "f.parquet")
    return sorted(folder.iterdir())


def check(puzzle: clutrr.Puzzle) -> None:
    assert (puzzle.query, puzzle.target, puzzle.k) == (("Ann", "Dan"), "son-in-law", 2)
    assert puzzle.pattern == ("child", "SO")
    assert set(puzzle.facts) == {("Ann", "daughter", "Carol"), ("Dan", "wife", "Carol")}
    assert dict(puzzle.entities) == {"Ann": "female", "Carol": "female", "Dan": "male"}


def test_every_container(tmp_path):
    for path in tables(tmp_path, ROW):
        data = open_dataset(path)
        (puzzle,) = data.puzzles()
        check(puzzle)
        assert (puzzle.id, data.world.name) == ("r1", "kinship")
        ((_, _, group),) = clutrr.audit(path).groups
        assert group.soundness["open"]["proved"] == 100


@pytest.mark.parametrize("query", QUERIES)
def test_queries_and_rows_in_memory(query):
    check(clutrr.puzzle(STORY, query, "son-in-law"))
    check(clutrr.read([{**ROW, "query": query}])[0])
    check(clutrr.read(pd.DataFrame([{**ROW, "query": query}]))[0])


def test_columns_by_other_names(tmp_path):
    other = {"text": STORY, "one": "Ann", "two": "Dan", "says": "Son in law", "note": "kept"}
    for path in tables(tmp_path, other):
        (puzzle,) = open_dataset(path, columns="story=text,query=one+two,target=says").puzzles()
        check(puzzle)
        assert json.loads(puzzle.extra or "")["own"] == {"note": "kept"}
    named = {"story": "text", "query": ("one", "two"), "target": "says"}
    for rows in ([other], pd.DataFrame([other])):
        check(clutrr.read(rows, columns=named)[0])
        check(clutrr.read(rows, columns="story=text,question=one+two,answer=says")[0])


def test_a_column_of_splits(tmp_path):
    rows = [ROW | {"split": split} for split in ("train", "Test", "dev", "")]
    pd.DataFrame(rows).to_csv(tmp_path / "a.csv", index=False)
    parts = [(part.split, len(part.table)) for part in open_dataset(tmp_path / "a.csv").parts()]
    assert sorted(parts, key=str) == [("test", 1), ("train", 1), ("validation", 1), (None, 1)]


def test_names_of_columns_in_capitals(tmp_path):
    asked = {"Question": ROW["query"], "Story ": STORY, "ANSWER": "Son-In-Law"}
    check(clutrr.read([asked])[0])
    with_list = {
        "text": STORY,
        "question": ROW["query"],
        "answer": "son-in-law",
        "turns": [{"a": 1}],
    }
    (tmp_path / "a.jsonl").write_text(json.dumps(with_list))  # one row, and not a file around rows
    check(clutrr.read(tmp_path / "a.jsonl")[0])


@pytest.mark.parametrize(
    ("world", "story", "query", "target"),
    [
        (
            "order",
            "Tom is older than Ann. Ann is older than Bob.",
            "How old is Tom compared with Bob?",
            "older",
        ),
        (
            "directions",
            "Oslo is north of Rome. Bern is east of Oslo.",
            "What is the position of Bern relative to Rome?",
            "northeast",
        ),
        ("directions", "Oslo is north of Rome.", "In which direction is Oslo from Rome?", "N"),
    ],
)
def test_questions_and_answers_as_people_put_them(world, story, query, target):
    data = clutrr.read([{"story": story, "question": query, "answer": target}])
    assert data.world.name == world
    ((_, _, group),) = clutrr.audit(data).groups
    assert [found["entailed"] for found in group.soundness.values()] == [100] * len(group.soundness)


@pytest.mark.parametrize("world", ["kinship", "order", "time", "regions", "directions"])
def test_our_own_questions_are_understood(world):
    for puzzle in clutrr.generate(world=world, preset="strict", k=2, size=3):
        assert (
            clutrr.puzzle(puzzle.story, puzzle.question, puzzle.target, world=world).query
            == puzzle.query
        )


def test_ten_columns_with_empty_facts(tmp_path):
    row = ROW | {"abstract": "", "k": 0, "pattern": [], "facts": [], "entities": [], "scene": ""}
    (tmp_path / "a.jsonl").write_text(json.dumps(row | {"query": ["Ann", "Dan"]}) + "\n")
    check(next(open_dataset(tmp_path / "a.jsonl").puzzles()))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"query": "Ann"},
            "row 1: query: 'Ann' is not two names, nor a question such as 'What is B to A",
        ),
        ({"query": ["Ann", "Zoe"]}, "row 1: query: 'Zoe' is not in the story"),
        ({"query": ["Ann", "Ann"]}, "row 1: query: 'Ann' is named twice"),
        ({"target": "boss"}, "row 1: target: 'boss' is no relation of world kinship .*world="),
        ({"story": ""}, "row 1: column 'story' is empty; .*skip_bad=True"),
    ],
)
def test_errors_name_the_row_and_what_helps(changed, message):
    with pytest.raises(DataError, match=message):
        clutrr.read([ROW | changed], world="kinship")


def test_errors_of_columns(tmp_path):
    with pytest.raises(
        DataError, match=r"target: 'boss' is no relation of world kinship .*, world=..., or"
    ):
        clutrr.puzzle(STORY, ("Ann", "Dan"), "boss")
    with pytest.raises(DataError, match="row 1: question: 'Who\\?' is not two names"):
        clutrr.read([{"text": STORY, "question": "Who?", "answer": "son"}])
    (tmp_path / "a.csv").write_text("text,who\na,b\n")
    with pytest.raises(DataError, match=r"not a known kind of data file.*columns="):
        open_dataset(tmp_path / "a.csv")
    with pytest.raises(DataError, match="no column 'tale', only text, who"):
        open_dataset(tmp_path / "a.csv", columns="story=tale")
    with pytest.raises(ClutrrError, match="columns: 'tale' is not like story=NAME"):
        open_dataset(tmp_path / "a.csv", columns="tale")
    for columns in (
        "story=text,story=who",
        "story=text, story=text",
        {"story": "text", "story ": "who"},
    ):
        with pytest.raises(ClutrrError, match=r"columns: 'story' is not like story=NAME, once"):
            open_dataset(tmp_path / "a.csv", columns=columns)
    for columns in ("story=text+who", {"target": ["text", "who"]}, "query=a+b+c"):
        with pytest.raises(ClutrrError, match=r"is too many; only a query may be two"):
            open_dataset(tmp_path / "a.csv", columns=columns)
    with pytest.raises(DataError) as caught:
        open_dataset(tmp_path / "a.csv", columns=f"story={'x' * 10_000}")
    assert len(str(caught.value)) < 300


def test_what_is_not_read_is_never_proved(tmp_path):
    """Not before it is converted, and not after."""
    row = ROW | {"story": f"{STORY} Ann's cousin Eve is married to Bob."}
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n")
    clutrr.write(clutrr.read(tmp_path / "a.jsonl"), tmp_path / "b")
    for only in ("proved", "entailed"):
        out = tmp_path / f"{only}.jsonl"
        with pytest.raises(DataError, match="no puzzle is left"):
            clutrr.convert(tmp_path / "a.jsonl", out, only=only)
        assert clutrr.convert(tmp_path / "a.jsonl", out, only=only, allow_unread=True).rows == 1
    for path in (tmp_path / "a.jsonl", tmp_path / "b"):
        found = clutrr.audit(path)
        ((_, _, group),) = found.groups
        assert group.soundness["open"]["proved from what was read"] == 100
        assert group.soundness["open"]["proved"] == group.soundness["open"]["entailed"] == 0
        assert group.text["not read"] == 100
        assert "Ann's cousin Eve is married to Bob." in group.text["first"]["not read"]


def test_relabelled(tmp_path):
    """A refuted target gives way to the proved one; ids stay, and the card says what changed."""
    rows = [
        ROW | {"target": "son"},
        ROW | {"id": "r2"},
        ROW | {"id": "r3", "query": ["Ann", "Carol"]},
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run("convert", tmp_path / "a.jsonl", tmp_path / "out", "--relabel", "--only", "proved")
    assert {p.id: p.target for p in clutrr.read(tmp_path / "out")} == {
        "r1": "son-in-law",
        "r2": "son-in-law",
        "r3": "daughter",
    }
    card = " ".join((tmp_path / "out/README.md").read_text().split())
    assert (
        "the answer that is proved: 2 (1 from son to son-in-law, 1 from son-in-law to daughter)"
        in card
    )


GYM = "John is married to Zoe. They have children called Tim and Eve.\n\nWhat is Tim to Zoe? In one word."


def test_genders_are_judged_only_where_the_text_states_them(tmp_path):
    about = {"metadata": {"source_dataset": "family_relationships"}}
    rows = [
        {"question": GYM, "answer": answer, **about} for answer in ("son", "daughter", "sister")
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    data = open_dataset(tmp_path / "a.jsonl")
    assert (data.kinds, data.world.name) == ("reasoning-gym family_relationships", "kinship-v1")
    ((_, _, group),) = clutrr.audit(data).groups
    assert group.soundness["open"]["undetermined"] == group.soundness["open"]["form open"] == 66.7
    assert group.soundness["open"]["refuted"] == 33.3


def test_stepgame_is_read_whole_and_named(published):
    data = open_dataset(published / "stepgame/clean")
    assert (data.kinds, data.world.name, data.assume) == ("StepGame", "directions", "unit")
    puzzles = list(data.puzzles())
    assert not [puzzle.id for puzzle in puzzles if "unread" in (puzzle.extra or "")]
    assert len({puzzle.id for puzzle in puzzles}) == len(puzzles) == 1500
    assert puzzles[0].id.startswith("qa")  # the file, and the key of the row


def test_a_row_with_the_id_of_an_earlier_row_gets_another_and_it_is_said(tmp_path):
    path = tmp_path / "mine.csv"
    pd.DataFrame([ROW, {**ROW, "query": "Ann, Carol", "target": "daughter"}]).to_csv(
        path, index=False
    )
    data = open_dataset(path)
    for _ in range(2):  # reading again changes nothing
        assert [puzzle.id for puzzle in data.puzzles()] == ["r1", "mine-3"]
        assert data.notes.new_ids == {"mine-3": "r1"}
    said = run("audit", path)
    assert "Ids that were there twice: 1 row got another, such as 'mine-3' for 'r1'." in said


def test_the_first_row_may_lack_id_and_split(tmp_path):
    rows = [
        {
            "story": "Bob is Ann's son. Carol is Bob's sister.",
            "query": "Ann, Carol",
            "target": "daughter",
        }
        | more
        for more in ({}, {"id": "mine", "split": "train"})
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    opened = open_dataset(tmp_path / "a.jsonl")
    assert [puzzle.id for puzzle in opened.puzzles()] == ["a-1", "mine"]
    assert list(opened.split("train")) == ["M2"]


def test_each_story_is_read_once(tmp_path, monkeypatch):
    """What it says travels with the row to whoever judges it."""
    rows = [
        {
            "story": f"{name} is Ann's son. Eve is {name}'s sister.",
            "query": ["Ann", "Eve"],
            "target": "daughter",
        }
        for name in ("Bob", "Carl", "Dan")
    ]
    (tmp_path / "own.jsonl").write_text("\n".join(map(json.dumps, rows)))
    read, times = Reader.read, Counter()

    def counted(self, text, names=None):
        times[text] += 1
        return read(self, text, names)

    monkeypatch.setattr(Reader, "read", counted)
    audit = clutrr.audit(tmp_path / "own.jsonl", world="kinship")
    assert audit.to_json()["subsets"]["M2"]["unsplit"]["soundness"]["tree"]["proved"] == 100
    assert [times[row["story"]] for row in rows] == [1, 1, 1]
