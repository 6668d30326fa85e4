"""Kinship worked out anew, slowly and plainly, to hold the package to. It imports none of it.

Two independent ways to the truth:

- `Tree`: one family written out person by person, and every path in it, by depth-first search;
- `placements`: every way to seat the people of a chain of facts in a family that grows as needed.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

STEPS = {
    "child": ["child"],
    "inv-child": ["parent"],
    "SO": ["spouse"],
    "sibling": ["parent", "child"],
    "grand": ["child", "child"],
    "inv-grand": ["parent", "parent"],
    "in-law": ["child", "spouse"],
    "inv-in-law": ["spouse", "parent"],
}
KINDS = tuple(STEPS)
_BACK = {"child": "parent", "parent": "child", "spouse": "spouse"}
INVERSE = {
    kind: next(
        other for other, way in STEPS.items() if way == [_BACK[step] for step in reversed(steps)]
    )
    for kind, steps in STEPS.items()
}
WORDS = {
    "child": ("daughter", "son"),
    "inv-child": ("mother", "father"),
    "SO": ("wife", "husband"),
    "sibling": ("sister", "brother"),
    "grand": ("granddaughter", "grandson"),
    "inv-grand": ("grandmother", "grandfather"),
    "in-law": ("daughter-in-law", "son-in-law"),
    "inv-in-law": ("mother-in-law", "father-in-law"),
}
MEANING = {
    word: (kind, gender)
    for kind, words in WORDS.items()
    for word, gender in zip(words, ("female", "male"), strict=True)
}


@dataclass
class Tree:
    """A family in which every couple has the same number of children; people in preorder."""

    parents: list[tuple[int, ...]] = field(default_factory=list)
    spouse: list[int | None] = field(default_factory=list)

    @classmethod
    def regular(cls, levels: int, children: int) -> "Tree":
        tree = cls()
        tree._branch((), levels, children)
        return tree

    def _branch(self, parents: tuple[int, ...], levels: int, children: int) -> None:
        head = self._person(parents)
        if levels == 0:
            return
        partner = self._person(())
        self.spouse[head], self.spouse[partner] = partner, head
        for _ in range(children):
            self._branch((head, partner), levels - 1, children)

    def _person(self, parents: tuple[int, ...]) -> int:
        self.parents.append(parents)
        self.spouse.append(None)
        return len(self.parents) - 1

    def kind(self, a: int, b: int, siblings: str) -> str | None:
        """What b is to a, by the definitions of the relations."""
        if self.spouse[a] == b:
            return "SO"
        if a in self.parents[b]:
            return "child"
        if b in self.parents[a]:
            return "inv-child"
        if a != b and self.parents[a] and self.parents[a] == self.parents[b]:
            unmarried = self.spouse[a] is None and self.spouse[b] is None
            return "sibling" if siblings == "all" or unmarried else None
        if any(a in self.parents[c] for c in self.parents[b]):
            return "grand"
        if any(b in self.parents[c] for c in self.parents[a]):
            return "inv-grand"
        if self.spouse[b] is not None and a in self.parents[self.spouse[b]]:
            return "in-law"
        if self.spouse[a] is not None and b in self.parents[self.spouse[a]]:
            return "inv-in-law"
        return None

    def paths(
        self, edges: int, siblings: str
    ) -> Iterator[tuple[tuple[int, ...], tuple[str, ...], str]]:
        """Every path of so many edges whose ends are related: its people, pattern and target."""
        people = range(len(self.parents))
        near = {
            a: {b: kind for b in people if b != a and (kind := self.kind(a, b, siblings))}
            for a in people
        }

        def extend(path: tuple[int, ...], pattern: tuple[str, ...]) -> Iterator:
            if len(pattern) == edges:
                if path[-1] in near[path[0]]:
                    yield path, pattern, near[path[0]][path[-1]]
                return
            for b, kind in near[path[-1]].items():
                if b not in path:
                    yield from extend((*path, b), (*pattern, kind))

        for start in people:
            yield from extend((start,), ())

    def count(self, edges: int, siblings: str) -> tuple[int, int, Counter]:
        """Unique paths and all paths as the paper counts; and (pattern, target) both ways."""
        unique, forward, both = set(), 0, Counter()
        for path, pattern, target in self.paths(edges, siblings):
            both[pattern, target] += 1
            if path[0] < path[-1]:
                forward += 1
                unique.add((pattern, target))
        return len(unique), forward, both


@dataclass(frozen=True)
class _Grown:
    """A family of those we know of. Couples have up to two partners and any number of children."""

    birth: dict[int, int]  # person -> couple
    marriage: dict[int, int]
    partners: dict[int, tuple[int, ...]]  # couple -> people
    children: dict[int, tuple[int, ...]]
    people: int = 1

    def _couple(self, of: str, person: int) -> tuple["_Grown", int]:
        known = getattr(self, of)
        if person in known:
            return self, known[person]
        couple = len(self.partners)
        partners = {**self.partners, couple: (person,) if of == "marriage" else ()}
        children = {**self.children, couple: (person,) if of == "birth" else ()}
        more = {of: {**known, person: couple}}
        return _Grown(
            **{**self.__dict__, **more, "partners": partners, "children": children}
        ), couple

    def _newcomer(self, couple: int, role: str) -> tuple["_Grown", int]:
        person = self.people
        members = getattr(self, role)
        where = "marriage" if role == "partners" else "birth"
        return _Grown(
            **{
                **self.__dict__,
                role: {**members, couple: (*members[couple], person)},
                where: {**getattr(self, where), person: couple},
                "people": person + 1,
            }
        ), person

    def step(self, person: int, name: str) -> Iterator[tuple["_Grown", int]]:
        """Everybody whom a step can lead to: those we know of, and one we do not."""
        world, couple = self._couple("birth" if name == "parent" else "marriage", person)
        role = "children" if name == "child" else "partners"
        known = getattr(world, role)[couple]
        for other in known:
            if other != person:
                yield world, other
        if role == "children" or len(known) < 2:
            yield world._newcomer(couple, role)

    def walk(self, person: int, steps: list[str]) -> Iterator[tuple["_Grown", int]]:
        """Everybody at the end of the steps who is not met twice on the way."""
        ways = [(self, (person,))]
        for name in steps:
            ways = [
                (after, (*met, other))
                for world, met in ways
                for after, other in world.step(met[-1], name)
                if other not in met
            ]
        return ((world, met[-1]) for world, met in ways)

    def word(self, a: int, b: int) -> tuple[str, ...]:
        """The shortest way from a to b, by parent, child, spouse, sibling."""
        ways = {a: ()}
        ring = [a]
        while b not in ways:
            further = []
            for p in ring:
                for q, step in self._near(p):
                    if q not in ways:
                        ways[q] = (*ways[p], step)
                        further.append(q)
            ring = further
        return ways[b]

    def _near(self, p: int) -> Iterator[tuple[int, str]]:
        if p in self.birth:
            couple = self.birth[p]
            yield from ((q, "parent") for q in self.partners[couple])
            yield from ((q, "sibling") for q in self.children[couple] if q != p)
        if p in self.marriage:
            couple = self.marriage[p]
            yield from ((q, "spouse") for q in self.partners[couple] if q != p)
            yield from ((q, "child") for q in self.children[couple])


def placements(
    pattern: tuple[str, ...], steps: dict[str, list[list[str]]] | None = None
) -> set[tuple]:
    """The words that can lead from the first to the last person of a chain of facts."""
    meanings = steps or {kind: [way] for kind, way in STEPS.items()}
    worlds = [(_Grown({}, {}, {}, {}), (0,))]
    for kind in pattern:
        worlds = [
            (after, (*path, person))
            for world, path in worlds
            for way in meanings[kind]
            for after, person in world.walk(path[-1], way)
            if person not in path
        ]
    return {world.word(path[0], path[-1]) for world, path in worlds}


def possible(pattern: tuple[str, ...]) -> tuple[set[str], bool]:
    """The kinds that the ends of a chain can be to each other, and whether they can be neither."""
    named = {
        ("sibling",) if way == ["parent", "child"] else tuple(way): k for k, way in STEPS.items()
    }
    words = placements(pattern)
    return {named[word] for word in words if word in named}, any(
        word not in named for word in words
    )
