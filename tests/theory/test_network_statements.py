"""Alternatives and denials in the theories given by models, against answer-set programs and by law."""

import random

import pytest
from test_models import ASSUMED, THINGS, _between, network, solver, theory

from clutrr._puzzle import Fact
from clutrr._statement import Statement, StatementKind
from clutrr.errors import DataError
from clutrr.theory import Finding
from clutrr.theory.given import Given

pytest.importorskip("clingo", reason="clingo is not installed (extra: check)")
from statement_program import possible


def statements(name: str, chance: random.Random) -> tuple[tuple[Given, ...], tuple[str, str]]:
    """Facts of a network, most of them made vaguer, with denials among them; and two of their entities."""
    facts, query = network(name, chance)
    kinds = theory(name).kinds
    given: list[Given] = []
    for fact in facts[: chance.randint(2, 7)]:
        others = set(chance.sample(kinds, chance.randint(1, len(kinds) - 1)))
        if chance.random() < 0.5:
            relations = tuple(sorted({*others, fact.relation}))
            given.append(Statement(StatementKind.ALTERNATIVES, fact.head, relations, fact.tail))
        else:
            given.append(fact)
        if chance.random() < 0.4:
            head, tail = chance.sample([fact.head, fact.tail, *query], 2)
            if head != tail:
                denied = tuple(sorted(others))
                given.append(Statement(StatementKind.DENIAL, head, denied, tail))
    named = sorted({name for one in given for name in (one.head, one.tail)})
    first, last = chance.sample(named, 2)
    return tuple(given), (first, last)


