"""Statements about people: written down in a short notation, or drawn at random, with every kind among them."""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from fact_sets import KIND_OF, KINDS, Aunts, people, question

from clutrr._puzzle import Fact
from clutrr._statement import Statement, StatementKind
from clutrr.theory.given import Given

SHAPES = ("family graph", "family graph", "family chain", "linked family graph", "loose graph")
_SEXES = ("female", "male")
# How often each kind is closed.
_CLOSED = {
    "child": 4,
    "sibling": 4,
    "SO": 3,
    "grand": 2,
    "in-law": 2,
    "inv-child": 1,
    "inv-grand": 1,
}
_CLOSED |= {"inv-in-law": 1, "un": 2, "inv-un": 2}


class Told(NamedTuple):
    """Facts and statements, and the two people asked about."""

    given: tuple[Given, ...]
    query: tuple[str, str]


def said(text: str) -> tuple[Given, ...]:
    """Read "A son B", "A son|daughter B", "A not son B", "A only son+daughter B C" (of nobody: "A no son"),
    "A is female", with commas between them."""
    return tuple(_said(one.split()) for one in text.split(", "))


def _said(words: list[str]) -> Given:
    match words:
        case [head, "not", relations, tail]:
            return Statement(StatementKind.DENIAL, head, tuple(relations.split("|")), tail)
        case [head, "is", form]:
            return Statement(StatementKind.FORM, head, (form,))
        case [head, "only" | "no", relations, *entities]:
            closed = tuple(relations.split("+"))
            return Statement(StatementKind.CLOSURE, head, closed, entities=tuple(entities))
        case [head, relation, tail] if "|" in relation:
            return Statement(StatementKind.ALTERNATIVES, head, tuple(relation.split("|")), tail)
        case [head, relation, tail]:
            return Fact(head, relation, tail)
    raise ValueError(words)


def told(seed: int, aunts: Aunts = Aunts.NONE, sizes: tuple[int, int] = (2, 3)) -> Told:
    """Statements about a few people: facts, made vaguer, with denials, closures and forms among them."""
    random = Random(f"statements {seed}")
    facts, query, *_ = question(random.choice(SHAPES), seed, sizes, aunts)
    names = sorted(people(facts))
    given: list[Given] = [_vague(random, fact, aunts.words) for fact in facts]
    given += [_denial(random, names, facts, aunts.words) for _ in range(random.choice((0, 1, 2)))]
    given += [_closure(random, names, facts, aunts) for _ in range(random.choice((0, 1, 1, 2)))]
    given += [_form(random, facts) for _ in range(random.choice((0, 0, 1)))]
    random.shuffle(given)
    return Told(tuple(given), query)


def _vague(random: Random, fact: Fact, words: Sequence[str]) -> Given:
    """The fact, or alternatives with its relation among them: of either sex, or any other."""
    if random.random() < 0.4:
        return fact
    relations = {fact.relation, *KINDS[KIND_OF[fact.relation]][:2]}
    if random.random() < 0.5:
        relations = {fact.relation, *random.sample(words, random.randint(1, 3))}
    return Statement(StatementKind.ALTERNATIVES, fact.head, tuple(sorted(relations)), fact.tail)


def _denial(
    random: Random, names: Sequence[str], facts: Sequence[Fact], words: Sequence[str]
) -> Statement:
    head, tail = random.sample(names, 2)
    if random.random() < 0.5:
        head, _, tail = random.choice(facts)
    relations = random.sample(words, random.randint(1, 4))
    if random.random() < 0.5:
        relations = list(KINDS[KIND_OF[relations[0]]][:2])
    return Statement(StatementKind.DENIAL, head, tuple(relations), tail)


def _closure(
    random: Random, names: Sequence[str], facts: Sequence[Fact], aunts: Aunts
) -> Statement:
    """Everybody in a relation to somebody: those of whom a fact says so, mostly."""
    kinds = [kind for kind in _CLOSED if KINDS[kind][0] in aunts.words]
    kind = random.choices(kinds, [_CLOSED[kind] for kind in kinds])[0]
    relations = list(KINDS[kind][:2])
    if random.random() < 0.3:
        relations.pop(random.randrange(2))
    head = random.choice(names)
    entities = [fact.tail for fact in facts if fact.head == head and fact.relation in relations]
    entities += [
        fact.head
        for fact in facts
        if fact.tail == head and KIND_OF[fact.relation] == KINDS[kind][2] and random.random() < 0.7
    ]
    if random.random() < 0.15:
        entities.append(random.choice(names))
    closed = tuple(dict.fromkeys(entities))
    return Statement(StatementKind.CLOSURE, head, tuple(relations), entities=closed)


def _form(random: Random, facts: Sequence[Fact]) -> Statement:
    """Somebody's sex: as a fact says, or of somebody of whom none does."""
    head, relation, tail = random.choice(facts)
    sex = KINDS[KIND_OF[relation]].index(relation)
    if random.random() < 0.5:
        return Statement(StatementKind.FORM, head, (random.choice(_SEXES),))
    return Statement(StatementKind.FORM, tail, (_SEXES[sex],))
