"""Frames and operators: what a sentence states vanishes or changes its status under each of them.

What may stay is written down: a noun that takes a relation for granted stands when its clause is denied, asked or
placed in time ("her son Max").
"""

import json
from pathlib import Path

import pytest

from clutrr._reading import statements
from clutrr._statement import Status

# {s}: a sentence; {S}: with a capital.
TAKES_AWAY = """
It is false that {s}.
It is not the case that {s}.
It is not true that {s}.
I doubt whether {s}.
I doubt that {s}.
Nobody believes that {s}.
Everybody thinks that {s}.
They deny that {s}.
He said that {s}.
He pretended that {s}.
She dreamed that {s}.
I wish {s}.
Imagine that {s}.
Suppose {s}.
If {s}, I will eat my hat.
Unless {s}, we lose.
Whether {s} is unknown.
Perhaps {s}.
Maybe {s}, maybe not.
According to him, {s}.
Rumour has it that {s}.
It is a myth that {s}.
It seems that {s}.
Is it true that {s}?
Almost: {s}.
FALSE: {s}.
In the play, {s}.
In his novel, {s}.
In a parallel universe, {s}.
{S} in the play.
{S} in her dreams.
{S}, in his imagination.
{S}? No.
{S}, they say.
{S}, I guess.
{S}, supposedly.
{S}, allegedly.
{S}, or so he says.
{S} (or so they claim).
{S} in a sense.
{S} as far as I know.
{S} once upon a time.
{S}: false.
{S} \u2717
{S}. That was a lie.
{S}. That is wrong.
{S}. That was a joke.
{S}. Just kidding!
{S}. Not!
{S}. Not really.
{S}. At least that is what he thinks.
""".strip().splitlines()

# Sentences that state something outright.
STATED = [
    ("kinship-v1", "Ann is Bob's mother"),
    ("kinship-v1", "Bob is the son of Ann"),
    ("kinship-v1", "Ann's son is Bob"),
    ("kinship-v1", "Ann's son is called Bob"),
    ("kinship-v1", "Ann has a son, Bob"),
    ("kinship-v1", "Ann has a son called Bob"),
    ("kinship-v1", "Ann is married to Bob"),
    ("kinship-v1", "Ann married Bob"),
    ("kinship-v1", "Ann and Bob are siblings"),
    ("kinship-v1", "Bob was born to Ann"),
    ("kinship-v1", "Ann is the mother of Bob and the sister of Carl"),
    ("directions", "Ann is north of Bob"),
    ("directions", "Ann lies to the left of Bob"),
    ("order", "Ann is older than Bob"),
    ("order", "Ann was born before Bob"),
    ("order", "Ann is Bob's older sister"),
    ("regions", "Ann lies within Bob"),
    ("regions", "Ann borders Bob"),
    ("time", "Ann ended an hour before Bob began"),
    ("time", "Ann took place before Bob"),
]

# Sentences in which a noun takes it for granted.
GRANTED = [
    ("kinship-v1", "Ann took her brother Bob to the park"),
    ("kinship-v1", "Ann's brother Bob left"),
    ("kinship-v1", "Ann's brother, Bob, left"),
    ("kinship-v1", "Ann and her brother Bob baked a cake"),
]
NAMES = ("Ann", "Bob", "Carl")


def said(text: str, world: str) -> list[tuple[str, tuple[str, ...], str]]:
    found = statements(text, world, NAMES)
    return [(one.head, one.relations, one.tail) for one in found if one.status is Status.ASSERTED]


@pytest.mark.parametrize(("world", "sentence"), [*STATED, *GRANTED])
def test_the_sentence_alone_states_something(world, sentence):
    assert said(f"{sentence}.", world)


@pytest.mark.parametrize("operator", TAKES_AWAY)
@pytest.mark.parametrize(("world", "sentence"), STATED)
def test_no_statement_stands_under_an_operator(operator, world, sentence):
    assert said(operator.format(s=sentence, S=sentence), world) == []


# Under these nothing is left even of what is taken for granted.
MADE_UP = [
    one
    for one in TAKES_AWAY
    if one.startswith(("In ", "He pretended", "She dreamed", "Imagine"))
    or "dreams" in one
    or "play" in one
]


@pytest.mark.parametrize("operator", MADE_UP)
@pytest.mark.parametrize(("world", "sentence"), GRANTED)
def test_nothing_is_taken_for_granted_in_fiction(operator, world, sentence):
    assert said(operator.format(s=sentence, S=sentence), world) == []


ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "stories.jsonl").read_text("utf-8").splitlines()
]
# Texts of one sentence, and those of them whose nouns, not whose clauses, state something.
ONE = [
    row
    for row in ROWS
    if row["facts"]
    and row["text"].count(".") == 1
    and row["text"][-1] == "."
    and "\u201c" not in row["text"]
]


@pytest.mark.parametrize("operator", [one for one in TAKES_AWAY if "{s}" in one])
def test_gold_texts_state_no_more_under_an_operator_than_alone(operator):
    for row in ONE:
        alone = {
            (one.head, one.tail) for one in statements(row["text"], row["world"], row["names"])
        }
        under = operator.format(s=row["text"][:-1], S=row["text"][:-1])
        for one in statements(under, row["world"], row["names"]):
            if one.status is Status.ASSERTED:
                assert (one.head, one.tail) in alone
