"""Ways in which English tells who is whose relative, and ways that only look like it: what each asserts."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from clutrr import solve, verify
from clutrr._puzzle import Entity, Fact, Puzzle
from clutrr._reading import statements
from clutrr._statement import Status

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "wordings.jsonl").read_text("utf-8").splitlines()
]


def test_what_each_wording_asserts():
    for row in ROWS:
        found = statements(row["text"], "kinship-v1")
        said = sorted(
            [one.head, "|".join(one.relations), one.tail]
            for one in found
            if one.status is Status.ASSERTED and one.tail
        )
        assert said == row["facts"], row["text"]


def test_what_is_asserted_can_be_solved():
    """Who solves a story reads the same as who lists what it says."""
    for row in ROWS[::10]:
        for head, relation, tail in row["facts"]:
            assert solve(row["text"], (head, tail), world="kinship-v1").answers, row["text"]
            assert relation


FACTS = (Fact("Ann", "son", "Bob"), Fact("Bob", "sister", "Carol"), Fact("Carol", "husband", "Dan"))
PUZZLE = Puzzle("1", "", "", ("Ann", "Dan"), "son-in-law", 3, (), FACTS, (), "")

# One proof in many words: two statements are derived on its way, and none is wrong.
PROOFS = [
    "Bob is Ann's son and Carol is Bob's sister, so Carol is Ann's daughter. Dan is Carol's husband, so Dan is Ann's "
    "son-in-law.",
    "Carol is the sister of Ann's son Bob, which makes her Ann's daughter. Her husband is Dan, so he is Ann's "
    "son-in-law.",
    "Let A = Ann, B = Bob, C = Carol, D = Dan. B is A's son. C is B's sister. So C is A's daughter. D is C's "
    "husband. So D is A's son-in-law.",
    "Bob's the son of Ann. Carol's the sister of Bob, so Carol's Ann's daughter. Dan's the husband of Carol. So "
    "Dan's Ann's son-in-law.",
    "Ann's daughter is Carol (she is the sister of Ann's son Bob). Carol's husband is Dan. Dan is Ann's son-in-law.",
    "From Bob being Ann's son and Carol being Bob's sister it follows that Carol is Ann's daughter. From this and "
    "Dan being Carol's husband it follows that Dan is Ann's son-in-law.",
    "Bob (Ann's son) has a sister, Carol, so Carol (his sister) is Ann's daughter; Dan (Carol's husband) is Ann's "
    "son-in-law.",
    "Ann\n\u2514\u2500 son: Bob\n   \u2514\u2500 sister: Carol, so Ann's daughter\n      \u2514\u2500 husband: Dan, so Ann's "
    "son-in-law",
    "Carol and Bob are siblings, and Ann is Bob's mother. So Ann is Carol's mother too. Dan is married to Carol. So "
    "Ann is Dan's mother-in-law, and Dan is her son-in-law.",
]


@pytest.mark.parametrize("proof", PROOFS)
def test_one_proof_in_many_words(proof):
    found = verify(proof, PUZZLE, world="kinship")
    assert found.right is True, str(found)
    assert found.progress == 2, str(found)


# What is supposed, denied, quoted or taken back; nobody is charged with it.
NOT_CLAIMED = """
Let's test 'Dan is Ann's son'. Then Dan and Carol are siblings, which contradicts their marriage.
Case 1: Dan is Ann's son. Then Carol is his sister. Impossible, as they are married.
Dan is Ann's son (that was a typo, I mean son-in-law).
A wrong solution: Dan is Bob's brother, so Dan is Ann's son.
Don't confuse this with: Dan is Ann's son.
Wrong: Dan is Ann's son. Right: Dan is Ann's son-in-law.
Hypothesis: Dan is Ann's son. This is rejected because he is married to Carol.
Some would answer that Dan is Ann's son, because Bob is his brother; this is mistaken.
If Dan were Ann's son, Carol would be married to her brother, so Dan is not Ann's son.
Were it so that Dan is Ann's son, Carol would be his sister.
At first I thought Dan was Ann's son, but that's wrong.
The claim "Dan is Ann's son" is false, since Carol is his wife.
""".strip().splitlines()


@pytest.mark.parametrize("reply", NOT_CLAIMED)
def test_nobody_is_charged_with_what_he_does_not_claim(reply):
    assert not [one for one in verify(reply, PUZZLE, world="kinship").claims if one.wrong]


@pytest.mark.parametrize(
    "reply",
    [
        "So Dan is Ann's brother, because he is Carol's husband.",
        "Carol is Ann's sister (since Bob is her son), so Dan is her brother-in-law.",
        "Bob is Ann's son, so Carol is Ann's niece; hence Dan is Ann's nephew.",
        "Bob is Ann's brother, and Carol is his sister, which makes Carol Ann's sister.",
    ],
)
def test_wrong_claims_of_long_sentences_are_caught(reply):
    assert any(one.wrong for one in verify(reply, PUZZLE, world="kinship-v1").claims)


def test_forms_of_entities_tell_whom_a_pronoun_means():
    reply = "Carol is Bob's sister. She is Ann's daughter."
    entities = tuple(Entity(*one) for one in (("Bob", "male"), ("Carol", "female")))
    claims = verify(reply, replace(PUZZLE, entities=entities), world="kinship").claims
    assert ("Ann", ("daughter",), "Carol") in {
        (one.head, one.relations, one.tail) for one in claims
    }


@pytest.mark.parametrize(
    "text",
    [
        "Ann was not born to Bob and Eve.",
        "Ann might have been born to Bob.",
        "Nina is not the third of four children born to Ann.",
        "Nina could be the second daughter born to Ann.",
        "Nina may be the youngest of Ann's daughters.",
        "Ann isn't married to Carl, with whom she has a son, Bob.",
        "Ann's daughter is not married to Bob.",
        "Ann, whose son may be Bob, left.",
        "Would-be husband of Ann, Bob died on Sunday.",
        "In 1990 Ann had no son, Bob.",
    ],
)
def test_what_is_denied_or_only_possible_is_not_asserted(text):
    found = statements(text, "kinship-v1")
    assert not [one for one in found if one.status is Status.ASSERTED]
