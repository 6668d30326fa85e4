"""Replies and reasoning with gold labels, by somebody who had seen neither reader: gold/."""

import json
from collections import Counter
from pathlib import Path

import pytest

import clutrr
from clutrr._puzzle import Fact, Puzzle

GOLD = Path(__file__).parent / "gold"
KINDS = {
    "child": ("daughter", "son"),
    "parent": ("mother", "father"),
    "spouse": ("wife", "husband"),
    "sibling": ("sister", "brother"),
    "grandchild": ("granddaughter", "grandson"),
    "grandparent": ("grandmother", "grandfather"),
    "child-in-law": ("daughter-in-law", "son-in-law"),
    "parent-in-law": ("mother-in-law", "father-in-law"),
    "nibling": ("niece", "nephew"),
    "pibling": ("aunt", "uncle"),
}
KIND = {label: kind for kind, labels in KINDS.items() for label in labels}


def rows(name: str) -> list[dict]:
    return [json.loads(line) for line in (GOLD / f"{name}.jsonl").read_text("utf-8").splitlines()]


def test_the_answer_that_a_person_reads():
    """Nearly all are read so, and what a reward would pay for is never read otherwise."""
    wrong = []
    for row in rows("replies"):
        found = clutrr.read_answer(
            row["reply"], row["world"], row["form"], row["relations"], row["query"]
        )
        said = "REFUSAL" if found.refused else found.value or "NONE"
        if said.casefold() != row["answer"].casefold():
            wrong.append(row["id"])
            assert not found.committed, row
    assert len(wrong) <= 3, wrong


def claims(row: dict) -> list:
    facts = tuple(Fact(*fact) for fact in row["facts"])
    query = tuple(row["query"])
    puzzle = Puzzle(row["id"], row["story"], "", query, "", len(facts), (), facts, (), "")
    return list(clutrr.verify(row["reply"], puzzle, world=row["world"]).claims)


def kinds(relations) -> set[str]:
    return {KIND.get(one, one) for one in relations}


def same_pair(claim, gold: dict) -> bool:
    return (claim.head, claim.tail) == (gold["head"], gold["tail"])


@pytest.fixture(scope="module")
def traces() -> list[tuple[dict, list]]:
    return [(row, claims(row)) for row in rows("traces")]


def test_no_claim_is_invented_and_most_are_found(traces):
    count = Counter()
    for row, found in traces:
        asserted = [one for one in row["claims"] if one["status"] == "asserted"]
        pairs = {frozenset((one["head"], one["tail"])) for one in asserted}
        for claim in found:
            if claim.status == "asserted":
                assert frozenset((claim.head, claim.tail)) in pairs, (row["id"], claim)
        for one in asserted:
            labels = kinds(one["relation"].split("|"))
            count["all"] += 1
            count["found"] += any(
                same_pair(claim, one) and kinds(claim.relations) == labels
                for claim in found
                if claim.status == "asserted"
            )
    assert count["found"] >= 0.72 * count["all"]  # of the rest, half are in other languages


def test_what_is_taken_back_is_never_charged(traces):
    for row, found in traces:
        held = [
            (one["head"], one["tail"], one["relation"])
            for one in row["claims"]
            if one["status"] == "asserted"
        ]
        for one in row["claims"]:
            taken_back = one["status"] in ("retracted", "supposed", "denied")
            if not taken_back or (one["head"], one["tail"], one["relation"]) in held:
                continue
            labels = kinds(one["relation"].split("|"))
            charged = [
                claim
                for claim in found
                if claim.wrong and same_pair(claim, one) and kinds(claim.relations) == labels
            ]
            assert not charged, (row["id"], one)


def test_wrong_claims_are_caught(traces):
    wrong = caught = 0
    for row, found in traces:
        for one, right in zip(row["claims"], row["right"], strict=True):
            if one["status"] == "asserted" and right is False:
                wrong += 1
                caught += any(claim.wrong and same_pair(claim, one) for claim in found)
    assert caught >= 0.8 * wrong
