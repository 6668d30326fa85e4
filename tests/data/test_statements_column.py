"""What is given and is no fact: written, read back, proved from, and left out where there is no place for it."""

import json
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

import clutrr
from clutrr._statement import Statement, StatementKind, Status, from_record, to_record

TEXT = (
    "Dan is a parent of Ann. Bob is Ann's brother. Ann has no sons. Carl isn't Bob's son. "
    "Eve is Ann's daughter."
)


@pytest.fixture
def told():
    return clutrr.puzzle(TEXT, ("Dan", "Eve"), "granddaughter", world="kinship")


def test_a_text_of_ones_own_gives_statements_with_their_sentences(told):
    said = {one.kind.value: TEXT[one.start : one.end] for one in told.statements}
    assert said == {
        "alternatives": "Dan is a parent of Ann.",
        "closure": "Ann has no sons.",
        "denial": "Carl isn't Bob's son.",
    }
    assert [entity.name for entity in told.entities] == ["Dan", "Ann", "Eve", "Bob", "Carl"]
    assert len(told.sentences) == 5


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.parquet", "folder"])
def test_every_format_holds_them(told, tmp_path, name):
    assert clutrr.write([told], tmp_path / name, world="kinship") == 1
    (back,) = clutrr.read(tmp_path / name)
    assert back.statements == told.statements
    assert back == replace(told, question=back.question)
    clutrr.convert(tmp_path / name, tmp_path / "again.jsonl")
    row = json.loads((tmp_path / "again.jsonl").read_text())
    assert row["statements"] == [
        {"head": "Ann", "relations": ["mother", "father"], "tail": "Dan", "status": "asserted",
         "role": "path", "start": 0, "end": 23},
        {"head": "Ann", "status": "asserted", "closure": "none", "relation": "son", "entities": [],
         "start": 46, "end": 62},
        {"head": "Bob", "relations": ["son"], "tail": "Carl", "status": "denied",
         "start": 63, "end": 84},
    ]  # fmt: skip


def test_data_of_facts_alone_has_no_such_column(tmp_path):
    clutrr.write(clutrr.generate(k=2, size=3), tmp_path / "a.parquet")
    assert "statements" not in pq.read_schema(tmp_path / "a.parquet").names
    clutrr.write(clutrr.generate(k=2, size=3), tmp_path / "a.jsonl")
    assert "statements" not in json.loads((tmp_path / "a.jsonl").read_text().split("\n")[0])


def test_a_format_of_facts_alone_says_what_it_cannot_hold(told, tmp_path):
    with pytest.raises(clutrr.ClutrrError, match=r"v1\.0 holds facts only"):
        clutrr.convert(_file(told, tmp_path), tmp_path / "old.csv", to="v1.0")


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"relations": ["son"], "tail": "Bob"}, "head: there is none"),
        ({"head": "Ann", "tail": "Bob"}, "relations: there is none"),
        ({"head": "Ann", "closure": "some", "relation": "son"}, "closure: 'some' is not 'none'"),
        ({"head": "Ann", "closure": "exactly", "relation": "son"}, "closure: 'exactly' is not"),
        ({"head": "Ann", "relations": ["son"], "tail": "Bob", "status": "no"}, "status: 'no'"),
        ({"head": "Ann", "relations": ["son"], "tail": "Bob", "role": "main"}, "the role 'main'"),
        ({"head": "Ann", "relations": ["son"], "tail": "Bob", "start": 3, "end": 9999}, "no place"),
        ({"head": "Ann", "relations": ["friend"], "tail": "Bob"}, "'friend' is not in world"),
        ({"head": "Ann", "relations": ["tall"]}, "form 'tall' is not in world"),
    ],
)
def test_a_statement_that_says_nothing_definite_is_refused(told, tmp_path, record, said):
    row = json.loads(_file(told, tmp_path).read_text())
    row |= {"k": 0, "pattern": [], "statements": [record]}
    (tmp_path / "bad.jsonl").write_text(json.dumps(row) + "\n")
    with pytest.raises(clutrr.ClutrrError, match=said):
        clutrr.read(tmp_path / "bad.jsonl", world="kinship")


