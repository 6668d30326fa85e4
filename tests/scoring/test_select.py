"""Best of n: one of several replies to a question, by votes or by what the steps are worth."""

import json

import pytest

import clutrr
from clutrr.errors import ConfigError


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """Puzzles, and eight replies to each: most of them wrong in the same way, by steps that are wrong, too."""
    here = tmp_path_factory.mktemp("select")
    clutrr.generate(out=here / "data", k=2, preset="strict", train=1, test=12)
    puzzles = [one for one in clutrr.read(here / "data") if "-test-" in one.id]
    lines = []
    for puzzle in puzzles:
        relations = clutrr.load_world().relations
        other = next(one for one in relations if one != puzzle.target)
        a, b = puzzle.query
        wrong = f"{b} is {a}'s {other}.\nAnswer: {other}"
        stated = " ".join(f"{fact.tail} is {fact.head}'s {fact.relation}." for fact in puzzle.facts)
        right = f"{stated} So {b} is {a}'s {puzzle.target}.\nAnswer: {puzzle.target}"
        said = [wrong] * 5 + [right] * 3
        for sample, reply in enumerate(said):
            row = {
                "id": puzzle.id,
                "subset": f"M{puzzle.k}",
                "target": puzzle.target,
                "ask": "which",
            }
            lines.append(json.dumps({**row, "relations": [], "sample": sample, "reply": reply}))
    (here / "replies.jsonl").write_text("\n".join(lines) + "\n")
    return here / "data", here / "replies.jsonl"


def test_what_each_way_gains(asked):
    data, replies = asked
    assert clutrr.score(data, replies).total.accuracy == pytest.approx(37.5)  # three of eight
    assert clutrr.score(data, replies, select="majority").total.accuracy == 0
    found = clutrr.score(data, replies, select="steps")
    assert found.total.accuracy == 100
    assert found.questions["select"] == "steps"


def test_one_reply_is_the_best_of_one(asked):
    data, _ = asked
    answers = {one.id: one.target for one in clutrr.read(data) if "-test-" in one.id}
    assert clutrr.score(data, answers, select="steps", split="test").total.accuracy == 100
    with pytest.raises(ConfigError, match="is not one of majority, steps"):
        clutrr.score(data, answers, select="luck")
