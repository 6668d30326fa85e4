"""Whoever reads English reads the same: what `solve` concludes, and what `statements` says of a text."""

import pytest

from clutrr import Fact, Statement, solve, statements
from clutrr.errors import ClutrrError
from clutrr.theory import Finding

# Sentences that deny, quote, invent or speak of somebody else; and a fact that none of them states.
NOT_STATED = [
    ("It is false that Ann is Bob's mother.", ("Bob", "mother", "Ann")),
    ("Neither Bob nor Carl is Ann's son.", ("Ann", "son", "Bob")),
    ("Either Ann or Cid is Bob's mother.", ("Bob", "mother", "Ann")),
    ("Ann denied that Bob was her son.", ("Ann", "son", "Bob")),
    ("Ann dreamed that Bob was her son.", ("Ann", "son", "Bob")),
    ("Ann doubted that Bob was her son.", ("Ann", "son", "Bob")),
    ("Ann pretended that Bob was her son.", ("Ann", "son", "Bob")),
    ("Everybody but Bob is Ann's son.", ("Ann", "son", "Bob")),
    ("Ann almost married Bob.", ("Ann", "husband", "Bob")),
    ("Bob and Ann were once married.", ("Ann", "husband", "Bob")),
    ("Amy and Beth are like sisters.", ("Amy", "sister", "Beth")),
    ("Bob is the son of Ann's friend.", ("Ann", "son", "Bob")),
    ("Ann is the daughter of Bob's boss, Carl.", ("Bob", "daughter", "Ann")),
    ("Bob married Ann's sister Carol.", ("Ann", "husband", "Bob")),
    ("Ann was Bob's mother in the play.", ("Bob", "mother", "Ann")),
    ("Bob is my son, Ann.", ("Ann", "mother", "Bob")),
    ("Ann is Bob's mother? No.", ("Bob", "mother", "Ann")),
    ("Ann is Bob's grand mother.", ("Bob", "mother", "Ann")),
    ("Bob is Ann\u2019s son.", ("Bob", "son", "Ann")),
    ("Bob is James' son.", ("Bob", "son", "James")),
]


@pytest.mark.parametrize(("text", "fact"), NOT_STATED)
def test_what_is_not_stated_is_not_concluded(text, fact):
    assert fact not in statements(text, "kinship").facts
    head, relation, tail = fact
    try:
        found = solve(text, (head, tail), world="kinship")
    except ClutrrError:  # nothing is known of one of them
        return
    assert found.answer != relation


@pytest.mark.parametrize("apostrophe", ["'", "\u2019", "\u02bc", "\u0060", "\u00b4"])
def test_every_apostrophe(apostrophe):
    text = f"Bob is Ann{apostrophe}s son. Carl is James{apostrophe} son."
    assert statements(text).facts == (Fact("Ann", "son", "Bob"), Fact("James", "son", "Carl"))


def test_a_kind_without_a_form_stays_open():
    found = solve("Alice is a parent of Bob. Bob is a parent of Mo.", ("Mo", "Alice"))
    assert found.status is Finding.UNDETERMINED
    assert found.answers == ("grandmother", "grandfather")
    assert found.verdict.form_open
    assert "Whether Alice is a woman or a man is not told." in found.proof
    told = solve("Alice is a parent of Bob. Alice took her husband Carl home.", ("Bob", "Alice"))
    assert told.answer == "mother"


def test_what_is_not_understood_does_not_matter():
    found = solve("Bob is Ann's son. Bob is the uncle of Dan.", ("Ann", "Bob"), world="kinship")
    assert found.answer == "son"
    assert found.unread == ("Bob is the uncle of Dan. ('uncle' is not a relation of this world)",)


def test_what_may_be_taken_back_concludes_nothing():
    story = "Carl is Bob's brother. Bob is Ann's son. Dan is Ann's son. That was a lie."
    found = solve(story, ("Ann", "Carl"), world="kinship")
    assert (found.status, found.answers, found.answer) == (Finding.UNREAD, (), None)
    assert not found.to_dict()["entailed"]
    assert "may take back" in found.proof


def test_without_a_query_all_that_was_read(run):
    story = "Bob is Ann's son. Carl isn't her son. Dan is the uncle of Bob."
    read = solve(story, world="kinship")
    assert read == statements(story, "kinship")
    assert [(one.status.value, one.tail) for one in read] == [
        ("asserted", "Bob"),
        ("denied", "Carl"),
    ]
    ((start, end, reason),) = read.unread
    assert story[start:end] == "uncle of Bob"
    assert reason == "'uncle' is not a relation of this world"
    _, shown, _ = run("solve", "--story", story, "--world", "kinship")
    assert "asserted: Ann: son = Bob" in shown
    assert "denied: Ann: not son = Carl" in shown
    assert "not understood: uncle of Bob ('uncle' is not" in shown


def test_statements():
    read = statements("Bob is Ann's son.")
    (one,) = read
    assert isinstance(one, Statement)
    assert (one.kind, one.head, one.relations, one.tail, one.status) == (
        "fact",
        "Ann",
        ("son",),
        "Bob",
        "asserted",
    )
    assert statements("bob is ann's son.", "kinship", names=["bob", "ann"]).facts == (
        Fact("ann", "son", "bob"),
    )
