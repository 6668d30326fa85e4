"""Alternatives, denials, closures and forms in families: by hand, against an answer-set program, and by law."""

from collections import Counter
from random import Random

import pytest
from fact_sets import Aunts
from kinship_solvers import ASSUMPTIONS, kinship_solver
from statement_sets import said, told
from test_scenes import Walker

from clutrr._puzzle import CANNOT_BE_TOLD, Fact
from clutrr._statement import Statement, StatementKind, Status
from clutrr._worlds import load_world
from clutrr.errors import DataError
from clutrr.theory import Finding, Verdict
from clutrr.theory.given import Given

pytest.importorskip("clingo", reason="clingo is not installed (extra: check)")
from kin_people import Said, answers

PLAIN, BY_BLOOD, BY_MARRIAGE = Aunts
WORLD = load_world()
UNDER_BOTH = pytest.mark.parametrize("assume", ASSUMPTIONS)
SOLVERS = {
    (aunts, assume): kinship_solver(aunts.value, assume)
    for aunts in Aunts
    for assume in ASSUMPTIONS
}
ASKED = ("A", "C")
_KINDS = {
    StatementKind.ALTERNATIVES: "some",
    StatementKind.DENIAL: "denied",
    StatementKind.CLOSURE: "closed",
    StatementKind.FORM: "form",
}


def found(verdict: Verdict) -> frozenset[str]:
    assert verdict.decided  # or it would read as a contradiction
    return frozenset(verdict.relations) | ({"outside"} if verdict.outside else set())


def program(one: Given) -> Said:
    """A statement as the answer-set program takes it."""
    if isinstance(one, Fact):
        return Said("some", one.head, (one.relation,), (one.tail,))
    tails = one.entities if one.kind is StatementKind.CLOSURE else (one.tail,) * bool(one.tail)
    return Said(_KINDS[one.kind], one.head, one.relations, tails)


# What C can be to A, worked out by hand, the same under both assumptions.
BY_HAND = {
    # A form that nobody told stays open; each half can be denied, and both together cannot.
    "A son|daughter C": "son daughter",
    "A son|daughter C, C is male": "son",
    "A son|daughter C, A not son C": "daughter",
    "A son|daughter C, A not daughter C": "son",
    "A son|daughter C, A not son C, A not daughter C": "",
    "A grandson B, A is female, B mother C": "daughter daughter-in-law",
    # Alternatives that other statements narrow down.
    "A sister|mother C, A father B, B wife C": "mother",
    "A sister|mother C, A mother B": "sister",
    "A brother|son B, B wife C, A not daughter-in-law C": "outside",
    # An only child, its parents' only children, and who must be somebody's unnamed child.
    "A only son+daughter B, A grandson C": "grandson",
    "B only son+daughter A, B grandson C": "son",
    "B only son+daughter A, B grandson|granddaughter C": "son daughter",
    "A no brother+sister, B son A, B grandson C": "son",
    "A no daughter, A grandson B, B mother C": "daughter-in-law",
    "A only daughter D, A grandson B, B mother C": "daughter-in-law",
    "A only daughter C, A grandson B, B mother C": "daughter",
    "A only daughter D E, A daughter C": "",
    "A only son C": "son",
    "A no son, A son C": "",
    # Grandmothers: there are two of them, and each is somebody's mother.
    "B only grandmother C D, B mother A": "mother mother-in-law",
    "B only grandmother C, B mother A": "",
    "B grandmother C, B mother A, A not mother C": "mother-in-law",
    "B grandmother C, B mother A, A no mother-in-law": "",
    # Spouses: parents are spouses, and a spouse has parents.
    "A no husband+wife, A son C": "",
    "A no husband, A son C, A is female": "",
    "A no husband, A son C": "son",
    "A no wife, A grandson C": "grandson",
    "A no mother-in-law, A father C": "father",
    "A no mother-in-law, A wife C": "",
    "A no father+mother, A sister C": "",
    "A no son-in-law, A daughter B, B husband C": "",
    "A no son-in-law, A daughter B, B son C": "",
    "A no son-in-law, A grandson C": "grandson",
    "A no son-in-law, A grandson B, B mother C": "daughter-in-law",
    # What is denied of a pair holds of nobody else.
    "A not daughter C, A grandson B, B mother C": "daughter-in-law",
    "A not daughter|daughter-in-law C, A grandson B, B mother C": "",
    "A father B, B daughter C, A not sister C": "",
    "A wife B, B son D, A not son C, D brother C": "",
    "A is male, A is female, A son C": "",
    # Those whom nothing joins to the question must be possible.
    "A son C, D no son, D son E": "",
    "A son C, D is male, D is female": "",
}
# Where the assumptions differ: under `tree`, then under `open`.
BY_HAND_TWICE = {
    # A brother's wife's only sister is one's wife only where families are linked twice.
    "A brother B, B wife D, D only sister+brother C, A wife|mother C": ("", "wife"),
    "A brother B, B wife D, D sister C, A not wife|mother-in-law|daughter-in-law C": (
        "outside",
        "outside",
    ),
}


