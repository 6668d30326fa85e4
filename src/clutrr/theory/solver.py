"""Deciding a question, and why the answer holds: a proof, scenes that show the alternatives, or a conflict.

A theory implements `Solver.verdict`, and, where it can, scenes that show a relation. Everything that is
explained follows from these.

    solver.verdict(given, query)        what the second entity of the query can be to the first
    solver.explain(given, query)        why: a proof, scenes, or a smallest set that contradicts itself
    solver.consistent(given)            whether some scene has all of it
    solver.takes                        the kinds of statement that this solver can use

`given` is a sequence of facts and statements, in any order (given.py). Each narrows the scenes down, so that
another statement never makes anything possible:

    fact            head and tail are so related
    alternatives    one of these relations holds between head and tail
    denial          none of these relations holds between head and tail
    closure         exactly these entities stand in one of these relations to head, named or not
    form            what an entity adds to words
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeAlias

from clutrr._facts import shortest_path
from clutrr._labels import Labels
from clutrr._puzzle import Fact
from clutrr._statement import Statement, StatementKind
from clutrr.errors import DataError
from clutrr.theory.drawing import Drawing, draw_facts
from clutrr.theory.given import (
    Given,
    all_facts,
    facts_in,
    names_in,
    pairs_in,
    plain,
    statements_in,
    usable,
)
from clutrr.theory.verdict import Verdict

Facts = tuple[Fact, ...]
Query = tuple[str, str]
Say = Callable[
    ..., str
]  # a text by its name, with names of entities in its slots, in the words of a world


class Scene(ABC):
    """A small scene that shows how facts can hold.

    Entities that no fact names are called ?1, ?2, ...
    """

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the scene as plain data, for JSON."""

    @abstractmethod
    def drawing(self, named: Iterable[str] = ()) -> Drawing:
        """Return where to draw it. named: entities that must be in the drawing."""

    def shown(self, say: Say) -> str:
        """Return the scene as a line for people; by default what `str` says."""
        return str(self)

    def note(self, say: Say) -> str:
        """Return a remark on what is unusual about the scene; "" if nothing is."""
        return ""


class Claim(NamedTuple):
    """What an entity can be to another: tail is one of these to head."""

    head: str
    relations: tuple[str, ...]
    tail: str

    @classmethod
    def of(cls, fact: Fact) -> "Claim":
        """Return what a fact states."""
        return cls(fact.head, (fact.relation,), fact.tail)


Premise: TypeAlias = Claim | Statement


class Presumed(NamedTuple):
    """A part of what a theory takes for granted that an answer depends on, and that people may not expect.

    brief: what it says, in half a sentence, in English.
    """

    name: str
    brief: str


@dataclass(frozen=True)
class ProofStep:
    """A claim that follows from others: from these premises, and what the steps before have shown.

    other: something outside the label set that the claim leaves possible, if anything.
    """

    premises: tuple[Premise, ...]
    claim: Claim
    other: str | None = None


@dataclass(frozen=True)
class RuledOut:
    """A label that might have been the answer and cannot hold, and what is enough to exclude it."""

    relation: str
    facts: tuple[Given, ...]


@dataclass(frozen=True)
class Proof:
    """What is enough for the answer, and how.

    Args:
        facts: facts and statements, of which none can be left out.
        steps: from these to the answer.
        further: facts that the answer needs and that no step mentions.
        ruled_out: the nearest other answers.
    """

    facts: tuple[Given, ...]
    steps: tuple[ProofStep, ...]
    further: tuple[Given, ...]
    ruled_out: tuple[RuledOut, ...]


@dataclass(frozen=True)
class Alternative:
    """Something that the second entity can be to the first, and a scene in which it is.

    links: what it requires of other entities, beyond what is given.
    """

    relation: str
    scene: Scene
    links: Facts = ()


@dataclass(frozen=True)
class Explanation:
    """Why a verdict is what it is.

    Args:
        proof: if the answer is proved.
        alternatives: what is possible, if it is not, or what else is, outside the label set.
        conflict: a smallest set of what is given that contradicts itself.
        presumed: what proof or conflict take for granted that people may not expect.
    """

    proof: Proof | None
    alternatives: tuple[Alternative, ...]
    conflict: tuple[Given, ...]
    presumed: tuple[Presumed, ...] = ()


