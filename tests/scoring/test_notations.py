"""Notations of reasoning say what their words say: who is what to whom, in every world."""

import pytest

import clutrr

NAMES = ("Ann", "Bob", "Carl", "Dee")


def claims(said: str, world: str) -> list[tuple[str, str, str]]:
    """Return what a reply claims: who is what to whom."""
    facts = (clutrr.Fact("Ann", "x", "Bob"), clutrr.Fact("Carl", "x", "Dee"))
    label = {"kinship": "son", "time": "before", "regions": "disconnected from"}
    label |= {"directions": "north of", "order": "older than"}
    facts = tuple(one._replace(relation=label[world]) for one in facts)
    puzzle = clutrr.Puzzle(
        id="", story="", abstract="", query=("Ann", "Bob"), target="", k=2, pattern=(),
        facts=facts, entities=(), scene="",
    )  # fmt: skip
    read = clutrr.verify(said, puzzle, world=world).claims
    return [
        (one.tail, "/".join(one.relations), one.head) for one in read if one.status == "asserted"
    ]


CLAUSES = {
    "time": ("finished by", "is finished by", "finished_by"),
    "regions": ("contains at the edge", "contains at the edge", "contains_at_the_edge"),
    "directions": ("north-east of", "is north-east of", "north_east_of"),
    "order": ("the same age as", "is the same age as", "the_same_age_as"),
}
FORMS = (
    "Ann -{clause}-> Bob",
    "Ann → {clause} → Bob",
    "Ann → Bob: {label}",
    "{joined}(Ann, Bob)",
    "is_{joined}(Ann, Bob)",
    "(Ann, {label}, Bob)",
    "[Ann, {label}, Bob]",
    "[2] (Ann, {label}, Bob)",
    "(2) ⊢ {joined}(Ann, Bob)",
    "Ann = {label} Bob",
    "∴ Ann = {label} Bob",
    "{label} Bob: Ann",
    "=> {label} Bob: Ann",
)


@pytest.mark.parametrize("world", CLAUSES)
@pytest.mark.parametrize("form", FORMS)
def test_clauses_in_notations(world: str, form: str) -> None:
    label, clause, joined = CLAUSES[world]
    if world == "regions" and form.startswith("is_"):
        form = form.removeprefix("is_")  # nobody writes "is contains"
    said = form.format(label=label, clause=clause, joined=joined)
    assert claims(said, world) == [("Ann", label, "Bob")]


@pytest.mark.parametrize(
    "said",
    [
        "is_son_of(Bob, Ann)", "son_of(Bob, Ann)", "(3) ⊢ is_son_of(Bob, Ann)", "(Bob, son of, Ann)",
        "[Bob, son of, Ann]", "[1] (Bob, son_of, Ann)", "son of Ann: Bob", "=> son of Ann: Bob",
        "Ann -son-> Bob", "Ann -> Bob: son", "son(Ann) = Bob", 'son["Ann"] = "Bob"',
    ],
)  # fmt: skip
def test_nouns_in_notations(said: str) -> None:
    assert claims(said, "kinship") == [("Bob", "son", "Ann")]


def test_each_fragment_has_its_own_names() -> None:
    said = "daughter of Ann: Carl; wife of Dee: Carl => son-in-law of Ann: Dee"
    assert claims(said, "kinship") == [
        ("Carl", "daughter", "Ann"),
        ("Carl", "wife", "Dee"),
        ("Dee", "son-in-law", "Ann"),
    ]


def test_steps_of_logic_bring_in_their_premises() -> None:
    said = "(2) is_son_of(Bob, Ann) ∧ is_wife_of(Dee, Bob) ⊢ is_daughter_in_law_of(Dee, Ann)"
    assert claims(said, "kinship") == [
        ("Bob", "son", "Ann"),
        ("Dee", "wife", "Bob"),
        ("Dee", "daughter-in-law", "Ann"),
    ]


@pytest.mark.parametrize(
    "said", ["son/son-in-law of Ann: Bob", "Ann -son/son-in-law-> Bob", "son_or_son_in_law(Ann) = Bob"]
)  # fmt: skip
def test_one_of_several(said: str) -> None:
    assert claims(said, "kinship") == [("Bob", "son/son-in-law", "Ann")]


@pytest.mark.parametrize(
    ("world", "said"),
    [
        ("kinship", "son(Bob, Ann)"),  # either way round
        ("kinship", "(Ann, son, Bob)"),
        ("kinship", "¬is_son_of(Bob, Ann)"),
        ("kinship", "not: son of Ann: Bob"),
        ("kinship", "friend of the son of Ann: Bob"),
        ("kinship", "Carl is not the son of Ann: Bob is"),
        ("kinship", "Suppose is_son_of(Bob, Ann)."),
        ("time", "Ann → is finished → Bob"),  # by whom?
        ("time", "¬before(Ann, Bob)"),
        ("time", "possible: before(Ann, Bob)"),
        ("time", "before(Ann, Bob) or after(Ann, Bob)"),
        ("time", "before(Ann, Bob) = False"),
        ("time", "Ann: before Bob begins"),
        ("time", "Ann -not before-> Bob"),
    ],
)
def test_what_is_not_clear_or_not_said(world: str, said: str) -> None:
    assert claims(said, world) == []
