"""What follows from a list of facts by itself: routes between entities, roles of facts, forms."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from clutrr._labels import Labels
from clutrr._puzzle import Entity, Fact, shared_entity
from clutrr._statement import Statement


@dataclass(frozen=True)
class Route:
    """Facts in a row. numbers: those of the facts, in order. entities: from end to end."""

    numbers: tuple[int, ...]
    entities: tuple[str, ...]

    def pattern(self, facts: Sequence[Fact], labels: Labels) -> tuple[str, ...]:
        """Return the kinds of its facts, in its direction."""
        return tuple(
            kind_from(facts[number], entity, labels)
            for number, entity in zip(self.numbers, self.entities, strict=False)
        )


def shortest_path(facts: Sequence[Fact], start: str, end: str) -> Route | None:
    """Return the shortest route from one entity to another; ties go to earlier facts.

    A fact leads from either of its entities to the other.
    """
    steps: dict[str, list[tuple[str, int]]] = {}
    for number, (head, _, tail) in enumerate(facts):
        steps.setdefault(head, []).append((tail, number))
        steps.setdefault(tail, []).append((head, number))
    came: dict[str, tuple[str, int]] = {start: (start, -1)}
    queue = [start]
    for entity in queue:
        if end in came:
            break
        for other, number in steps.get(entity, ()):
            if other not in came:
                came[other] = entity, number
                queue.append(other)
    if end not in came or start == end:
        return None
    entities, numbers = [end], []
    while entities[-1] != start:
        before, number = came[entities[-1]]
        entities.append(before)
        numbers.append(number)
    return Route(tuple(reversed(numbers)), tuple(reversed(entities)))


def on_routes(facts: Sequence[Fact], start: str, end: str) -> set[str]:
    """Return the entities on ways between two, or on ways around them: all but dead ends."""
    near: dict[str, set[str]] = {}
    for head, _, tail in facts:
        near.setdefault(head, set()).add(tail)
        near.setdefault(tail, set()).add(head)
    left = [name for name in near if len(near[name]) == 1 and name not in (start, end)]
    while left:  # who leads nowhere goes, and then whoever led to them alone
        name = left.pop()
        for other in near.pop(name, set()):
            near[other].discard(name)
            if len(near[other]) == 1 and other not in (start, end):
                left.append(other)
    return set(near)


def roles(facts: Sequence[Fact], routed: int, along: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the role of each fact, of which the first ones are those of the routes: the path.

    along: entities of the routes beside those in facts.

    Another fact is supporting if it lies on a way between two entities of the path that meets the path
    only there; irrelevant if facts join it to the path otherwise; else disconnected.
    """
    others = facts[routed:]
    on_path = {*along, *(name for fact in facts[:routed] for name in (fact.head, fact.tail))}
    reached, supporting = _around(others, on_path)

    def role(fact: Fact) -> str:
        if frozenset((fact.head, fact.tail)) in supporting:
            return "supporting"
        return "irrelevant" if fact.head in reached else "disconnected"

    return ("path",) * (len(facts) - len(others)) + tuple(role(fact) for fact in others)


_Pair = frozenset[str]


def _around(facts: Sequence[Fact], on_path: Collection[str]) -> tuple[set[str], set[_Pair]]:
    """Return all that these facts join to the path; and the pairs on a way that leaves it and comes back.

    With all entities of the path taken as one, the hub, such pairs lie on a cycle through it: no single
    entity cuts both ends of the pair off from the hub.
    """
    hub = ""  # no entity has this name
    ends = {
        pair: [hub if name in on_path else name for name in pair]
        for pair in {frozenset((fact.head, fact.tail)) for fact in facts}
        if len(pair) == 2
    }
    near: dict[str, list[str]] = {hub: []}
    for one, other in ends.values():
        near.setdefault(one, []).append(other)
        near.setdefault(other, []).append(one)

    def reached(without: str | None = None) -> set[str]:
        found, queue = {hub}, [hub]
        for entity in queue:
            more = {other for other in near[entity] if other != without} - found
            found |= more
            queue += more
        return found

    cut = {entity: reached(without=entity) for entity in near if entity != hub}

    def supports(one: str, other: str) -> bool:
        if one == other:
            return True
        if hub in (one, other):  # there is another way to the hub
            entity = one or other
            return sum(end in cut[entity] for end in near[entity]) > 1
        return all(one in left or other in left for left in cut.values())

    return {*reached(), *on_path}, {
        pair for pair, (one, other) in ends.items() if supports(one, other)
    }


def kind_from(fact: Fact, entity: str, labels: Labels) -> str:
    """Return the kind of the fact, seen from that one of its two entities."""
    kind, _ = labels.meaning[fact.relation]
    return kind.name if fact.head == entity else kind.converse


def implied_forms(
    facts: Sequence[Fact], labels: Labels, head_form: Callable[[str, int], int | None]
) -> Mapping[str, str]:
    """Return the names of the forms that the labels imply, by entity. head_form: of the theory."""
    found: dict[str, str] = {}
    if not labels.forms:
        return found
    for fact in facts:
        kind, form = labels.meaning[fact.relation]
        if form is None:
            continue
        found[fact.tail] = labels.forms[form]
        other = head_form(kind.name, form)
        if other is not None:
            found.setdefault(fact.head, labels.forms[other])
    return found


def named_in(one: Fact | Statement) -> tuple[str, ...]:
    """Return the entities that a fact or a statement names."""
    if not isinstance(one, Statement):
        return one.head, one.tail
    return (one.head, *((one.tail,) if one.tail else ()), *one.entities)


def entities_of(
    along: Sequence[str], given: Sequence[Fact | Statement], forms: Mapping[str, str]
) -> tuple[Entity, ...]:
    """Return the entities of the path, then all others that are named, with their forms as far as known."""
    names = dict.fromkeys([*along, *(name for one in given for name in named_in(one))])
    return tuple([shared_entity(name, forms.get(name, "")) for name in names])