class Solver(ABC):
    """Decides questions with one label set under one assumption.

    `verdict` is all that a theory must bring. spent: the work done so far, in units of the theory; a proof
    may add `allowance` to it. takes: the kinds of statement that `verdict` can use; a theory that takes
    facts alone is never handed anything else.
    """

    allowance: int = 2_000_000
    takes: ClassVar[frozenset[StatementKind]] = frozenset({StatementKind.FACT})

    def __init__(self, labels: Labels, assume: str) -> None:
        self.labels = labels
        self.assume = assume
        self.spent = 0

    @abstractmethod
    def verdict(self, given: Sequence[Given], query: Query) -> Verdict:
        """Return what the second entity of the query can be to the first.

        Neither names nor the order of what is given matter. Raises DataError if the query names one entity
        twice, or one that nothing given names.
        """

    def plain(self, given: Sequence[Given]) -> Sequence[Given]:
        """Return what is given in plain form (given.py). Raises DataError for what cannot be used."""
        return given if all_facts(given) else plain(given, self.labels, self.takes)

    def usable(self, given: Sequence[Given]) -> tuple[tuple[Given, ...], tuple[Statement, ...]]:
        """Return what can be used, in plain form, and the statements that cannot."""
        return usable(given, self.labels, self.takes)

    def sort(self, given: Sequence[Given]) -> tuple[Sequence[Fact], tuple[Statement, ...]]:
        """Return the facts, and the other statements, in plain form."""
        if all_facts(given):
            return given, ()  # type: ignore[return-value]
        usable = self.plain(given)
        return facts_in(usable), statements_in(usable)

    def consistent(self, given: Sequence[Given]) -> bool | None:
        """Return whether some scene has what is given; None if that is not decided."""
        facts, _ = self.sort(given)
        if any(fact.head == fact.tail for fact in facts):
            return False
        if not facts:
            return True
        verdict = self.verdict(given, (facts[0].head, facts[0].tail))
        return not verdict.contradictory if verdict.decided else None

    def scene(self, given: Sequence[Given], query: Query, relation: str) -> Scene | None:
        """Return a small scene with what is given and this relation; None if there is none to show."""
        return None

    def outside_scene(self, given: Sequence[Given], query: Query) -> tuple[Scene, str] | None:
        """Return a small scene of what is given and no relation of the label set; and what holds, in words."""
        return None

    def presumed(self, given: Sequence[Given], query: Query | None) -> tuple[Presumed, ...]:
        """Return what a proof takes for granted that people may not expect. query: None for a conflict."""
        return ()

    def rivals(self, answer: str) -> list[str]:
        """Return the labels that a reader may take for the answer, to be ruled out in a proof."""
        return [relation for relation in self.labels.relations if relation != answer]

    def links(self, given: Sequence[Given], query: Query, scene: Scene) -> Facts:
        """Return what a scene requires of entities beside the query, in a few facts."""
        return ()

    def drawing(self, given: Sequence[Given]) -> Drawing:
        """Return a drawing of the facts alone, where no scene has them all."""
        return draw_facts({(fact.head, fact.tail): 0 for fact in facts_in(given)})

    def explain(self, given: Sequence[Given], query: Query) -> Explanation:
        """Return why the verdict on a question is what it is."""
        given = self.plain(given)
        verdict = self.verdict(given, query)
        if not verdict.decided:
            return Explanation(None, (), ())
        if verdict.contradictory:
            limit = self.spent + self.allowance
            conflict = least(
                given, lambda rest: self.spent < limit and self.consistent(rest) is False
            )
            return Explanation(None, (), conflict, self.presumed(conflict, None))
        others = () if verdict.proved else verdict.relations
        shown = [(self.scene(given, query, relation), relation) for relation in others]
        if verdict.outside and (outside := self.outside_scene(given, query)):
            shown.append(outside)
        found = tuple(
            Alternative(relation, scene, self.links(given, query, scene))
            for scene, relation in shown
            if scene
        )
        if not verdict.proved:
            return Explanation(None, found, ())
        proof = self._prove(given, query, verdict.relations[0])
        return Explanation(proof, found, (), self.presumed(proof.facts, query))

    def _possible(self, query: Query) -> Callable[[Sequence[Given]], tuple[str, ...] | None]:
        """Return what tells the possible relations: with a little extra work, to make a proof shorter."""
        limit = self.spent + self.allowance

        def possible(rest: Sequence[Given]) -> tuple[str, ...] | None:
            if self.spent >= limit or not names_both(rest, query):
                return None
            verdict = self.verdict(rest, query)
            return verdict.relations if verdict.decided else None

        return possible

    def _prove(self, given: Sequence[Given], query: Query, answer: str) -> Proof:
        possible = self._possible(query)
        limit = self.spent + self.allowance
        needed = least(given, lambda rest: possible(rest) == (answer,))
        path, entities = _route(needed, query)
        steps = [
            self._proof_step((one,), path[: i + 1], (query[0], entity), limit)
            for i, (one, entity) in enumerate(zip(path, entities, strict=True))
        ]
        further = tuple(one for one in needed if one not in path)
        if not all_facts(needed):
            steps += self._narrowing(path, further, query, limit)
            further = ()
        ruled_out = []
        for relation in self.rivals(answer):
            why = least(needed, lambda rest, r=relation: r not in (possible(rest) or (r,)))  # type: ignore[misc]
            ruled_out.append(RuledOut(relation, why))
        return Proof(needed, tuple(steps), further, tuple(ruled_out))

    def _follows(self, given: Sequence[Given], asked: Query, limit: int) -> Verdict:
        """Return what follows about a pair; not decided if that would take too much work, or nothing names it."""
        if self.spent < limit and names_both(given, asked):
            return self.verdict(given, asked)
        return Verdict((), False, self.assume, decided=False)

    def _proof_step(
        self, new: Sequence[Given], so_far: Sequence[Given], asked: Query, limit: int
    ) -> ProofStep:
        """Return what follows about a pair. new: of what is given so far, what the step adds."""
        verdict = self._follows(so_far, asked, limit)
        other = self.outside_scene(so_far, asked) if verdict.outside else None
        premises = tuple(_premise(one, self.labels) for one in new)
        claim = Claim(asked[0], verdict.relations, asked[1])
        return ProofStep(premises, claim, other and other[1])

    def _narrowing(
        self, path: Sequence[Given], further: Sequence[Given], query: Query, limit: int
    ) -> list[ProofStep]:
        """Return steps that narrow the answer down: each adds what by itself makes a difference, if anything."""
        steps: list[ProofStep] = []
        so_far, rest = list(path), list(further)
        left = self._follows(so_far, query, limit)
        while rest:
            new = next(
                ([one] for one in rest if self._follows([*so_far, one], query, limit) != left), rest
            )
            so_far += new
            left = self._follows(so_far, query, limit)
            steps.append(self._proof_step(new, so_far, query, limit))
            rest = [one for one in rest if one not in new]
        return steps


