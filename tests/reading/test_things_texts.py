"""Texts about places, ages, events and areas: what is read of them, and what is left under operators.

Metamorphic: each sentence that states something is put under operators that take an assertion away, and gets words that
do so in each of its gaps. What it states vanishes or changes its status, or stays for one of the reasons written here.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from telling import OPERATORS
from test_frames import TAKES_AWAY

from clutrr._lexicon import builtin_world
from clutrr._reading import statements
from clutrr._statement import Statement, Status
from read import asserted, finds, fits, gold_facts

FILE = Path(__file__).parent / "things.jsonl"
ROWS = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
WORLDS = ("directions", "order", "time", "regions")


def stated(text: str, row: dict) -> list[Statement]:
    found = statements(text, row["world"], row["names"])
    return [one for one in found if one.status is Status.ASSERTED]


@pytest.mark.parametrize("world", WORLDS)
def test_no_text_is_overstated_and_most_facts_are_found(world):
    want, got, over = 0, 0, []
    meaning = builtin_world(world)
    for row in (row for row in ROWS if row["world"] == world):
        said, gold = asserted(statements(row["text"], world, row["names"])), gold_facts(row)
        if not all(any(fits(meaning, one, fact) for fact in gold) for one in said):
            over.append((row["text"], said))
        want += len(gold)
        got += sum(any(finds(meaning, one, fact) for one in said) for fact in gold)
    assert over == []
    assert got / want > 0.85


# One sentence that states something, without a clause after a semicolon: "it is false that" ends there.
STATING = [
    row
    for row in ROWS
    if row["facts"]
    and row["text"].count(".") == 1
    and row["text"][-1] == "."
    and not set(';\u201c"') & set(row["text"])
]


def in_the_midst(row: dict) -> str:
    """The sentence without its full stop, as it goes on in another one."""
    text, first = row["text"][:-1], row["text"].split()[0]
    named = any(name.startswith(first) or first.startswith(name) for name in row["names"])
    return text if named else text[0].lower() + text[1:]


SHARES = [0, *(pytest.param(number, marks=pytest.mark.slow) for number in range(1, 24))]


@pytest.mark.parametrize("number", SHARES)
def test_nothing_stands_under_an_operator(number):
    """Every operator with some of the sentences, and every sentence with some of the operators."""
    for at, operator in enumerate([*OPERATORS, *TAKES_AWAY]):
        for row in STATING[(number + at) % 24 :: 24]:
            sentence = in_the_midst(row)
            under = operator.format(s=sentence, S=sentence[0].upper() + sentence[1:])
            assert stated(under, row) == [], under


# In front of these "almost" says how much: "almost two years older" is older.
MEASURES = re.compile(
    r"(almost|hardly) (?:(?:a|an|half|twice|the|some|about|[a-z]+teen|[a-z]+ty) |\d|"
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty)\b)"
)
# What is younger is still younger: "not as old as", "almost as old as".
AS_OLD = re.compile(r"(almost|not|not nearly|nearly) as old as")


def with_word(row: dict, word: str) -> Iterator[tuple[int, str]]:
    """Yield the sentence with a word in each of its gaps, and the place of the gap."""
    text = row["text"]
    for match in re.finditer(" ", text):
        yield match.start(), f"{text[: match.start()]} {word}{text[match.start() :]}"


# Where a word stands in a clause of its own: "which used hardly to be a bank".
BESIDE = re.compile(r", which used|, which (?:ended|began)|(?:,| and| but| yet) ")


@pytest.mark.parametrize("word", ["almost", "formerly", "hardly", "allegedly", "supposedly"])
def test_a_word_in_a_gap_takes_away_what_stands_around_it(word):
    """It stays in front of a measure, in a clause beside, and where the word changes nothing."""
    for row in STATING[len(word) % 6 :: 6]:
        for at, text in with_word(row, word):
            for one in stated(text, row):
                if not one.start <= at < one.end:
                    continue
                around = text[one.start : one.end]
                reasons = MEASURES.search(text), AS_OLD.search(text), BESIDE.search(around)
                assert any(reasons), (text, one)


def test_most_unknown_words_leave_a_predication_unread():
    """A word that nobody knows stands only in the slots that the grammar lists."""
    kept, tried = Counter(), Counter()
    for row in STATING[::5]:
        for at, text in with_word(row, "blorp"):
            for one in stated(text, row):
                kept[row["world"]] += one.start <= at < one.end
            tried[row["world"]] += 1
    assert all(kept[world] < 0.06 * tried[world] for world in WORLDS), (kept, tried)
