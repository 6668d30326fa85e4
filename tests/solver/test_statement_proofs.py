"""Proofs and contradictions of statements in words, and as plain data."""

import pytest
from statement_sets import said

from clutrr._solve import Judge, solve_given
from clutrr._statement import Statement, StatementKind
from clutrr._worlds import load_world

OPEN = "Assumed: open, where a marriage may link two families that are already linked."
NAMES = {"A": "Ann", "B": "Bob", "C": "Carol", "D": "Dan", "E": "Eve"}


def solved(text: str, query: tuple[str, str], world: str = "kinship-v1"):
    """What follows from statements in the notation of the tests, told of people with names."""
    words = [" ".join(NAMES.get(word, word) for word in one.split(" ")) for one in text.split(", ")]
    return solve_given(said(", ".join(words)), query, load_world(world))


@pytest.mark.parametrize(
    ("text", "query", "lines"),
    [
        (
            "B aunt|mother E, A son B, A is female, B no uncle",
            ("Bob", "Eve"),
            [
                "1. Eve is Bob's mother or aunt.",
                "2. Bob is Ann's son, and Ann is a woman; so Eve is Bob's aunt.",
            ],
        ),
        (
            "A only daughter+son B, A grandson D, B is male",
            ("Bob", "Dan"),
            [
                "1. Bob is Ann's only child; so Ann is Bob's mother or father.",
                "2. Dan is Ann's grandson; so Dan is Bob's son.",
            ],
        ),
        (
            "A grandson B, B mother C, A no daughter",
            ("Ann", "Carol"),
            [
                "1. Bob is Ann's grandson.",
                "2. Carol is Bob's mother; so Carol is Ann's daughter or daughter-in-law.",
                "3. Ann has no daughters; so Carol is Ann's daughter-in-law.",
            ],
        ),
        (
            "A grandson B, B mother C, A only daughter D E",
            ("Ann", "Carol"),
            [
                "1. Bob is Ann's grandson.",
                "2. Carol is Bob's mother; so Carol is Ann's daughter or daughter-in-law.",
                "3. Ann's daughters are Dan and Eve, and nobody else; so Carol is Ann's daughter-in-law.",
            ],
        ),
        (
            "B aunt|mother E, B mother A",
            ("Bob", "Eve"),
            ["1. Eve is Bob's mother or aunt.", "2. Ann is Bob's mother; so Eve is Bob's aunt."],
        ),
        (
            "A daughter|son B, A not son B",
            ("Ann", "Bob"),
            [
                "1. Bob is Ann's daughter or son.",
                "2. Bob is not Ann's son; so Bob is Ann's daughter.",
            ],
        ),
    ],
)
def test_steps_in_words(text, query, lines):
    solution = solved(text, query)
    assert solution.proof.splitlines()[: len(lines)] == lines
    assert solution.proof.splitlines()[-1] == OPEN


def test_a_form_that_nobody_told():
    solution = solved("A daughter|son B", ("Ann", "Bob"))
    assert (solution.answer, solution.answers) == (None, ("daughter", "son"))
    assert solution.proof.splitlines()[:2] == [
        "Undetermined: Bob can be Ann's daughter or son.",
        "Whether Bob is a woman or a man is not told.",
    ]
    assert solution.to_dict()["form_open"] is True
    assert solved("A daughter|son B, B is male", ("Ann", "Bob")).answer == "son"


def test_a_contradiction_names_what_it_takes_for_granted():
    solution = solved("A no wife+husband, C son D, A son B", ("Ann", "Bob"))
    assert solution.proof.splitlines() == [
        "These statements cannot all hold:",
        "  Ann has no spouse.",
        "  Bob is Ann's son.",
        "Taken for granted: everybody has a mother and a father, who are married to each other.",
        OPEN,
    ]
    assert solution.to_dict()["conflict"] == [
        {"kind": "closure", "head": "Ann", "relations": ["wife", "husband"], "entities": []},
        ["Ann", "son", "Bob"],
    ]


def test_a_woman_and_a_man():
    solution = solved("A is female, A is male, A son B", ("Ann", "Bob"))
    assert solution.proof.splitlines()[1:3] == ["  Ann is a woman.", "  Ann is a man."]


def test_statements_in_german():
    world = load_world("kinship-de")
    none = Statement(StatementKind.CLOSURE, "Anna", ("Ehefrau", "Ehemann"))
    child = Statement(StatementKind.ALTERNATIVES, "Anna", ("Tochter", "Sohn"), "Kim")
    conflict = solve_given([none, child], ("Anna", "Kim"), world).proof.splitlines()
    assert conflict[1:4] == [
        "  Anna hat keine Ehepartner.",
        "  Kim ist Annas Tochter oder Sohn.",
        "Vorausgesetzt: jeder hat eine Mutter und einen Vater, die miteinander verheiratet sind.",
    ]
    denied = Statement(StatementKind.DENIAL, "Anna", ("Sohn",), "Kim")
    proof = solve_given([child, denied], ("Anna", "Kim"), world).proof.splitlines()
    assert proof[1] == "2. Kim ist nicht Annas Sohn; also gilt: Kim ist Annas Tochter."


def test_alternatives_and_denials_of_directions():
    text = [
        Statement(StatementKind.ALTERNATIVES, "A", ("north of", "south of"), "B"),
        Statement(StatementKind.FACT, "B", ("east of",), "C"),
        Statement(StatementKind.DENIAL, "A", ("south-east of",), "C"),
    ]
    for assume in ("free", "unit"):
        proof = solve_given(text, ("A", "C"), load_world("directions"), assume).proof
        assert proof.splitlines()[:3] == [
            '1. The relation of B to A is "north of" or "south of".',
            '2. C is east of B; so the relation of C to A is "north-east of" or "south-east of".',
            '3. The relation of C to A is not "south-east of"; so C is north-east of A.',
        ]


def test_a_target_is_judged_by_statements():
    judge = Judge(load_world("kinship"), "open")
    told, query = said("A daughter|son B, A not son B"), ("A", "B")
    for names in ("AB", "XY", "BA"):  # questions that differ only in names
        renamed = [
            Statement(one.kind, names[0], one.relations, names[1], status=one.status)
            for one in told
        ]
        judged = judge.judge(renamed, (names[0], names[1]), "daughter")
        assert (judged.finding, judged.entailed) == ("proved", True)
    judged = judge.judge(told[:1], query, "daughter")
    assert (judged.finding, judged.form_open) == ("undetermined", True)
    assert judged.possible == ("daughter", "son")


@pytest.mark.parametrize("language", ["de", "es", "fr", "ru", "tr", "zh"])
def test_other_languages_have_words_of_their_own_for_statements(language):
    world, english = load_world(f"kinship-{language}"), load_world("kinship")
    (wife, husband), (daughter, son) = (
        world.labels.kind(english.meaning[word].kind.name).words for word in ("wife", "son")
    )
    given = [
        Statement(StatementKind.CLOSURE, "A", (wife, husband)),
        Statement(StatementKind.ALTERNATIVES, "A", (daughter, son), "B"),
    ]
    proof = solve_given(given, ("A", "B"), world).proof
    undetermined = solve_given(given[1:], ("A", "B"), world).proof
    for said_in_english in ("statements", "mother", "granted", "nobody", "woman", "Whether"):
        assert said_in_english not in proof + undetermined
