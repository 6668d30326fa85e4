"""What a story says to a claim, and what follows from a few claims by themselves.

Both are the solver's verdicts: `Truth` on all that a puzzle gives, `Composer` on the premises of one step.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

from clutrr._chains.chain import StepVerdict
from clutrr._facts import implied_forms, named_in
from clutrr._lexicon import World
from clutrr._puzzle import Fact, Puzzle
from clutrr._statement import Statement, StatementKind
from clutrr.theory import Solver
from clutrr.theory.given import Given, names_in, statements_in
from clutrr.theory.solver import Claim, Premise

_REMEMBERED = 1 << 16  # combinations of premises


class Possible(NamedTuple):
    """What can hold between two entities.

    relations: of the label set, in its order. outside: whether something else can be.
    """

    relations: tuple[str, ...]
    outside: bool


class Truth:
    """What is given in a puzzle, and what it says about any two entities.

    A claim is right if the given alone entails it. Between the two entities of the query one of the labels
    holds, as the question says; elsewhere something outside the label set leaves a claim open.
    """

    def __init__(self, puzzle: Puzzle, world: World, solver: Solver) -> None:
        self.puzzle, self.world, self._solver = puzzle, world, solver
        self.given: tuple[Given, ...] = puzzle.given
        self._plain = solver.plain(puzzle.given)
        self.names = tuple(names_in(self._plain))
        self.forms = dict(implied_forms(puzzle.facts, world.labels, world.theory.head_form))
        for one in statements_in(self._plain):
            if one.kind is StatementKind.FORM:
                self.forms[one.head] = one.relations[0]
            elif one.kind is StatementKind.ALTERNATIVES:
                told = {world.meaning[relation].form for relation in one.relations}
                form = told.pop()
                if world.forms and not told and form is not None:  # "a son or a nephew"
                    self.forms[one.tail] = world.forms[form]
        self._stated = {frozenset((fact.head, fact.tail)) for fact in puzzle.facts}
        self._listed = {
            (one.head, one.tail): set(one.relations)
            for one in statements_in(self._plain)
            if one.kind is StatementKind.ALTERNATIVES
        }
        self._asked = frozenset(puzzle.query)
        self._possible: dict[tuple[str, str], Possible | None] = {}

    def possible(self, head: str, tail: str) -> Possible | None:
        """Return what tail can be to head; None if that is not decided."""
        key = head, tail
        if key not in self._possible:
            verdict = self._solver.verdict(self._plain, key)
            found = None
            if verdict.decided:
                outside = verdict.outside and frozenset(key) != self._asked
                found = Possible(verdict.relations, outside)
            self._possible[key] = found
        return self._possible[key]

    def is_stated(self, head: str, tail: str) -> bool:
        """Return whether a fact is about these two."""
        return frozenset((head, tail)) in self._stated

    def verdict(self, claim: Claim) -> StepVerdict | None:
        """Return what the story says to a claim; None if that is not decided. One without relations is none."""
        if not claim.relations:
            return StepVerdict.STATED
        known = self.possible(claim.head, claim.tail)
        if known is None:
            return None
        holding = set(known.relations) & set(claim.relations)
        if not holding:
            return StepVerdict.CONTRADICTED
        if known.outside or len(holding) < len(known.relations):
            return StepVerdict.POSSIBLE
        listed = self._listed.get((claim.head, claim.tail))
        stated = self.is_stated(claim.head, claim.tail)
        stated |= listed is not None and listed <= set(claim.relations)
        return StepVerdict.STATED if stated else StepVerdict.ENTAILED

    def form_known(self, entity: str) -> bool:
        """Return whether a word for this entity needs no form, or its form is told."""
        return not self.world.forms or entity in self.forms


class Composer:
    """What follows from a few claims by themselves: a composition, a converse, or both of two at once."""

    def __init__(self, world: World, solver: Solver) -> None:
        self._world, self._solver = world, solver
        self._lists = StatementKind.ALTERNATIVES in solver.takes
        self._known: dict[tuple[object, ...], Possible | None] = {}

    def follows(self, premises: Sequence[Premise], head: str, tail: str) -> Possible | None:
        """Return what tail can be to head if the premises hold; None if they name neither, or it is not decided.

        No relation at all: the premises exclude each other.
        """
        number: dict[str, str] = {}
        key: list[object] = []
        for one in premises:
            names = (one.head, one.tail) if isinstance(one, Claim) else named_in(one)
            key += [number.setdefault(name, str(len(number))) for name in names]
            key.append(one.relations)
            if isinstance(one, Statement):
                key += (one.kind, one.status)
        if head not in number or tail not in number:
            return None
        key += (number[head], number[tail])
        known = tuple(key)
        if known not in self._known:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            plain = [_renamed(one, number) for one in premises]
            self._known[known] = self._decided(plain, (number[head], number[tail]))
        return self._known[known]

    def _decided(self, premises: Sequence[Premise], query: tuple[str, str]) -> Possible | None:
        if self._lists:
            return self._verdict([_given(one) for one in premises], query)
        found, outside = set[str](), False
        claims = [one for one in premises if isinstance(one, Claim)]
        for choice in product(*(one.relations for one in claims)):
            facts = [Fact(one.head, r, one.tail) for one, r in zip(claims, choice, strict=True)]
            some = self._verdict(facts, query)
            if some is None:
                return None
            found |= set(some.relations)
            outside |= some.outside
        kept = tuple(r for r in dict.fromkeys(self._world.relations) if r in found)
        return Possible(kept, outside)

    def _verdict(self, given: Sequence[Given], query: tuple[str, str]) -> Possible | None:
        verdict = self._solver.verdict(self._solver.plain(given), query)
        return Possible(verdict.relations, verdict.outside) if verdict.decided else None


def composing_assumption(world: World, assume: str) -> str:
    """Return the assumption under which claims may be put together as if they were facts.

    That of the data, unless facts say more than their words under it, as each fact is one step on a grid: then
    what follows from two facts, stated as a third, contradicts them. Then the weakest one.
    """
    solver = world.theory.solver(world.labels, assume)
    for first, second in product(dict.fromkeys(world.relations), repeat=2):
        facts = Fact("0", first, "1"), Fact("1", second, "2")
        verdict = solver.verdict(facts, ("0", "2"))
        if verdict.decided and verdict.entailed:
            third = Fact("0", verdict.relations[0], "2")
            if solver.consistent((*facts, third)) is False:
                return world.theory.assumption().name
    return assume


def _renamed(one: Premise, names: Mapping[str, str]) -> Premise:
    """Return a premise about others. names: by the names of those it is about."""
    if isinstance(one, Claim):
        return Claim(names[one.head], one.relations, names[one.tail])
    entities = tuple(names[name] for name in one.entities)
    tail = names[one.tail] if one.tail else ""
    return replace(one, head=names[one.head], tail=tail, entities=entities, role="", start=0, end=0)


def _given(claim: Premise) -> Given:
    if isinstance(claim, Statement):
        return claim
    if len(claim.relations) == 1:
        return Fact(claim.head, claim.relations[0], claim.tail)
    return Statement(StatementKind.ALTERNATIVES, claim.head, claim.relations, claim.tail)