@pytest.mark.parametrize("text", [*BY_HAND, *BY_HAND_TWICE])
def test_worked_out_by_hand(text):
    under = BY_HAND_TWICE.get(text) or (BY_HAND[text],) * len(ASSUMPTIONS)
    for assume, right in zip(ASSUMPTIONS, under, strict=True):
        given = said(text)
        assert answers(map(program, given), ASKED, assume) == set(right.split())
        verdict = SOLVERS[PLAIN, assume].verdict(given, ASKED)
        assert found(verdict) == set(right.split())
        assert SOLVERS[PLAIN, assume].consistent(given) is not verdict.contradictory


@UNDER_BOTH
@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("A aunt|mother C, A mother B", "aunt"),
        ("A aunt|mother C, A mother B, B no sister, A father D, D no sister", ""),
        ("A no uncle, A mother B, B brother|sister C", "aunt"),
        ("A only niece+nephew C, A sister B, B son C", "nephew"),
        ("A no niece+nephew, A sister B, B son C", ""),
        ("A no niece+nephew, B son A, B grandson C", "son"),
    ],
)
def test_aunts_and_nephews_worked_out_by_hand(text, right, assume):
    given = said(text)
    assert answers(map(program, given), ASKED, assume, BY_BLOOD.value) == set(right.split())
    assert found(SOLVERS[BY_BLOOD, assume].verdict(given, ASKED)) == set(right.split())


def slow(*given: object) -> object:
    return pytest.param(*given, marks=pytest.mark.slow)


@UNDER_BOTH
@pytest.mark.parametrize(
    ("aunts", "count", "sizes"),
    [
        (PLAIN, 50, (2, 3)),
        (BY_BLOOD, 25, (2, 3)),
        slow(PLAIN, 2000, (2, 3)),
        slow(BY_BLOOD, 2000, (2, 3)),
        slow(
            BY_MARRIAGE, 30, (2, 2)
        ),  # a network can keep the answer-set program busy for a minute
    ],
)
def test_random_statements(aunts, count, sizes, assume):
    solver, sorts = SOLVERS[aunts, assume], Counter[str]()
    for seed in range(count):
        given, query = told(seed, aunts, sizes)
        right = answers(map(program, given), query, assume, aunts.value)
        verdict = solver.verdict(given, query)
        assert found(verdict) == right, (given, query)
        sorts[verdict.status.value] += 1
    assert min(sorts["proved"], sorts["undetermined"], sorts["contradictory"]) > count / 20


@UNDER_BOTH
def test_laws_of_verdicts(assume):
    solver = SOLVERS[PLAIN, assume]
    for seed in range(300):
        given, query = told(seed, sizes=(2, 4))
        random = Random(seed)
        verdict = solver.verdict(given, query)
        # Neither names nor the order matter, nor does saying a thing twice.
        moved = [_renamed(one) for one in random.sample(given, len(given))]
        asked = (_new_name(query[0]), _new_name(query[1]))
        assert solver.verdict([*moved, moved[0]], asked) == verdict
        # What is proved is among what is possible, whatever the target.
        for target in (*verdict.relations, CANNOT_BE_TOLD):
            proved = verdict.finding(target) is Finding.PROVED
            assert not proved or target in verdict.relations or target == CANNOT_BE_TOLD
        kinds = {solver.labels.meaning[word].kind for word in verdict.relations}
        assert verdict.form_open == (len(verdict.relations) > 1 and len(kinds) == 1)
        # Another statement makes nothing possible: less is possible than without any one of them.
        for i in range(len(given)):
            fewer = [*given[:i], *given[i + 1 :]]
            if {name for one in fewer for name in _names(one)} >= set(query):
                before = solver.verdict(fewer, query)
                assert set(verdict.relations) <= set(before.relations)
                assert verdict.outside <= before.outside


def _new_name(name: str) -> str:
    return f"{chr(ord('A') + ord('Z') - ord(name))}y"


def _renamed(one: Given) -> Given:
    if isinstance(one, Fact):
        return Fact(_new_name(one.head), one.relation, _new_name(one.tail))
    tail, entities = one.tail and _new_name(one.tail), tuple(map(_new_name, one.entities))
    return Statement(one.kind, _new_name(one.head), one.relations, tail, entities)


def _names(one: Given) -> set[str]:
    entities = () if isinstance(one, Fact) else one.entities
    return {one.head, one.tail, *entities} - {""}


