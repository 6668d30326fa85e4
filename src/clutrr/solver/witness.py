"""A small family that shows how facts can hold."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations, product

from clutrr.solver.folding import Folding
from clutrr.world import GENDERS
from clutrr.world.steps import Step


@dataclass(frozen=True)
class Couple:
    """Two partners, of whom one may be unknown, and their children."""

    partners: tuple[str, ...]
    children: tuple[str, ...]

    def __str__(self) -> str:
        partners = (
            " and ".join(self.partners) if len(self.partners) == 2 else f"{self.partners[0]} and a partner"
        )
        if not self.partners[0]:
            partners = "two people"
        return f"{partners}: {', '.join(self.children)}" if self.children else f"{partners}: a couple"


@dataclass(frozen=True)
class Witness:
    """A family: its couples, and the genders that the facts imply. People without a name are ?1, ?2.

    twice: the people around a cycle of the family, in its order: they are linked in two ways. Empty where
    the family is a tree.
    """

    couples: tuple[Couple, ...]
    genders: dict[str, str]
    twice: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "; ".join(map(str, self.couples))

    def close(self) -> Iterator[tuple[str, Step, str]]:
        """Everybody one step from each other: person, step to the other, other person."""
        for couple in self.couples:
            partners = [partner for partner in couple.partners if partner]
            for one, other in permutations(couple.children, 2):
                yield one, Step.SIBLING, other
            for one, other in permutations(partners, 2):
                yield one, Step.SPOUSE, other
            for one, other in product(partners, couple.children):
                yield one, Step.CHILD, other
                yield other, Step.PARENT, one


def witness(folding: Folding, names: list[str]) -> Witness:
    """The family of a folded graph."""
    called: dict[int, str] = {}
    partners: dict[int, list[str]] = {}
    children: dict[int, list[str]] = {}
    genders: dict[str, str] = {}
    for person, birth, marriage in folding.people():
        called[person] = names[person] if person < len(names) else f"?{person - len(names) + 1}"
        children.setdefault(birth, []).append(called[person])
        partners.setdefault(marriage, []).append(called[person])
        gender = folding.gender[person]
        if gender is not None:
            genders[called[person]] = GENDERS[gender]
    couples = [
        Couple(tuple(partners.get(couple, [""])), tuple(children.get(couple, [])))
        for couple in sorted({*partners, *children})
        # A couple of one known person says nothing.
        if len(partners.get(couple, [])) + len(children.get(couple, [])) > 1
    ]
    return Witness(tuple(couples), genders, tuple(called[person] for person in folding.circle()))
