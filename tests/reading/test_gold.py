"""Texts with gold labels: nothing is said that they do not say."""

import json
from collections import Counter
from pathlib import Path

import pytest

from clutrr._lexicon import builtin_world
from clutrr._reading import statements
from read import asserted, finds, fits, gold_facts

ROWS = [
    json.loads(line)
    for name in ("stories", "kinship")
    for line in (Path(__file__).parent / f"{name}.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_no_text_is_overstated(row):
    world = builtin_world(row["world"])
    said = asserted(statements(row["text"], world, row["names"]))
    gold = gold_facts(row)
    assert [one for one in said if not any(fits(world, one, fact) for fact in gold)] == []


def test_most_of_what_texts_state_is_found():
    want, got = Counter(), Counter()
    for row in ROWS:
        world = builtin_world(row["world"])
        said = asserted(statements(row["text"], world, row["names"]))
        for fact in gold_facts(row):
            want[row["world"]] += 1
            got[row["world"]] += any(finds(world, one, fact) for one in said)
    least = {"kinship-v1": 0.9, "directions": 0.75, "order": 0.75, "regions": 0.75, "time": 0.8}
    assert {name: got[name] / want[name] >= least[name] for name in want} == dict.fromkeys(
        want, True
    )


def test_every_statement_has_its_place():
    for row in ROWS:
        for one in statements(row["text"], row["world"], row["names"]):
            assert 0 <= one.start < one.end <= len(row["text"])
            assert one.relations
            assert set(one.relations) <= set(builtin_world(row["world"]).relations)
