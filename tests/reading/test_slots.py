"""The open slots of the grammar, each attacked: what may stand in it must not change what is said."""

import pytest

from clutrr._reading import statements
from clutrr._reading.gaps import GAPS
from clutrr._statement import StatementKind, Status

NAMES = ("Ann", "Bob", "Carl", "Eve")


def said(text: str, world: str = "kinship-v1") -> set[tuple[str, tuple[str, ...], str]]:
    found = statements(text, world, NAMES)
    return {(one.head, one.relations, one.tail) for one in found if one.status is Status.ASSERTED}


def test_every_slot_is_named():
    """A new slot needs attacks of its own here."""
    assert set(GAPS) == {
        "axiom",
        "story",
        "tale",
        "verb",
        "deed",
        "when",
        "letter",
        "manner",
        "work",
        "belief",
        "label",
        "source",
    }


@pytest.mark.parametrize(
    "text",
    [
        "Ann pretended to take her brother Bob to the park.",
        "Ann imagined her brother Bob in the park.",
        "Ann dreamed of her brother Bob.",
        "Ann invented her brother Bob.",
        "Ann took her fictional brother Bob to the park.",
        "Ann took her former husband Bob to the park.",
        "Ann took her would-be husband Bob to the park.",
        "Ann took her almost brother Bob to the park.",
        "Ann took her imaginary brother Bob to the park.",
        "Ann took her alleged brother Bob to the park.",
        "Ann took her zorbly brother Bob to the park.",  # an unknown adjective may turn the word
        "Ann took her sorority sister Eve to the park.",
        "Ann has an imaginary sister called Eve.",
        "Ann wants a sister called Eve.",
        "Ann took her brother Bob to the park in a dream.",
        "Ann gave her brother Bob's book to Carl.",
        "Ann is Bob's sister in Christ.",
        "Ann is Bob's sister zorb.",
        "Ann is Bob's zorb sister.",
        "Ann is zorbly Bob's sister.",
        "Ann zorbs Bob's sister.",
        "Ann is Bob's zorb's sister.",
        "Ann is Bob's mother's zorb.",
        "Ann is Bob's mother of zorb.",
        "Ann is Bob's mother, zorb.",
        "Ann is Bob's mother on stage.",
        "Ann is Bob's mother; that is what the book says.",
        "Ann is Bob's mother, but only in the film.",
        "Ann was Bob's mother in the school play.",
        "Ann almost married Bob.",
        "Ann told her brother Bob was late.",
        "Ann was a second mother to Bob.",
        "Ann, Bob's mother?",
        '"Bob is my son," said Ann, but it was Carl\'s.',
        '"Bob is my son," said Ann, joking.',
        "Ann married Bob in a play.",
        "Ann pretended to marry Bob.",
        "Bob dreamed he flew to Rome and married Ann.",
        "Bob wanted to move to Rome and married Ann.",
        "Bob never zorbed and married Ann.",
        "Bob, who zorbed and married Ann, left.",
    ],
)
def test_what_a_slot_must_not_take(text):
    assert said(text) == set()


@pytest.mark.parametrize(
    "verb", ["took", "zorbed", "drove", "will drive", "never took", "did not take"]
)
@pytest.mark.parametrize("rest", ["to the park", "zorb", "to the zorb in May", "because it rained"])
def test_what_a_slot_may_take(verb, rest):
    assert said(f"Ann {verb} her brother Bob {rest}.") == {("Ann", ("brother",), "Bob")}


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("It is false that Ann is Bob's mother.", []),
        ("Neither Bob nor Carl is Ann's son.", []),
        ("Either Ann or Eve is Bob's mother.", []),
        ("Ann denied that Bob was her son.", []),
        ("Ann doubted that Bob was her son.", []),
        ("Everybody but Bob is Ann's son.", []),
        ("Bob and Ann were once married.", []),
        ("Ann and Eve are like sisters.", []),
        ("Bob is the son of Ann's friend.", []),
        ("Ann is the daughter of Bob's boss, Carl.", [("Carl", ("daughter",), "Ann")]),
        ("Ann was Bob's mother in the play.", []),
        ("Bob is my son, Ann.", []),
        ("Ann is Bob's mother? No.", []),
        ("Ann is Bob's grand mother.", []),
        ("Bob is Ann\u2019s son.", [("Ann", ("son",), "Bob")]),
        ("Bob is Ann\u02bcs son.", [("Ann", ("son",), "Bob")]),
        ("Bob is Ann`s son.", [("Ann", ("son",), "Bob")]),
    ],
)
def test_what_readers_before_got_wrong(text, pairs):
    assert said(text) == set(pairs)


