"""Group sentences by the attribute that they give.

A trait is a shape with a value. An attribute of an entity is given only once, so two traits that share a
shape or a value are of one attribute, unless both are given of the same entity: "[] is into [golf]" and
"[] is into [cooking]" are two attributes if some are into both; "[] works at [Acme]" and "[] has a job with
[Acme]" are one. So are shapes without a value that exclude each other.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

_STRAY = 0.2  # share of the meetings expected by chance: two entities of a story may share a name
_MANY = 5  # values of a shape
_EVIDENCE = 3.0  # meetings expected by chance, above which their absence is significant

Trait = tuple[str, str]  # a shape, and the value in it or ""


def group(described: Sequence[Sequence[Trait]]) -> list[tuple[list[str], list[str]]]:
    """Return the shapes and the values of each attribute; attributes in the order in which they are given.

    described: the traits of each entity.
    """
    times = Counter(trait for traits in described for trait in set(traits))
    groups = _merge(described, times)
    places: defaultdict[Trait, float] = defaultdict(float)
    for traits in described:
        for at, trait in enumerate(traits):
            places[trait] += at / len(traits)

    def place(members: list[Trait]) -> float:
        return sum(places[trait] for trait in members) / sum(times[trait] for trait in members)

    ordered = [sorted(members, key=lambda trait: (-times[trait], trait)) for members in groups]
    return [
        (
            list(dict.fromkeys(shape for shape, _ in members)),
            sorted({value for _, value in members} - {""}),
        )
        for members in sorted(ordered, key=place)
    ]


def _merge(described: Sequence[Sequence[Trait]], times: Counter[Trait]) -> list[list[Trait]]:
    """Join the values of a shape that nobody has two of; then the two groups that exclude each other most surely,
    until none do."""
    groups = {number: [trait] for number, trait in enumerate(times)}
    number_of = {trait: number for number, trait in enumerate(times)}
    size = np.array([*times.values()])
    met = np.zeros((len(times), len(times)), np.int64)
    for traits in described:
        numbers = [number_of[trait] for trait in set(traits)]
        met[np.ix_(numbers, numbers)] += 1
    # Traits that share a shape or a value, or have none, are related.
    shape, value = (np.array([trait[part] for trait in times]) for part in (0, 1))
    related = ((shape[:, None] == shape) | (value[:, None] == value)) & ~np.eye(
        len(times), dtype=bool
    )

    def join(one: int, other: int) -> None:
        groups[one] += groups.pop(other)
        size[one] += size[other]
        for pairs in (met, met.T, related, related.T):
            pairs[one] += pairs[other]
        related[other] = related[:, other] = related[one, one] = False

    # Of a shape with many values, each is too rare to show that it excludes the others; together they do.
    for numbers in _of_one_shape(times):
        among = met[np.ix_(numbers, numbers)]
        if among.sum() == np.trace(among):  # each meets itself alone
            for other in numbers[1:]:
                join(numbers[0], other)
    while related.any():
        expected = np.outer(size, size) / len(described)
        exclusive = np.where(related & (met <= _STRAY * expected), expected, 0)
        one, other = divmod(int(exclusive.argmax()), len(size))
        if exclusive[one, other] < _EVIDENCE:
            break
        join(one, other)
    return list(groups.values())


def _of_one_shape(times: Counter[Trait]) -> list[list[int]]:
    """Return the numbers of the traits of each shape that has many values."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for number, (shape, value) in enumerate(times):
        if value:
            found[shape].append(number)
    return [numbers for numbers in found.values() if len(numbers) >= _MANY]
