"""Deciding questions about directions where every fact is one step on a grid: positions add up."""

from collections.abc import Callable, Mapping, Sequence

from clutrr.labels import Labels
from clutrr.puzzle import Fact
from clutrr.theory.solver import Query, Scene, Solver, query_named
from clutrr.theory.verdict import Verdict

Place = tuple[int, int]


class GridSolver(Solver):
    """Works out where everything is, from wherever it starts.

    steps: of each kind, to the east and to the north. kind_of: the kind of a direction. draw: a scene
    of places.
    """

    def __init__(
        self,
        labels: Labels,
        assume: str,
        steps: Mapping[str, Place],
        kind_of: Callable[[int, int], str],
        draw: Callable[[Mapping[str, Place]], Scene],
    ) -> None:
        super().__init__(labels, assume)
        self._steps = {word: steps[meaning.kind.name] for word, meaning in labels.meaning.items()}
        self._kind_of, self._draw = kind_of, draw

    def verdict(self, facts: Sequence[Fact], query: Query) -> Verdict:
        query_named(facts, query)
        groups = self._groups(facts)
        if groups is None:
            return Verdict((), False, self.assume)
        first, last = query
        for places in groups:
            if first in places and last in places:
                return Verdict((self._word(places[first], places[last]),), False, self.assume)
        return Verdict(self.labels.relations, False, self.assume)

    def _word(self, a: Place, b: Place) -> str:
        """Return what is at b, to what is at a."""
        return self.labels.kind(self._kind_of(b[0] - a[0], b[1] - a[1])).words[0]

    def consistent(self, facts: Sequence[Fact]) -> bool | None:
        return self._groups(facts) is not None

    def rivals(self, answer: str) -> list[str]:
        return []

    def scene(self, facts: Sequence[Fact], query: Query, relation: str) -> Scene | None:
        first, last = query
        groups = self._groups(facts) or []
        shown: dict[str, Place] = {}
        for places in sorted(groups, key=lambda places: (first not in places, last not in places)):
            east = north = 0
            if shown and last in places:
                # Far enough in the direction asked for, from everything that is there.
                (x, y), (u, v) = shown[first], places[last]
                far = 2 + sum(len(group) for group in groups)
                east, north = (x - u + far * self._steps[relation][0], y - v + far * self._steps[relation][1])
            elif shown:
                east = 2 + max(x for x, _ in shown.values()) - min(x for x, _ in places.values())
            shown |= {name: (x + east, y + north) for name, (x, y) in places.items()}
        return self._draw(shown)

    def _groups(self, facts: Sequence[Fact]) -> list[dict[str, Place]] | None:
        """Return the places of entities, by groups that facts join; None if facts contradict each other."""
        near: dict[str, list[tuple[str, Place]]] = {}
        for head, word, tail in facts:
            east, north = self._steps[word]
            near.setdefault(head, []).append((tail, (east, north)))
            near.setdefault(tail, []).append((head, (-east, -north)))
        groups: list[dict[str, Place]] = []
        seen: set[str] = set()
        for start in near:
            if start in seen:
                continue
            places = {start: (0, 0)}
            waiting = [start]
            for name in waiting:
                x, y = places[name]
                for other, (east, north) in near[name]:
                    if other not in places:
                        places[other] = x + east, y + north
                        waiting.append(other)
                    elif places[other] != (x + east, y + north):
                        return None
            seen |= places.keys()
            groups.append(places)
        self.spent += len(facts)
        return groups
