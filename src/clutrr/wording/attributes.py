"""Group sentences by the attribute that they give.

A trait is a shape with a value. An attribute of an entity is given only once, so two traits that share a
shape or a value are of one attribute, unless both are given of the same entity: "[] is into [golf]" and
"[] is into [cooking]" are two attributes if some are into both; "[] works at [Acme]" and "[] has a job with
[Acme]" are one. So are shapes without a value that exclude each other.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

_STRAY = 0.2  # share of the meetings expected by chance: two entities of a story may share a name
_EVIDENCE = 3.0  # meetings expected by chance, above which their absence is significant

Trait = tuple[str, str]  # a shape, and the value in it or ""
Pair = tuple[int, int]


def group(described: Sequence[Sequence[Trait]]) -> list[list[Trait]]:
    """Return the traits of each attribute; attributes in the order in which they are given.

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
    return sorted(ordered, key=place)


def _merge(described: Sequence[Sequence[Trait]], times: Counter[Trait]) -> list[list[Trait]]:
    """Join the two groups that exclude each other most surely, until none do."""
    groups = {number: [trait] for number, trait in enumerate(times)}
    number_of = {trait: number for number, trait in enumerate(times)}
    size = {number: times[trait] for trait, number in number_of.items()}
    met: Counter[Pair] = Counter(
        pair for traits in described for pair in combinations(sorted({number_of[t] for t in traits}), 2)
    )
    related = set(_related(number_of))
    while True:
        exclusive = [
            (size[a] * size[b] / len(described), (a, b))
            for a, b in related
            if met[a, b] <= _STRAY * size[a] * size[b] / len(described)
        ]
        if not exclusive or max(exclusive)[0] < _EVIDENCE:
            return list(groups.values())
        _, (a, b) = max(exclusive)
        groups[a] += groups.pop(b)
        size[a] += size.pop(b)
        related.discard((a, b))
        for other in groups:
            if other == a:
                continue
            old, new = _pair(other, b), _pair(other, a)
            met[new] += met.pop(old, 0)
            if old in related:
                related.discard(old)
                related.add(new)


def _related(number_of: dict[Trait, int]) -> Iterator[Pair]:
    """Traits that share a shape or a value, or have none."""
    sharing: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for (shape, value), number in number_of.items():
        sharing["value", value].append(number)
        sharing["shape", shape].append(number)
    for numbers in sharing.values():
        yield from combinations(sorted(numbers), 2)


def _pair(one: int, other: int) -> Pair:
    return (one, other) if one < other else (other, one)


def shapes(members: Sequence[Trait]) -> list[str]:
    return list(dict.fromkeys(shape for shape, _ in members))


def values(members: Sequence[Trait]) -> list[str]:
    return sorted({value for _, value in members if value})