@UNDER_BOTH
def test_of_a_contradiction_nothing_can_be_left_out(assume):
    solver, several = SOLVERS[PLAIN, assume], 0
    for seed in range(300):
        given, query = told(seed)
        if not solver.verdict(given, query).contradictory:
            continue
        conflict = solver.explain(given, query).conflict
        assert set(conflict) <= set(given)
        assert solver.consistent(conflict) is False
        for one in conflict:
            assert solver.consistent([other for other in conflict if other != one])
        several += len(conflict) > 1
    assert several > 50


@UNDER_BOTH
def test_the_families_shown_keep_to_denials_and_closures(assume):
    solver, shown = SOLVERS[PLAIN, assume], 0
    for seed in range(200):
        given, query = told(seed)
        verdict = solver.verdict(given, query)
        for relation in verdict.relations:
            family = solver.scene(given, query, relation)
            walker = Walker(family)
            walker.check(assume == "tree")
            assert relation in walker.relations(WORLD, *query)
            assert all(_holds(walker, one) for one in given), (given, str(family))
            shown += 1
        if verdict.outside:
            family, _ = solver.outside_scene(given, query)
            assert not Walker(family).relations(WORLD, *query)
            assert all(_holds(Walker(family), one) for one in given)
    assert shown > 100


def _holds(walker: Walker, one: Given) -> bool:
    family = walker.family
    if isinstance(one, Fact):
        return one.relation in walker.relations(WORLD, one.head, one.tail)
    if one.kind is StatementKind.FORM:
        return family.genders.get(one.head, one.relations[0]) == one.relations[0]
    if one.kind is not StatementKind.CLOSURE:
        holds = not walker.relations(WORLD, one.head, one.tail).isdisjoint(one.relations)
        return holds == (one.kind is StatementKind.ALTERNATIVES)
    related = {
        person
        for couple in family.couples
        for person in (*couple.partners, *couple.children)
        if not walker.relations(WORLD, one.head, person).isdisjoint(one.relations)
    }
    return related == set(one.entities)


@UNDER_BOTH
def test_past_the_limit_nothing_is_claimed(assume):
    given = said("A grandson|nephew B, B no aunt, B mother|aunt C, A not sister C, D uncle A")
    solver = kinship_solver(BY_BLOOD.value, assume, work=5)
    assert solver.verdict(given, ASKED).status is Finding.NOT_DECIDED
    assert solver.consistent(given) is None
    assert solver.explain(given, ASKED).proof is None


def test_what_a_contradiction_takes_for_granted():
    solver = SOLVERS[PLAIN, "open"]
    for text, names in (
        ("A no husband+wife, A son C", ["parents"]),
        ("A no son, A son C", []),
        ("A no father, A son C", ["parents"]),
        ("A son C, C son A", []),
    ):
        explanation = solver.explain(said(text), ASKED)
        assert [one.name for one in explanation.presumed] == names


def test_only_what_is_asserted_or_denied_counts():
    solver = SOLVERS[PLAIN, "open"]
    told = Statement(StatementKind.ALTERNATIVES, "A", ("son", "daughter"), "C")
    for status in (Status.POSSIBLE, Status.SUPPOSED, Status.RETRACTED):
        taken_back = Statement(StatementKind.FACT, "A", ("daughter",), "C", status=status)
        assert solver.verdict([told, taken_back], ASKED).form_open
    supposed = Statement(StatementKind.FACT, "A", ("son",), "B", status=Status.SUPPOSED)
    with pytest.raises(DataError, match="no fact is about B"):
        solver.verdict([told, supposed], ("A", "B"))
    denied = Statement(StatementKind.FACT, "A", ("daughter",), "C", status=Status.DENIED)
    assert solver.verdict([told, denied], ASKED).relations == ("son",)
    no_man = Statement(StatementKind.FORM, "C", ("male",), status=Status.DENIED)
    assert solver.verdict([told, no_man], ASKED).relations == ("daughter",)
    plain = Statement(StatementKind.FACT, "A", ("son",), "C")
    assert solver.verdict([plain], ASKED) == solver.verdict([Fact("A", "son", "C")], ASKED)


@pytest.mark.parametrize(
    ("one", "says"),
    [
        (Statement(StatementKind.DENIAL, "A", ("cousin",), "C"), "'cousin' is not one of daughter"),
        (Statement(StatementKind.FORM, "A", ("old",)), "'old' is not one of female, male"),
        (Statement(StatementKind.CLOSURE, "A", ()), "lacks a relation"),
        (Statement(StatementKind.ALTERNATIVES, "A", ("son", "daughter")), "lacks .* an entity"),
        (
            Statement(StatementKind.CLOSURE, "A", ("son",), entities=("B",), status=Status.DENIED),
            "states nothing definite",
        ),
    ],
)
def test_statements_that_cannot_be_used(one, says):
    with pytest.raises(DataError, match=says):
        SOLVERS[PLAIN, "open"].verdict([Fact("A", "son", "C"), one], ASKED)