@pytest.mark.parametrize("count", [50, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("name", "assume"), ASSUMED)
def test_what_is_possible_is_what_an_answer_set_program_says(name, assume, count):
    chance, decide, sizes = random.Random(f"{name} {count}"), solver(name, assume), []
    for _ in range(count):
        given, query = statements(name, chance)
        verdict = decide.verdict(given, query)
        right = possible(name, assume, given, query, theory(name).kinds)
        assert (set(verdict.relations), verdict.decided) == (right, True), (given, query)
        assert decide.consistent(given) == bool(right)
        sizes.append(len(right))
    assert min(sizes.count(0), sizes.count(1)) > count / 20
    assert sum(size > 1 for size in sizes) > count / 20


@pytest.mark.parametrize(("name", "assume"), ASSUMED)
def test_laws_of_verdicts(name, assume):
    chance, decide = random.Random(5), solver(name, assume)
    for _ in range(60):
        given, query = statements(name, chance)
        verdict = decide.verdict(given, query)
        # The order does not matter, nor does saying a thing twice, nor from which end.
        moved = chance.sample(given, len(given))
        assert decide.verdict([*moved, moved[0]], query) == verdict
        assert decide.verdict([_turned(name, one) for one in given], query) == verdict
        # Another statement makes nothing possible.
        for i in range(len(given)):
            fewer = [*given[:i], *given[i + 1 :]]
            if {name for one in fewer for name in (one.head, one.tail)} >= set(query):
                assert set(verdict.relations) <= set(decide.verdict(fewer, query).relations)


def _turned(name: str, one: Given) -> Given:
    """The statement as seen from the other entity."""
    converses = theory(name).converses
    if isinstance(one, Fact):
        return Fact(one.tail, converses[one.relation], one.head)
    turned = tuple(converses[relation] for relation in one.relations)
    return Statement(one.kind, one.tail, turned, one.head)


@pytest.mark.parametrize(("name", "assume"), ASSUMED)
def test_explanations_of_statements(name, assume):
    """A proof needs all that it names, a conflict too; a scene shows what is given and what it is shown for."""
    ours, decide, chance = theory(name), solver(name, assume), random.Random(11)
    proofs = conflicts = scenes = 0
    for _ in range(60 if name == "regions" else 120):
        given, query = statements(name, chance)
        verdict, explanation = decide.verdict(given, query), decide.explain(given, query)
        if verdict.contradictory:
            conflicts += 1
            assert decide.consistent(explanation.conflict) is False
            for one in explanation.conflict:
                assert decide.consistent([o for o in explanation.conflict if o != one])
        elif verdict.proved:
            proofs += 1
            proof = explanation.proof
            assert decide.verdict(proof.facts, query).relations == verdict.relations
            assert proof.steps[-1].claim == (query[0], verdict.relations, query[1])
        for alternative in explanation.alternatives:
            boxes = alternative.scene.to_dict().get("boxes")
            if boxes is None:  # no picture of the regions was found
                continue
            scenes += 1
            shown = {
                (a, b): _between(ours, boxes[a], boxes[b]) for a in boxes for b in boxes if a != b
            }
            assert shown[query] == alternative.relation
            assert all(_holds(shown, one) for one in given)
    assert min(proofs, conflicts) > 5
    assert scenes > 20


def _holds(shown: dict[tuple[str, str], str], one: Given) -> bool:
    relation = shown[one.head, one.tail]
    if isinstance(one, Fact):
        return relation == one.relation
    return (relation in one.relations) == (one.kind is StatementKind.ALTERNATIVES)


# How many sets, the empty one among them: the point algebra, ORD-Horn, the preconvex relations of directions, and
# the class H8-hat of RCC-8, as published.
@pytest.mark.parametrize(
    ("name", "tractable", "convex"),
    [("order", 8, 7), ("time", 868, 83), ("directions", 142, 37), ("regions", 148, 38)],
)
def test_classes_of_sets_are_as_large_as_published_and_closed(name, tractable, convex):
    classes, algebra = theory(name).set_classes(), theory(name).algebra
    assert (len(classes.tractable), len(classes.convex)) == (tractable - 1, convex - 1)
    assert {1 << kind for kind in range(algebra.size)} <= set(classes.convex)
    chance = random.Random(3)
    for sets in (classes.convex, classes.tractable):
        some = chance.sample(sorted(sets), min(len(sets), 100))
        for one in some:
            assert algebra.turn(one) in sets
            assert all(one & other in {0, *sets} for other in some)
            assert all(algebra.compose(one, other) in sets for other in some)
    for kinds in chance.sample(range(1, algebra.every), min(algebra.every - 1, 100)):
        parts = classes.split(kinds)
        assert sum(parts) == kinds
        assert set(parts) <= set(classes.tractable)


def many_alternatives(name: str, assume: str) -> list[Given]:
    """Forty entities of one scene; each is stated to be one of two kinds to the next three."""
    ours, chance = theory(name), random.Random(2)
    things = sorted(chance.sample(THINGS[name] * 9, 40))
    if assume == "unit":
        things = [(i // 2, i % 2) for i in range(40)]
    given: list[Given] = []
    for a, b in [(i, i + far) for i in range(37) for far in (1, 2, 3)]:
        if assume == "unit" and abs(things[a][0] - things[b][0]) > 1:
            continue
        kinds = sorted({ours.relation(things[a], things[b]), chance.choice(ours.kinds)})
        given.append(Statement(StatementKind.ALTERNATIVES, str(a), tuple(kinds), str(b)))
    return given


@pytest.mark.parametrize(("name", "assume"), ASSUMED)
def test_many_alternatives_take_bounded_work(name, assume):
    decide = solver(name, assume)
    verdict = decide.verdict(many_alternatives(name, assume), ("0", "37"))
    assert not verdict.contradictory
    assert decide.spent < 2 * decide.allowance


@pytest.mark.parametrize(("name", "assume"), ASSUMED)
def test_past_the_limit_nothing_is_claimed(name, assume):
    given, decide = many_alternatives(name, assume), solver(name, assume)
    decide.allowance = 100
    assert decide.verdict(given, ("0", "37")).status is Finding.NOT_DECIDED
    assert decide.consistent(given) is None
    assert decide.explain(given, ("0", "37")).proof is None


def test_a_statement_that_a_theory_does_not_take():
    closed = Statement(StatementKind.CLOSURE, "a", ("<",))
    with pytest.raises(DataError, match="takes no statement of the kind closure"):
        solver("order").verdict([Fact("a", "<", "b"), closed], ("a", "b"))