def test_who_marries_whose_sister():
    found = statements("Bob married Ann's sister Eve.", "kinship-v1", NAMES)
    assert {(one.head, one.tail) for one in found} == {("Ann", "Eve"), ("Bob", "Eve")}


def test_names_that_end_in_s():
    (one,) = statements("Bob is James' son.", "kinship", ("Bob", "James"))
    assert (one.head, one.relations, one.tail) == ("James", ("son",), "Bob")


def test_no_form_is_invented():
    found = statements("Alice is a parent of Bob. Bob is a parent of Mo.", "kinship")
    assert [set(one.relations) for one in found] == [{"mother", "father"}] * 2


@pytest.mark.parametrize(
    "text",
    [
        "Ann is right next to Bob.",
        "Ann is right by Bob.",
        "Ann has nothing left over from Bob.",
        "Ann left the Bob early.",
        "Ann is in front of Bob.",
        "Ann is as far north as Bob.",
        "Ann is far from north of Bob.",
        "Ann is on the east side of Bob.",
        "Ann is in the northern part of Bob.",
        "Ann is large when seen from the north of Bob.",
        "Ann faces north, towards Bob.",
    ],
)
def test_what_gives_no_direction(text):
    assert said(text, "directions") == set()


def test_yes_makes_a_statement_of_a_question():
    assert said("Is Bob Ann's son? Yes.") == {("Ann", ("son",), "Bob")}
    assert said("Is Bob Ann's son? Yes, he is.") == {("Ann", ("son",), "Bob")}
    assert said("Is Bob Ann's son? Perhaps.") == set()
    assert said("Is Bob Ann's son? No.") == set()
    assert said("Is Bob Ann's son? Yes. That was a lie.") == set()


def test_who_signs_a_letter_speaks_in_it():
    assert said("My son Bob sings. Love, Ann") == {("Ann", ("son",), "Bob")}
    assert said("My son Bob sings. Love, Ann. My name is Eve.") == set()


@pytest.mark.parametrize(
    "text",
    [
        "If the son of a sister is a nephew, Bob is Ann's nephew.",
        "Unless parents are married, so Bob is Ann's son.",
        "Perhaps brothers share parents, Bob is Ann's brother.",
        "Suppose brothers share parents, so Bob is Ann's brother.",
        "Ann says that brothers share parents, Bob is her brother.",
    ],
)
def test_what_is_no_general_rule(text):
    """In an argument, a rule that names nobody may be a reason, but not a condition."""
    found = statements(text, "kinship-v1", NAMES, reasoning=True)
    assert not [one for one in found if one.status is Status.ASSERTED]


def test_a_general_rule_is_a_reason():
    text = "The son of a sister is a nephew, so Bob is Ann's nephew."
    (one,) = statements(text, "kinship-v1", NAMES, reasoning=True)
    assert (one.head, one.relations, one.tail) == ("Ann", ("nephew",), "Bob")


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("Ann has no brothers.", [("Ann", ("brother",), "denied")]),
        (
            "Ann has no brothers or sons.",
            [("Ann", ("brother",), "denied"), ("Ann", ("son",), "denied")],
        ),
        ("Ann has no sons any more than Bob has.", []),
        ("Ann has no younger brothers.", []),
        ("Perhaps Ann has no sons.", [("Ann", ("son",), "possible")]),
        ("It is false that Ann has no sons.", [("Ann", ("son",), "possible")]),
    ],
)
def test_nobody_is_that_to_somebody(text, closed):
    found = statements(text, "kinship-v1", NAMES)
    assert [(one.head, one.relations, one.status) for one in found] == closed
    assert {one.kind for one in found} <= {StatementKind.CLOSURE}


def test_a_question_alone_states_nothing():
    assert list(statements("Is Bob Ann's son?", "kinship-v1", NAMES)) == []


def test_a_full_stop_may_be_lacking_between_names_in_brackets():
    text = "[Ann] baked a cake for her son [Bob] [Eve] took her son [Carl] home."
    assert said(text) == {("Ann", ("son",), "Bob"), ("Eve", ("son",), "Carl")}
    assert said("[Ann] told her brother [Bob] [Carl] was her son.") == set()
