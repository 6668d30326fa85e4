"""Deciding a question, and why the answer holds: a proof, scenes that show the alternatives, or a conflict.

A theory implements `Solver.verdict`, and, where it can, scenes that show a relation. Everything that is
explained follows from these.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from clutrr.errors import DataError
from clutrr.facts import shortest_path
from clutrr.labels import Labels
from clutrr.puzzle import Fact
from clutrr.theory.drawing import Drawing, draw_facts
from clutrr.theory.verdict import Verdict

Facts = tuple[Fact, ...]
Query = tuple[str, str]


class Scene(ABC):
    """A small scene that shows how facts can hold. `str` of it is a line for people.

    Entities that no fact names are called ?1, ?2, ...
    """

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the scene as plain data, for JSON."""

    @abstractmethod
    def drawing(self, named: Iterable[str] = ()) -> Drawing:
        """Return where to draw it. named: entities that must be in the drawing."""

    @property
    def note(self) -> str:
        """A remark on what is unusual about the scene; "" if nothing is."""
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


@dataclass(frozen=True)
class ProofStep:
    """A claim that follows from others: from these premises, and what the step before has shown.

    other: something outside the label set that the claim leaves possible, if anything.
    """

    premises: tuple[Claim, ...]
    claim: Claim
    other: str | None = None


@dataclass(frozen=True)
class RuledOut:
    """A label that might have been the answer and cannot hold, and facts that are enough to exclude it."""

    relation: str
    facts: Facts


@dataclass(frozen=True)
class Proof:
    """Facts that are enough for the answer, and how.

    steps: from the facts to the answer. further: facts that the answer needs and that no step mentions.
    ruled_out: the nearest other answers.
    """

    facts: Facts
    steps: tuple[ProofStep, ...]
    further: Facts
    ruled_out: tuple[RuledOut, ...]


@dataclass(frozen=True)
class Alternative:
    """Something that the second entity can be to the first, and a scene in which it is.

    links: what it requires of other entities, beyond the facts.
    """

    relation: str
    scene: Scene
    links: Facts = ()


@dataclass(frozen=True)
class Explanation:
    """Why a verdict is what it is.

    proof: if the answer is proved. alternatives: what is possible, if it is not, or what else is, outside the
    label set. conflict: facts that contradict each other.
    """

    proof: Proof | None
    alternatives: tuple[Alternative, ...]
    conflict: Facts


