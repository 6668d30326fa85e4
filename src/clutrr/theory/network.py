"""Deciding questions of a theory given by models: a network of facts, reduced to the two asked about.

A network holds, for pairs of entities, the set of kinds that are still possible. An entity is eliminated by
composing what it is to each two of its neighbours, and keeping of what these two can be to each other only
what agrees. What is left in the end between the two queried entities is exactly what is possible.

Facts are single kinds. All sets that arise from them by composition, converses and intersection belong to
subalgebras in which composition distributes over intersection (the convex relations of points and intervals,
and their counterparts for directions and for RCC-8). There elimination loses nothing and leaves nothing
impossible: Li, Long, Liu and Duckham, "On redundant topological constraints", 2015.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clutrr.labels import Labels
from clutrr.puzzle import Fact
from clutrr.theory.algebra import RelationAlgebra, bits
from clutrr.theory.boxes import GraphScene
from clutrr.theory.solver import Claim, Proof, ProofStep, Query, Scene, Solver, least, query_named
from clutrr.theory.verdict import Verdict

if TYPE_CHECKING:
    from clutrr.theory.models import ModelTheory

_MOST_DRAWN = 24  # entities of a scene
_MOST_STEPS = 10_000  # of a proof that is shown


@dataclass(frozen=True)
class _Found:
    """What was found out about a pair when an entity between its two was eliminated."""

    first: str
    through: str
    last: str
    kinds: int  # what the way through says
    left: int  # what is left of the pair, with all that was known of it


class _Network:
    """What entities can be to each other: `near[a][b]` is what b can be to a, a set of kinds."""

    def __init__(self, algebra: RelationAlgebra, facts: Sequence[tuple[str, int, str]], most: int) -> None:
        self.algebra = algebra
        self.near: dict[str, dict[str, int]] = {}
        self.consistent = True
        self.work, self.most = len(facts), most  # what was done, and how much may be
        for head, kind, tail in facts:
            self.near.setdefault(head, {})
            self.near.setdefault(tail, {})
            if head == tail:
                self.consistent &= kind == algebra.identity
            else:
                self.keep(head, tail, 1 << kind)

    def keep(self, first: str, last: str, kinds: int) -> int:
        """Keep of what last can be to first only these kinds; return what is left."""
        left = self.near[first].get(last, self.algebra.every) & kinds
        self.near[first][last] = left
        self.near[last][first] = self.algebra.turn(left)
        self.consistent &= left != 0
        return left

    def eliminate(self, entity: str) -> list[_Found]:
        """Take an entity out. Its neighbours know of each other what they knew through it."""
        around = self.near.pop(entity)
        compose, turn = self.algebra.compose, self.algebra.turn
        neighbours = list(around)
        for other in neighbours:
            del self.near[other][entity]
        found = []
        for i, first in enumerate(neighbours):
            to_entity = turn(around[first])
            for last in neighbours[i + 1 :]:
                kinds = compose(to_entity, around[last])
                self.work += 1
                if kinds != self.algebra.every or last in self.near[first]:
                    found.append(_Found(first, entity, last, kinds, self.keep(first, last, kinds)))
        return found

    @property
    def decided(self) -> bool:
        return self.work <= self.most or not self.consistent

    def reduce(self, query: Sequence[str] = ()) -> None:
        """Eliminate all but the queried entities, as long as that can change the answer and is allowed."""
        while self.consistent and self.decided and len(self.near) > len(query):
            self.work += len(self.near) // 8  # to look is quicker than to compose
            self.eliminate(min((e for e in self.near if e not in query), key=lambda e: len(self.near[e])))


class NetworkSolver(Solver):
    """Decides questions with one label set of a theory given by models."""

    def __init__(self, theory: "ModelTheory", labels: Labels, assume: str) -> None:
        super().__init__(labels, assume)
        self._theory = theory
        self._algebra = theory.algebra
        self._number = {word: labels.index[meaning.kind.name] for word, meaning in labels.meaning.items()}

    def verdict(self, facts: Sequence[Fact], query: Query) -> Verdict:
        query_named(facts, query)
        network, (first, last) = self._reduced(facts, query), query
        left = network.near[first].get(last, self._algebra.every) if network.consistent else 0
        return Verdict(self._words(left), False, self.assume, network.decided)

    def _network(self, facts: Iterable[Fact]) -> _Network:
        return _Network(self._algebra, [(a, self._number[word], b) for a, word, b in facts], self.allowance)

    def _reduced(self, facts: Iterable[Fact], query: Sequence[str] = ()) -> _Network:
        network = self._network(facts)
        network.reduce(query)
        self.spent += network.work
        return network

    def _words(self, possible: int) -> tuple[str, ...]:
        return tuple(self.labels.kinds[number].words[0] for number in bits(possible))

    def consistent(self, facts: Sequence[Fact]) -> bool | None:
        network = self._reduced(facts)
        return network.consistent if network.decided else None

    def scene(self, facts: Sequence[Fact], query: Query, relation: str) -> Scene | None:
        first, last = query
        asked = list(dict.fromkeys([*facts, Fact(first, relation, last)]))
        names = list(dict.fromkeys(name for head, _, tail in asked for name in (head, tail)))
        if len(names) > _MOST_DRAWN:
            return None
        kinds = self._scenario(asked, names)
        stated = [(head, self.labels.meaning[word].kind.name, tail) for head, word, tail in asked]
        if kinds is None:
            return None
        return self._theory.realize(stated, kinds, names) or GraphScene(tuple(asked))

    def _scenario(self, facts: Sequence[Fact], names: Sequence[str]) -> dict[tuple[str, str], str] | None:
        """Return one kind for each pair of entities such that all of them can hold together."""
        stated = list(facts)
        chosen: dict[tuple[str, str], str] = {}
        for i, first in enumerate(names):
            for last in names[i + 1 :]:
                left = self.verdict(stated, (first, last)).relations
                if not left:
                    return None
                stated.append(Fact(first, left[0], last))
                chosen[first, last] = self.labels.meaning[left[0]].kind.name
        return chosen

    def _prove(self, facts: Sequence[Fact], query: Query, answer: str) -> Proof:
        first, possible = query[0], self._possible(query)
        needed = least(facts, lambda rest: possible(rest) == (answer,))
        network = self._network(needed)
        steps = [ProofStep((Claim.of(fact),), Claim.of(fact)) for fact in needed if len(needed) == 1]
        while len(network.near) > 2:
            # Whoever is next to the first entity comes first: then the steps lead along a route from there.
            entity = min(
                (name for name in network.near if name not in query),
                key=lambda name: (len(network.near[name]), first not in network.near[name]),
            )
            before = {name: dict(network.near[name]) for name in (entity, *network.near[entity])}
            for found in network.eliminate(entity):
                steps += self._steps(found, before, query)
            if len(steps) > _MOST_STEPS:
                return Proof(needed, (), needed, ())
        return Proof(needed, tuple(steps), (), ())

    def _steps(self, found: _Found, before: dict[str, dict[str, int]], query: Query) -> list[ProofStep]:
        """Return the steps that an elimination is worth. before: the network as it was."""
        start, end = found.first, found.last
        kinds, left = found.kinds, found.left
        if end == query[0] or start == query[1]:
            start, end = end, start
            kinds, left = self._algebra.turn(kinds), self._algebra.turn(left)
        through = found.through
        composed = self._claim(start, kinds, end)
        premises = (
            self._claim(start, before[start][through], through),
            self._claim(through, before[through][end], end),
        )
        steps = [ProofStep(premises, composed)]
        if end in before[start]:
            known = self._claim(start, before[start][end], end)
            steps.append(ProofStep((known, composed), self._claim(start, left, end)))
        return steps

    def _claim(self, head: str, kinds: int, tail: str) -> Claim:
        return Claim(head, self._words(kinds), tail)
