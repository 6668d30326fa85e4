"""Families: people in tribes, four generations each. Nobody marries a relative, and all children have married parents.

A tribe begins with four couples. Their children marry between the first two families and between the last two, and the
grandchildren between these halves, so that no two of a couple have an ancestor in common. The people of a tribe
are numbered generation by generation, and the children of a couple one after the other.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

TRIBE = 48  # people
_SIDES = ((0, 1), (2, 3))


def _numbers() -> "array[int]":
    return array("i")


@dataclass(frozen=True)
class Families:
    """People by number, and couples by number; -1 where there is none.

    Args:
        female: of each person, whether a woman.
        born: the couple whose child somebody is.
        own: the couple that somebody is one of.
        wife, husband: of each couple.
        first, children: the number of the first child, and how many there are.
        generations: the first number of each generation; the last one is the number of people.
    """

    female: bytearray = field(default_factory=bytearray)
    born: "array[int]" = field(default_factory=_numbers)
    own: "array[int]" = field(default_factory=_numbers)
    wife: "array[int]" = field(default_factory=_numbers)
    husband: "array[int]" = field(default_factory=_numbers)
    first: "array[int]" = field(default_factory=_numbers)
    children: "array[int]" = field(default_factory=_numbers)
    generations: "array[int]" = field(default_factory=_numbers)

    def __len__(self) -> int:
        return len(self.female)

    @property
    def couples(self) -> int:
        return len(self.wife)

    def spouse(self, person: int) -> int:
        """Return whom somebody is married to, or -1."""
        couple = self.own[person]
        if couple < 0:
            return -1
        return self.husband[couple] if self.female[person] else self.wife[couple]


def families_of(people: int, seed: str) -> Families:
    """Return families with so many people."""
    made = Families()
    for number in range(-(-people // TRIBE)):
        size = min(TRIBE, people - number * TRIBE)
        _add_tribe(made, size, Random(f"{seed} tribe {number}"))
    made.generations.append(len(made))
    return made


def _add_tribe(made: Families, size: int, rng: Random) -> None:
    end = len(made) + size
    clans = max(1, min(4, size // 10))
    made.generations.append(len(made))
    couples = [  # with the clan, or the half, of each
        (_marry(made, _add(made, True, -1), _add(made, False, -1)), clan) for clan in range(clans)
    ]
    for generation in range(3):
        last = generation == 2
        counts = _counts(couples, end - len(made), last, rng)
        if sum(counts):
            made.generations.append(len(made))
        grown: list[tuple[int, int]] = []
        for (couple, side), count in zip(couples, counts, strict=True):
            made.first[couple] = len(made)
            made.children[couple] = count
            grown += [(_add(made, rng.random() < 0.5, couple), side) for _ in range(count)]
        if last or not grown:
            break
        couples = _weddings(made, grown, generation, rng)
    if len(made) < end:  # people without a family
        made.generations.append(len(made))
        while len(made) < end:
            _add(made, rng.random() < 0.5, -1)


def _counts(couples: Sequence[tuple[int, int]], left: int, last: bool, rng: Random) -> list[int]:
    """Return how many children each couple has. last: whether there are no more to come after these."""
    counts = []
    for _ in couples:
        count = min(left, rng.choice((0, 1, 2, 2, 3, 4)) if last else rng.choice((2, 3, 3, 4)))
        counts.append(count)
        left -= count
    while last and left and couples and min(counts) < 5:
        at = rng.randrange(len(counts))
        if counts[at] < 5:
            counts[at] += 1
            left -= 1
    return counts


def _weddings(
    made: Families, grown: Sequence[tuple[int, int]], generation: int, rng: Random
) -> list[tuple[int, int]]:
    """Marry those of one generation, and return the couples. Sides of the next generation are halves."""
    people = list(grown)
    rng.shuffle(people)
    couples = []
    for side, others in _SIDES if generation == 0 else ((0, 1),):
        for one, other in ((side, others), (others, side)):
            women = [who for who, of in people if of == one and made.female[who]]
            men = [who for who, of in people if of == other and not made.female[who]]
            for woman, man in zip(women, men, strict=False):
                if rng.random() < 0.9:
                    couples.append((_marry(made, woman, man), side // 2))
    return couples


def _add(made: Families, female: bool, born: int) -> int:
    made.female.append(female)
    made.born.append(born)
    made.own.append(-1)
    return len(made) - 1


def _marry(made: Families, wife: int, husband: int) -> int:
    couple = made.couples
    made.wife.append(wife)
    made.husband.append(husband)
    made.first.append(0)
    made.children.append(0)
    made.own[wife] = made.own[husband] = couple
    return couple