def _premise(one: Given, labels: Labels) -> Premise:
    if not isinstance(one, Statement):
        return Claim.of(one)
    if one.kind is not StatementKind.ALTERNATIVES:
        return one
    relations = tuple(word for word in labels.relations if word in one.relations)
    return Claim(one.head, relations, one.tail)


def _route(given: Sequence[Given], query: Query) -> tuple[tuple[Given, ...], tuple[str, ...]]:
    """Return what leads from the first entity of the query to the last, and the entities that it leads to."""
    pairs = [(Fact(a, "", b), one) for one in given for a, b in pairs_in(one)]
    route = shortest_path([pair for pair, _ in pairs], *query)
    if route is None:
        return (), ()
    return tuple(pairs[number][1] for number in route.numbers), route.entities[1:]


def query_named(named: Container[str], query: Query) -> None:
    """Raise DataError if the query names one entity twice, or one that is not named."""
    first, last = query
    if first == last:
        raise DataError(
            f"{first} is named twice", setting="query", hint="ask about two different names"
        )
    for name in query:
        if name not in named:
            raise DataError(f"no fact is about {name}", setting="query")


def names_both(given: Sequence[Given], query: Query) -> bool:
    """Return whether both entities of the query are named."""
    return names_in(given).keys() >= set(query)


def least(given: Sequence[Given], enough: Callable[[tuple[Given, ...]], bool]) -> tuple[Given, ...]:
    """Return a subset of what is given that is enough and from which nothing can be left out.

    First much is left out at a time, then less and less: any set with enough in it is enough.
    """
    kept = tuple(dict.fromkeys(given))
    size = len(kept)
    while size > 1:
        size = (size + 1) // 2
        start = 0
        while start < len(kept):
            rest = kept[:start] + kept[start + size :]
            if rest and enough(rest):
                kept = rest
            else:
                start += size
    return kept