def test_a_record_may_name_a_kind_and_leave_fields_out(told, tmp_path):
    row = json.loads(_file(told, tmp_path).read_text())
    row["statements"] = [{"head": "Ann", "relations": ["inv-child"], "tail": "Dan"}]
    row |= {"query": ["Bob", "Dan"], "target": "father"}
    (tmp_path / "own.jsonl").write_text(json.dumps(row | {"k": 0, "pattern": []}) + "\n")
    ((_, _, group),) = clutrr.audit(tmp_path / "own.jsonl", facts=True).groups
    assert group.soundness["open"]["form open"] == 100


STATEMENTS = [
    Statement(StatementKind.ALTERNATIVES, "Ann", ("son", "daughter"), "Bob", role="path"),
    Statement(StatementKind.DENIAL, "Ann", ("son",), "Bob", status=Status.DENIED, start=3, end=9),
    Statement(StatementKind.CLOSURE, "Ann", ("son", "daughter"), role="off-path"),
    Statement(StatementKind.CLOSURE, "Ann", ("son",), entities=("Bob", "Carl")),
    Statement(StatementKind.FORM, "Ann", ("female",)),
    Statement(StatementKind.FACT, "Ann", ("son",), "Bob", status=Status.POSSIBLE),
]


@pytest.mark.parametrize("one", STATEMENTS, ids=lambda one: one.kind.value)
def test_a_record_says_what_the_statement_says(one):
    assert from_record(json.loads(json.dumps(to_record(one)))) == one


def test_targets_are_proved_from_statements_in_text_and_in_columns(tmp_path):
    """Ann's only child is Bob, so her grandson Carl is his son; by the facts alone he may be a nephew."""
    text = "Carl is Ann's grandson. Bob is Ann's son. Ann has no daughters. Dan is not Ann's son."
    told = clutrr.puzzle(text, ("Bob", "Carl"), "son", world="kinship-v1")
    closed = Statement(StatementKind.CLOSURE, "Ann", ("son", "daughter"), entities=("Bob",))
    for statements, proved in (((), 0), ((closed,), 100)):
        one = replace(told, story="", sentences=(), statements=statements)
        path = _file(one, tmp_path)
        ((_, _, group),) = clutrr.audit(path, facts=True, world="kinship-v1").groups
        assert group.soundness["open"]["proved"] == proved
        claims = clutrr.verify("Carl is Bob's son.", one, "kinship-v1", "open").claims
        assert claims[0].verdict == ("entailed" if proved else "possible")


def test_rewards_count_steps_from_statements():
    closed = Statement(StatementKind.CLOSURE, "Ann", ("son", "daughter"), entities=("Bob",))
    given = {
        "query": [["Bob", "Carl"]],
        "facts": [[["Ann", "grandson", "Carl"], ["Ann", "son", "Bob"]]],
    }
    told = {"world": "kinship-v1", "parts": ("steps",), "answer": ["son"]}
    reply = ["Carl is Bob's son. Answer: son"]
    assert clutrr.reward(reply, **told, **given) == [0.0]
    assert clutrr.reward(reply, **told, **given, statements=[[to_record(closed)]]) == [1.0]
    with pytest.raises(clutrr.ClutrrError, match="statements: head: there is none"):
        clutrr.reward(reply, **told, **given, statements=[[{"relations": ["son"]}]])


def test_info_counts_them(told, tmp_path):
    path = _file(told, tmp_path)
    assert clutrr.info(path).figures.statements == {
        "M2": {"alternatives": 1, "closure": 1, "denial": 1}
    }


def _file(told, folder):
    clutrr.write([told], folder / "told.jsonl", world="kinship-v1", force=True)
    return folder / "told.jsonl"