class Solver(ABC):
    """Decides questions with one label set under one assumption.

    `verdict` is all that a theory must bring. spent: the work done so far, in units of the theory; a proof
    may add `allowance` to it.
    """

    allowance: int = 2_000_000

    def __init__(self, labels: Labels, assume: str) -> None:
        self.labels = labels
        self.assume = assume
        self.spent = 0

    @abstractmethod
    def verdict(self, facts: Sequence[Fact], query: Query) -> Verdict:
        """Return what the second entity of the query can be to the first.

        Neither names nor the order of the facts matter. Raises DataError if the query names one entity twice,
        or one that no fact names.
        """

    def consistent(self, facts: Sequence[Fact]) -> bool | None:
        """Return whether some scene has these facts; None if that is not decided."""
        if any(fact.head == fact.tail for fact in facts):
            return False
        if not facts:
            return True
        verdict = self.verdict(facts, (facts[0].head, facts[0].tail))
        return not verdict.contradictory if verdict.decided else None

    def scene(self, facts: Sequence[Fact], query: Query, relation: str) -> Scene | None:
        """Return a small scene with the facts and this relation; None if there is none to show."""
        return None

    def outside_scene(self, facts: Sequence[Fact], query: Query) -> tuple[Scene, str] | None:
        """Return a small scene with the facts and no relation of the label set; and what holds, in words."""
        return None

    def rivals(self, answer: str) -> list[str]:
        """Return the labels that a reader may take for the answer, to be ruled out in a proof."""
        return [relation for relation in self.labels.relations if relation != answer]

    def links(self, facts: Sequence[Fact], query: Query, scene: Scene) -> Facts:
        """Return what a scene requires of entities beside the query, in a few facts."""
        return ()

    def drawing(self, facts: Sequence[Fact]) -> Drawing:
        """Return a drawing of the facts alone, where no scene has them all."""
        return draw_facts({(fact.head, fact.tail): 0 for fact in facts})

    def explain(self, facts: Sequence[Fact], query: Query) -> Explanation:
        """Return why the verdict on a question is what it is."""
        verdict = self.verdict(facts, query)
        if not verdict.decided:
            return Explanation(None, (), ())
        if verdict.contradictory:
            limit = self.spent + self.allowance
            conflict = least(facts, lambda rest: self.spent < limit and self.consistent(rest) is False)
            return Explanation(None, (), conflict)
        others = () if verdict.proved else verdict.relations
        shown = [(self.scene(facts, query, relation), relation) for relation in others]
        if verdict.outside and (outside := self.outside_scene(facts, query)):
            shown.append(outside)
        found = tuple(
            Alternative(relation, scene, self.links(facts, query, scene))
            for scene, relation in shown
            if scene
        )
        proof = self._prove(facts, query, verdict.relations[0]) if verdict.proved else None
        return Explanation(proof, found, ())

    def _possible(self, query: Query) -> Callable[[Facts], tuple[str, ...] | None]:
        """Return what tells the possible relations: with a little extra work, to make a proof shorter."""
        limit = self.spent + self.allowance

        def possible(rest: Facts) -> tuple[str, ...] | None:
            if self.spent >= limit or not names_both(rest, query):
                return None
            verdict = self.verdict(rest, query)
            return verdict.relations if verdict.decided else None

        return possible

    def _prove(self, facts: Sequence[Fact], query: Query, answer: str) -> Proof:
        first, last = query
        limit, possible = self.spent + self.allowance, self._possible(query)
        undecided = Verdict((), False, self.assume, decided=False)
        needed = least(facts, lambda rest: possible(rest) == (answer,))
        route = shortest_path(needed, first, last)
        path = tuple(needed[number] for number in route.numbers) if route else ()
        steps = []
        for i, (fact, entity) in enumerate(zip(path, route.entities[1:] if route else (), strict=True)):
            so_far, asked = path[: i + 1], (first, entity)
            verdict = self.verdict(so_far, asked) if self.spent < limit else undecided
            other = self.outside_scene(so_far, asked) if verdict.outside else None
            claim = Claim(first, verdict.relations, entity)
            steps.append(ProofStep((Claim.of(fact),), claim, other and other[1]))
        ruled_out = []
        for relation in self.rivals(answer):
            why = least(needed, lambda rest, r=relation: r not in (possible(rest) or (r,)))  # type: ignore[misc]
            ruled_out.append(RuledOut(relation, why))
        further = tuple(fact for fact in needed if fact not in path)
        return Proof(needed, tuple(steps), further, tuple(ruled_out))


def query_named(facts: Sequence[Fact], query: Query) -> None:
    """Raise DataError if the query names one entity twice, or one that no fact names."""
    first, last = query
    if first == last:
        raise DataError(f"query: {first} is named twice; ask about two different names")
    named = {name for fact in facts for name in (fact.head, fact.tail)}
    for name in query:
        if name not in named:
            raise DataError(f"query: no fact is about {name}")


def names_both(facts: Sequence[Fact], query: Query) -> bool:
    """Return whether facts name both entities of the query."""
    return {name for fact in facts for name in (fact.head, fact.tail)}.issuperset(query)


def least(facts: Sequence[Fact], enough: Callable[[Facts], bool]) -> Facts:
    """Return a subset of the facts that is enough and from which nothing can be left out.

    First many facts at a time are left out, then fewer and fewer: any set with enough facts in it is enough.
    """
    kept = tuple(dict.fromkeys(facts))
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
