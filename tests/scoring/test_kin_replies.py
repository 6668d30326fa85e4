"""Replies to questions of kinship, each with what a person reads in it: one way to say it a row."""

import json
from pathlib import Path

import pytest

import clutrr

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "kin_replies.jsonl").read_text("utf-8").splitlines()
]
QUERY = ("Ann", "Bob")
# A question of yes or no may come with all the labels instead of the one that it asks about.
LABELS = tuple(clutrr.load_world("kinship-v1").relations)


def answer(row: dict, relations: tuple[str, ...]) -> str:
    found = clutrr.read_answer(row["reply"], "kinship-v1", row["form"], relations, QUERY)
    if found.refused:
        return "REFUSAL"
    return "NONE" if found.value is None else str(found.value)


def test_replies_as_a_person_reads_them():
    missed = [row for row in ROWS if answer(row, tuple(row["relations"])) != row["answer"]]
    assert missed == []


def test_yes_and_no_without_the_relation_asked_about():
    """What only the relation would tell is no answer, and nothing is answered otherwise."""
    for row in ROWS:
        if row["form"] == "yes-no":
            assert answer(row, LABELS) in (row["answer"], "NONE"), row
            assert answer(row, ()) in (row["answer"], "NONE"), row


@pytest.mark.parametrize("reply", ["Yes.", "Answer: no", "No, he isn't.", "Bob is not Ann's son."])
def test_yes_and_no_alone_need_no_relation(reply):
    wanted = "yes" if reply == "Yes." else "no"
    row = {"reply": reply, "form": "yes-no"}
    assert answer(row, LABELS) == answer(row, ("son",)) == wanted
