"""The path of a question through the facts of a story that does not say which it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from clutrr.puzzle import Fact, Person
from clutrr.world import GENDERS, World


@dataclass(frozen=True)
class Path:
    """facts: those on the path, in its order, as stated. pattern: the kinds in its direction."""

    facts: tuple[Fact, ...]
    pattern: tuple[str, ...]
    people: tuple[str, ...]


def find_path(facts: Sequence[Fact], query: tuple[str, str], world: World) -> Path | None:
    """The shortest path between the people asked about; facts are walked both ways."""
    steps: dict[str, list[tuple[str, int]]] = {}
    for number, fact in enumerate(facts):
        steps.setdefault(fact.head, []).append((fact.tail, number))
        steps.setdefault(fact.tail, []).append((fact.head, number))
    start, end = query
    came: dict[str, tuple[str, int]] = {start: (start, -1)}
    front = [start]
    while front and end not in came:
        reached: list[str] = []
        for person in front:
            for other, number in steps.get(person, ()):
                if other not in came:
                    came[other] = person, number
                    reached.append(other)
        front = reached
    if end not in came or start == end:
        return None
    people, numbers = [end], []
    while people[-1] != start:
        before, number = came[people[-1]]
        people.append(before)
        numbers.append(number)
    people.reverse()
    along = [facts[number] for number in reversed(numbers)]
    pattern = [kind_from(fact, person, world) for fact, person in zip(along, people, strict=False)]
    return Path(tuple(along), tuple(pattern), tuple(people))


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
        if kind.name == "SO":  # spouses are of opposite sex
            told.setdefault(fact.head, GENDERS[1 - gender])
    return told


def people(names: Sequence[str], told: Mapping[str, str]) -> tuple[Person, ...]:
    return tuple(Person(name, told.get(name, "")) for name in names)
