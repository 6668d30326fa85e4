"""Families of 60 people and up to 200 facts: bounded work, and never a wrong answer.

What a verdict is held to is families: the one that the facts are from, and others with the same facts, in
which somebody is moved. Facts that cannot all be true stay so whatever else is said.
"""

from copy import deepcopy
from random import Random

import pytest
from fact_sets import Aunts, Family, grow, marry
from kinship_solvers import ASSUMPTIONS, kinship_solver

from clutrr._puzzle import Fact
from clutrr.theory.kinship.deciding.solver import WORK

PEOPLE = 60
# Each set contradicts itself: by a mother too many, a marriage of siblings, an ancestor of one's own.
IMPOSSIBLE = [
    [("P0", "mother", "Q0"), ("P0", "mother", "Q1")],
    [
        ("P0", "sister", "Q0"),
        ("Q0", "husband", "Q1"),
        ("Q1", "father", "Q2"),
        ("P0", "father", "Q2"),
    ],
    [("P0", "son", "Q0"), ("Q0", "grandson", "Q1"), ("Q1", "daughter", "Q2"), ("Q2", "son", "P0")],
]


def words(family: Family) -> dict[tuple[str, str], str | None]:
    """What everybody is to everybody."""
    people = range(PEOPLE)
    return {(f"P{a}", f"P{b}"): family.word(a, b) for a in people for b in people if a != b}


def between(family: Family, query: tuple[str, str]) -> str | None:
    return family.word(*(int(name[1:]) for name in query))


def moved(family: Family, facts: list[Fact], random: Random, tries: int) -> Family:
    """A family with the same facts: somebody comes from elsewhere, or is married into no couple we know."""
    for _ in range(tries):
        other = deepcopy(family)
        side = random.choice([other.birth, other.marriage])
        side[random.randrange(PEOPLE)] = other.couple(None)
        if all(between(other, (fact.head, fact.tail)) == fact.relation for fact in facts):
            family = other
    return family


@pytest.mark.parametrize("count", [40, 100, 200])
@pytest.mark.parametrize("assume", ASSUMPTIONS)
@pytest.mark.parametrize(
    "aunts", [*list(Aunts)[:2], pytest.param(Aunts.BY_MARRIAGE, marks=pytest.mark.slow)]
)
def test_large_families(aunts, assume, count):
    random, changed = Random(f"{aunts} {assume} {count}"), 0
    for linked in (False, assume == "open"):
        family = grow(random, PEOPLE, aunts)
        if linked:
            marry(random, family)
        here = words(family)
        facts = [
            Fact(a, here[a, b], b)
            for a, b in random.sample([pair for pair in here if here[pair]], count)
        ]
        there = words(moved(family, facts, random, 150))
        named = {name for fact in facts for name in (fact.head, fact.tail)}
        pairs = [pair for pair in here if named.issuperset(pair) and (here[pair] or there[pair])]
        told = {(fact.head, fact.tail) for fact in facts}
        pairs.sort(key=lambda pair: (here[pair] == there[pair], pair in told, random.random()))
        solver = kinship_solver(aunts.value, assume)
        for query in pairs[:3]:
            before, verdict = solver.spent, solver.verdict(facts, query)
            assert solver.spent - before < 3 * WORK
            changed += here[query] != there[query]
            for truth in {here[query], there[query]} if verdict.decided else ():
                assert truth in verdict.relations if truth else verdict.outside, (
                    facts,
                    query,
                    truth,
                )
        for wrong in IMPOSSIBLE:
            also = [Fact(*fact) for fact in wrong]
            assert not kinship_solver(aunts.value, assume).verdict([*facts, *also], query).relations
    assert changed or count > 40
