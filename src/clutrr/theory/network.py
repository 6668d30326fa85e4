"""Deciding questions of a theory given by models: a network of facts, reduced to the two asked about.

A network holds, for pairs of entities, the set of kinds that are still possible. An entity is eliminated by
composing what it is to each two of its neighbours, and keeping of what these two can be to each other only
what agrees. What is left in the end between the two queried entities is exactly what is possible.

Facts are single kinds. All sets that arise from them by composition, converses and intersection belong to
subalgebras in which composition distributes over intersection (the convex relations of points and intervals,
and their counterparts for directions and for RCC-8). There elimination loses nothing and leaves nothing
impossible: Li, Long, Liu and Duckham, "On redundant topological constraints", 2015.

Alternatives and denials may leave any set. An entity all of whose pairs are convex can still be eliminated; what
is left in the end is decided by closure and by cases (closure.py).

A theory of somebody's own may have no convex sets, as boxes in boxes have none. Then only entities with two
neighbours are eliminated, where nothing is intersected that was composed, and the rest is decided by cases.
Where it matters in what order three kinds are composed, all is decided by cases.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clutrr._labels import Labels
from clutrr._puzzle import Fact
from clutrr._statement import Statement, StatementKind
from clutrr.theory.algebra import RelationAlgebra, bits
from clutrr.theory.boxes import GraphScene
from clutrr.theory.closure import Cases, TooMuchWorkError
from clutrr.theory.given import Given, all_facts, facts_in, names_in
from clutrr.theory.solver import Claim, Proof, ProofStep, Query, Scene, Solver, least, query_named
from clutrr.theory.tractable import SetClasses
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

    def __init__(
        self, algebra: RelationAlgebra, told: Sequence[tuple[str, int, str]], most: int
    ) -> None:
        """told: of pairs, a set of kinds of which one holds."""
        self.algebra = algebra
        self.near: dict[str, dict[str, int]] = {}
        self.consistent = True
        self.work, self.most = len(told), most  # what was done, and how much may be
        for head, kinds, tail in told:
            self.near.setdefault(head, {})
            self.near.setdefault(tail, {})
            if head == tail:
                self.consistent &= kinds >> algebra.identity & 1 == 1
            else:
                self.keep(head, tail, kinds)

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
            self.eliminate(
                min((e for e in self.near if e not in query), key=lambda e: len(self.near[e]))
            )

    def reduce_where(self, convex: Collection[int], query: Sequence[str]) -> None:
        """Eliminate all but the queried entities whose pairs are convex.

        If no set is, those with two neighbours are eliminated, or those with one.
        """
        few = 2 if self.algebra.associative else 1
        while self.consistent and self.decided:
            self.work += len(self.near)
            found = [
                entity
                for entity, around in self.near.items()
                if entity not in query
                and (
                    all(kinds in convex for kinds in around.values())
                    if convex
                    else len(around) <= few
                )
            ]
            if not found:
                break
            self.eliminate(min(found, key=lambda entity: len(self.near[entity])))


class NetworkSolver(Solver):
    """Decides questions with one label set of a theory given by models."""

    takes = frozenset({StatementKind.FACT, StatementKind.ALTERNATIVES, StatementKind.DENIAL})

    def __init__(self, theory: "ModelTheory", labels: Labels, assume: str) -> None:
        super().__init__(labels, assume)
        self._theory = theory
        self._algebra = theory.algebra
        self._number = {
            word: labels.index[meaning.kind.name] for word, meaning in labels.meaning.items()
        }

    @property
    def _classes(self) -> SetClasses:
        return self._theory.set_classes()

    def verdict(self, given: Sequence[Given], query: Query) -> Verdict:
        left, decided = self._left(given, query)
        return Verdict(self._words(left), False, self.assume, decided)

    def consistent(self, given: Sequence[Given]) -> bool | None:
        left, decided = self._left(given)
        return left > 0 if decided else None

    def _left(self, given: Sequence[Given], query: Query | tuple[()] = ()) -> tuple[int, bool]:
        """Return what is left of the queried pair, and whether that is decided; no query: 0 for a contradiction."""
        facts, others = self.sort(given)
        network = self._network(facts, others)
        if query:
            query_named(network.near, query)
        if others or not self._theory.eliminates():
            network.reduce_where(self._classes.convex, query)
        else:
            network.reduce(query)
        self.spent += network.work
        if not (network.consistent and network.decided):
            return 0, network.decided
        if len(network.near) > len(query):
            return self._by_cases(network, query)
        return network.near[query[0]].get(query[1], self._algebra.every) if query else 1, True

    def _by_cases(self, network: _Network, query: Sequence[str]) -> tuple[int, bool]:
        cases = Cases(self._algebra, self._classes, network.most - network.work)
        try:
            return cases.possible(network.near, query), True
        except TooMuchWorkError:
            return 0, False
        finally:
            self.spent += cases.work

    def _network(self, facts: Iterable[Fact], others: Iterable[Statement] = ()) -> _Network:
        told = [(a, 1 << self._number[word], b) for a, word, b in facts]
        told += [(one.head, self._kinds_of(one), one.tail) for one in others]
        return _Network(self._algebra, told, self.allowance)

    def _kinds_of(self, one: Statement) -> int:
        """Return the set of kinds that alternatives or a denial leave to a pair."""
        kinds = sum({1 << self._number[word] for word in one.relations})
        return self._algebra.every & ~kinds if one.kind is StatementKind.DENIAL else kinds

    def _words(self, possible: int) -> tuple[str, ...]:
        return tuple(self.labels.kinds[number].words[0] for number in bits(possible))

    def rivals(self, answer: str) -> list[str]:
        return []  # the steps of a proof are enough

    def scene(self, given: Sequence[Given], query: Query, relation: str) -> Scene | None:
        first, last = query
        asked = list(dict.fromkeys([*self.plain(given), Fact(first, relation, last)]))
        names = list(names_in(asked))
        if len(names) > _MOST_DRAWN:
            return None
        kinds = self._scenario(asked, names)
        if kinds is None:
            return None
        shown = [*facts_in(asked), *self._chosen(asked, kinds)]
        stated = [(head, self.labels.meaning[word].kind.name, tail) for head, word, tail in shown]
        return self._theory.realize(stated, kinds, names) or GraphScene(tuple(shown))

    def _chosen(
        self, given: Sequence[Given], kinds: Mapping[tuple[str, str], str]
    ) -> Iterator[Fact]:
        """Yield what holds in a scenario between those of whom several relations are told, or denied."""
        for one in given:
            if not isinstance(one, Statement) or one.head == one.tail:
                continue
            for pair in ((one.head, one.tail), (one.tail, one.head)):
                if pair in kinds:
                    yield Fact(pair[0], self.labels.kind(kinds[pair]).words[0], pair[1])

    def _scenario(
        self, given: Sequence[Given], names: Sequence[str]
    ) -> dict[tuple[str, str], str] | None:
        """Return one kind for each pair of entities such that all of them can hold together."""
        if all_facts(given) and self._theory.eliminates():
            return self._scenario_of_facts(facts_in(given), names)
        stated = list(given)
        chosen: dict[tuple[str, str], str] = {}
        for i, first in enumerate(names):
            for last in names[i + 1 :]:
                left = self.verdict(stated, (first, last)).relations
                if not left:
                    return None
                stated.append(Fact(first, left[0], last))
                chosen[first, last] = self.labels.meaning[left[0]].kind.name
        return chosen

    def _scenario_of_facts(
        self, facts: Sequence[Fact], names: Sequence[str]
    ) -> dict[tuple[str, str], str] | None:
        """Return the same where only facts are given: one closure of all pairs is enough."""
        network = self._network(facts)
        if not network.consistent:
            return None
        cases = Cases(self._algebra, self._classes, self.allowance)
        try:
            found = cases.scenario({name: network.near[name] for name in names})
        except TooMuchWorkError:
            return None
        finally:
            self.spent += cases.work
        if found is None:
            return None
        return {pair: self.labels.kinds[kind].name for pair, kind in found.items()}

    def _prove(self, given: Sequence[Given], query: Query, answer: str) -> Proof:
        first, possible = query[0], self._possible(query)
        needed = least(given, lambda rest: possible(rest) == (answer,))
        facts, others = self.sort(needed)
        network = self._network(facts, others)
        convex = self._theory.eliminates() and all(
            self._kinds_of(one) in self._classes.convex for one in others
        )
        if len(network.near) == 2 or not convex:  # eliminating entities does not show it
            return super()._prove(needed, query, answer)
        steps: list[ProofStep] = []
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

    def _steps(
        self, found: _Found, before: dict[str, dict[str, int]], query: Query
    ) -> list[ProofStep]:
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
