"""What a list of facts tells by itself: paths between people, roles of facts, genders."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from clutrr.puzzle import Fact, Person, shared_person
from clutrr.world import GENDERS, World


@dataclass(frozen=True)
class Path:
    """A path along facts. numbers: those of its facts, in order. people: from end to end."""

    numbers: tuple[int, ...]
    people: tuple[str, ...]

    def pattern(self, facts: Sequence[Fact], world: World) -> tuple[str, ...]:
        """The kinds of its facts, in its direction."""
        return tuple(
            kind_from(facts[number], person, world)
            for number, person in zip(self.numbers, self.people, strict=False)
        )


def shortest_path(facts: Sequence[Fact], start: str, end: str) -> Path | None:
    """The shortest path from one person to another, facts taken either way; ties go to earlier facts."""
    steps: dict[str, list[tuple[str, int]]] = {}
    for number, (head, _, tail) in enumerate(facts):
        steps.setdefault(head, []).append((tail, number))
        steps.setdefault(tail, []).append((head, number))
    came: dict[str, tuple[str, int]] = {start: (start, -1)}
    queue = [start]
    for person in queue:
        if end in came:
            break
        for other, number in steps.get(person, ()):
            if other not in came:
                came[other] = person, number
                queue.append(other)
    if end not in came or start == end:
        return None
    people, numbers = [end], []
    while people[-1] != start:
        before, number = came[people[-1]]
        people.append(before)
        numbers.append(number)
    return Path(tuple(reversed(numbers)), tuple(reversed(people)))


def walk(facts: Sequence[Fact], start: str) -> list[str] | None:
    """The people along a chain of facts, in order; None if the facts are not a chain."""
    people = [start]
    for head, _, tail in facts:
        if people[-1] not in (head, tail):
            return None
        people.append(tail if people[-1] == head else head)
    return people


def roles(facts: Sequence[Fact], k: int) -> tuple[str, ...]:
    """The role of each fact, of which the first k are the path.

    Another fact is supporting if it lies on a way between two people of the path that meets the path
    only there; irrelevant if facts join it to the path otherwise; else disconnected.
    """
    others = facts[k:]
    on_path = {name for fact in facts[:k] for name in (fact.head, fact.tail)}
    reached, supporting = _around(others, on_path)

    def role(fact: Fact) -> str:
        if frozenset((fact.head, fact.tail)) in supporting:
            return "supporting"
        return "irrelevant" if fact.head in reached else "disconnected"

    return ("path",) * (len(facts) - len(others)) + tuple(role(fact) for fact in others)


_Pair = frozenset[str]


def _around(facts: Sequence[Fact], on_path: Collection[str]) -> tuple[set[str], set[_Pair]]:
    """Everybody whom these facts join to the path; and the pairs on a way that leaves it and comes back.

    With all people of the path taken as one, such pairs lie on a cycle through that one: they are in a
    biconnected part of the graph that holds it and more than one pair (Tarjan's search, from there).
    """
    hub = ""  # nobody has this name
    pairs = list(dict.fromkeys(frozenset((fact.head, fact.tail)) for fact in facts))
    near: dict[str, list[tuple[str, int]]] = {hub: []}
    supporting: set[_Pair] = set()
    for number, pair in enumerate(pairs):
        one, *rest = (hub if name in on_path else name for name in sorted(pair))
        other = rest[0] if rest else one
        if one == other:
            supporting |= {pair} if len(pair) == 2 else set()
            continue
        near.setdefault(one, []).append((other, number))
        near.setdefault(other, []).append((one, number))
    depth, lowest = {hub: 0}, {hub: 0}
    open_pairs: list[int] = []
    stack = [(hub, -1, iter(near[hub]))]
    while stack:
        person, by, left = stack[-1]
        step = next(left, None)
        if step is None:
            stack.pop()
            if not stack:
                break
            before = stack[-1][0]
            lowest[before] = min(lowest[before], lowest[person])
            if lowest[person] >= depth[before]:  # a part ends here
                at = open_pairs.index(by)
                if before == hub and len(open_pairs) - at > 1:
                    supporting |= {pairs[number] for number in open_pairs[at:]}
                del open_pairs[at:]
            continue
        other, number = step
        if number == by:
            continue
        if other not in depth:
            depth[other] = lowest[other] = depth[person] + 1
            open_pairs.append(number)
            stack.append((other, number, iter(near[other])))
        elif depth[other] < depth[person]:
            lowest[person] = min(lowest[person], depth[other])
            open_pairs.append(number)
    return {*depth, *on_path}, supporting


def kind_from(fact: Fact, person: str, world: World) -> str:
    """The kind of the fact, seen from that one of its two people."""
    kind, _ = world.meaning[fact.relation]
    return kind.name if fact.head == person else kind.inverse


def genders(facts: Sequence[Fact], world: World) -> Mapping[str, str]:
    """The genders that the relation words imply."""
    told: dict[str, str] = {}
    for fact in facts:
        kind, gender = world.meaning[fact.relation]
        told[fact.tail] = GENDERS[gender]
        if kind.spouse:
            told.setdefault(fact.head, GENDERS[1 - gender])
    return told


def everybody(along: Sequence[str], facts: Sequence[Fact], told: Mapping[str, str]) -> tuple[Person, ...]:
    """The people of the path, then all others in the facts, with their genders as far as these are known."""
    names = dict.fromkeys([*along, *(name for head, _, tail in facts for name in (head, tail))])
    return tuple([shared_person(name, told.get(name, "")) for name in names])


def said(fact: Fact) -> str:
    """The fact in plain words."""
    return f"{fact.tail} is {fact.head}'s {fact.relation}"
