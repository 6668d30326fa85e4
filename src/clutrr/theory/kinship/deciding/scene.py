"""A small family that shows how facts can hold, and where to draw it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import Any

from clutrr.theory.drawing import Drawing, Junction, Unit, lay_out, unit_nodes
from clutrr.theory.kinship.deciding.folding import Folding
from clutrr.theory.kinship.steps import Step, Steps
from clutrr.theory.solver import Say, Scene

_GENDERS = ("female", "male")  # by number


@dataclass(frozen=True)
class Couple:
    """Two partners, of whom one or both may be unknown, and their children."""

    partners: tuple[str, ...]
    children: tuple[str, ...]

    def shown(self, say: Say) -> str:
        """Return the couple in words."""
        names = dict(zip("ab", self.partners, strict=False))
        partners = say(("two people", "with partner", "both")[len(names)], **names)
        children = say("relations").join(self.children) or say("a couple")
        return say("couple", partners=partners, children=children)


@dataclass(frozen=True)
class FamilyScene(Scene):
    """A family: its couples, and the genders that the facts imply. People without a name are ?1, ?2.

    twice: the people around a cycle of the family, in its order: they are linked in two ways. Empty where
    the family is a tree.
    """

    couples: tuple[Couple, ...]
    genders: Mapping[str, str]
    twice: tuple[str, ...] = ()

    def shown(self, say: Say) -> str:
        return say("listed").join(couple.shown(say) for couple in self.couples)

    def to_dict(self) -> dict[str, Any]:
        return {
            "couples": [
                {"partners": list(couple.partners), "children": list(couple.children)}
                for couple in self.couples
            ],
            "genders": dict(self.genders),
            "joined twice": list(self.twice),
        }

    def drawing(self, named: Iterable[str] = ()) -> Drawing:
        genders = {name: _GENDERS.index(gender) for name, gender in self.genders.items()}
        return _draw(self.couples, genders, named)

    def note(self, say: Say) -> str:
        named = [name for name in self.twice if not name.startswith("?")]
        return say("linked twice", a=named[0], b=named[1]) if len(named) > 1 else ""

    def close(self) -> Iterator[tuple[str, Step, str]]:
        """Yield every two people one step from each other: person, step to the other, other person."""
        for couple in self.couples:
            for one, other in permutations(couple.children, 2):
                yield one, Step.SIBLING, other
            for one, other in permutations(couple.partners, 2):
                yield one, Step.SPOUSE, other
            for one, other in product(couple.partners, couple.children):
                yield one, Step.CHILD, other
                yield other, Step.PARENT, one

    def way(self, start: str, end: str) -> Steps | None:
        """Return the fewest steps that lead from one person to another; None if they are apart."""
        near: dict[str, list[tuple[Step, str]]] = {}
        for one, step, other in self.close():
            near.setdefault(one, []).append((step, other))
        ways: dict[str, Steps] = {start: ()}
        queue = [start]
        for person in queue:
            for step, other in near.get(person, ()):
                if other not in ways:
                    ways[other] = (*ways[person], step)
                    queue.append(other)
        return ways.get(end)


def family_scene(folding: Folding, names: list[str]) -> FamilyScene:
    """Return the family of a folded graph."""
    called: dict[int, str] = {}
    genders: dict[str, str] = {}
    for person, _, _ in folding.people():
        called[person] = names[person] if person < len(names) else f"?{person - len(names) + 1}"
        gender = folding.gender[person]
        if gender is not None:
            genders[called[person]] = _GENDERS[gender]
    couples = [
        Couple(*(tuple(called[person] for person in people) for people in (partners, children)))
        for _, (children, partners) in sorted(folding.couples().items())
        if len(partners) + len(children) > 1  # a couple of one known person says nothing
    ]
    return FamilyScene(
        tuple(couples), genders, tuple(called[person] for person in folding.circle())
    )


def _draw(couples: Sequence[Couple], genders: Mapping[str, int], named: Iterable[str]) -> Drawing:
    """Return a drawing of couples: partners side by side, their children below."""
    units, place = _units(couples, named)
    homes: list[int] = []  # the unit of each couple
    down: dict[tuple[int, int], int] = {}
    for couple in couples:
        if couple.partners:
            home = place[couple.partners[0]][0]
        else:
            home = len(units)
            units.append(Unit([]))
        homes.append(home)
        for child in couple.children:
            other, member = place[child]
            units[home].links.append((-1, other, member))
            units[other].links.append((member, home, -1))
            down[home, other] = 1
    lay_out(units, down)
    nodes = unit_nodes(units, genders)
    number = {node.name: i for i, node in enumerate(nodes)}
    junctions = []
    for couple, home in zip(couples, homes, strict=True):
        partners = tuple(number[name] for name in couple.partners)
        children = tuple(number[name] for name in couple.children)
        words = _words(partners, children)
        junctions.append(
            Junction(partners, children, round(units[home].x, 2), units[home].row, words)
        )
    return Drawing(nodes, tuple(junctions), key="couple, children")


def _units(
    couples: Sequence[Couple], named: Iterable[str]
) -> tuple[list[Unit], dict[str, tuple[int, int]]]:
    """Return a unit for each couple and each single person, and where everybody is: unit and member."""
    units: list[Unit] = []
    place: dict[str, tuple[int, int]] = {}
    groups = [list(couple.partners) for couple in couples]
    groups += [[child] for couple in couples for child in couple.children]
    groups += [[name] for name in named]
    for group in groups:
        if group and group[0] not in place:
            place |= {name: (len(units), member) for member, name in enumerate(group)}
            units.append(Unit(group))
    return units, place


def _words(partners: Sequence[int], children: Sequence[int]) -> str:
    parents = " and ".join(f"{{{partner}}}" for partner in partners) or "Two people"
    if len(partners) == 1:
        parents += " and a partner"
    if not children:
        return f"{parents}, a couple"
    *others, last = [f"{{{child}}}" for child in children]
    return f"{parents}, parents of {', '.join(others) + ' and ' if others else ''}{last}"
