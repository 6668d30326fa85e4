"""What facts say to the steps of chains, by programs that share nothing with the package but words.

Points, intervals and directions: comparisons of numbers, closed to the end. One step on a grid: sums. Regions:
every kind of border that the facts allow is looked at. Kinship: an answer-set program.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import product

import numpy as np

Given = tuple[str, str, str]  # head, relation, tail: tail is head's relation, or tail RELATION head

# How the beginning and the end of b lie to those of a: beginning to beginning, beginning of b to end of a, end of b
# to beginning of a, end to end.
TIME = {
    "equals": "=<>=",
    "before": "<<<<",
    "after": ">>>>",
    "during": "><><",
    "contains": "<<>>",
    "overlaps": "<<><",
    "overlapped by": "><>>",
    "meets": "<<=<",
    "met by": ">=>>",
    "starts": "=<><",
    "started by": "=<>>",
    "finishes": "><>=",
    "finished by": "<<>=",
}
ORDER = {"younger than": "<", "the same age as": "=", "older than": ">"}
PLACES = {
    f"{north}{'-' if north and east else ''}{east} of": (x, y)
    for north, y in (("south", "<"), ("", "="), ("north", ">"))
    for east, x in (("west", "<"), ("", "="), ("east", ">"))
    if north or east
} | {"at the same place as": ("=", "=")}
REGIONS = (
    "disconnected from",
    "touches from outside",
    "partly overlaps",
    "inside at the edge of",
    "inside away from the edge of",
    "contains at the edge",
    "contains away from the edge",
    "coincides with",
)
LABELS = {"order": (*ORDER,), "time": (*TIME,), "directions": (*PLACES,), "regions": REGIONS}


def possible(
    world: str, facts: Sequence[Given], query: tuple[str, str], assume: str
) -> frozenset[str]:
    """What the second of the query can be to the first; "outside": something that no label says."""
    if world == "kinship":
        from kin_program import answers

        return answers(facts, query, assume=assume)
    head, tail = query
    fits = {"regions": _regions_fit}.get(world, _points_fit)
    if assume == "unit":
        fits = _steps_fit
    labels = LABELS[world]
    return frozenset(label for label in labels if fits(world, facts, (head, label, tail)))


def _comparisons(world: str, fact: Given) -> Iterator[tuple[tuple[str, str], str, tuple[str, str]]]:
    a, label, b = fact
    if world == "order":
        yield ("x", b), ORDER[label], ("x", a)
    elif world == "directions":
        for axis, sign in zip("xy", PLACES[label], strict=True):
            yield (axis, b), sign, (axis, a)
    else:
        ends = (("s", "s"), ("s", "e"), ("e", "s"), ("e", "e"))
        for (one, other), sign in zip(ends, TIME[label], strict=True):
            yield (one, b), sign, (other, a)


def _points_fit(world: str, facts: Sequence[Given], claim: Given) -> bool:
    """Whether numbers can be so compared: at most, and less, closed over all that lies between."""
    said = [one for fact in (*facts, claim) for one in _comparisons(world, fact)]
    names = {name for fact in (*facts, claim) for name in (fact[0], fact[2])}
    if world == "time":
        said += [(("s", name), "<", ("e", name)) for name in names]
    points = {point: i for i, point in enumerate({p for a, _, b in said for p in (a, b)})}
    most = np.eye(len(points), dtype=bool)  # i is at most j
    less = np.zeros_like(most)
    for a, sign, b in said:
        i, j = points[a], points[b]
        if sign == ">":
            i, j = j, i
        most[i, j] = True
        if sign == "=":
            most[j, i] = True
        else:
            less[i, j] = True
    for middle in range(len(points)):
        most |= most[:, [middle]] & most[[middle], :]
    strict = (most.astype(int) @ less.astype(int) @ most.astype(int)) > 0
    return not strict.diagonal().any()


def _steps_fit(world: str, facts: Sequence[Given], claim: Given) -> bool:
    """The same where each fact is one step on a grid, and the claim is at any distance."""
    where: dict[str, tuple[int, int]] = {claim[0]: (0, 0)}
    number = {"<": -1, "=": 0, ">": 1}
    todo = [claim[0]]
    near: dict[str, list[tuple[str, int, int]]] = {}
    for a, label, b in facts:
        x, y = (number[sign] for sign in PLACES[label])
        near.setdefault(a, []).append((b, x, y))
        near.setdefault(b, []).append((a, -x, -y))
    for one in todo:
        for other, x, y in near.get(one, ()):
            place = where[one][0] + x, where[one][1] + y
            if other in where:
                if where[other] != place:
                    return False
            else:
                where[other] = place
                todo.append(other)
    if claim[2] not in where:
        return True
    signs = tuple("<" if n < 0 else ">" if n > 0 else "=" for n in where[claim[2]])
    return signs == PLACES[claim[1]]


def _regions_fit(world: str, facts: Sequence[Given], claim: Given) -> bool:
    """Whether areas can be so related.

    A border is between two cells, each in some of the areas. What relations forbid holds on every border; what
    they demand is found on some border, and borders do not disturb each other.
    """
    names = sorted({name for fact in (*facts, claim) for name in (fact[0], fact[2])})
    every = np.array(list(product((False, True), repeat=len(names))))
    at = {name: i for i, name in enumerate(names)}
    allowed = np.ones((len(every), len(every)), dtype=bool)
    wanted = []
    for a, label, b in (*facts, claim):
        one, two = (every[:, None, at[name]] for name in (b, a))  # in the first cell
        three, four = (every[None, :, at[name]] for name in (b, a))  # in the second cell
        if label.startswith("contains"):
            (one, two), (three, four) = (two, one), (four, three)
            label = {"contains at the edge": "inside at the edge of"}.get(
                label, "inside away from the edge of"
            )
        touch = (one | three) & (two | four)
        share = (one & two) | (three & four)
        within = (~one | two) & (~three | four)  # of the cells that there are
        if label == "disconnected from":
            allowed &= ~touch
        elif label == "touches from outside":
            allowed &= ~share
            wanted.append(touch)
        elif label == "partly overlaps":
            wanted += [share, (one & ~two) | (three & ~four), (two & ~one) | (four & ~three)]
        elif label == "coincides with":
            allowed &= within & (~two | one) & (~four | three)
        else:
            allowed &= within
            wanted.append((two & ~one) | (four & ~three))
            edge = (one & ~four) | (three & ~two)
            if label == "inside at the edge of":
                wanted.append(edge)
            else:
                allowed &= ~edge
    wanted += [every[:, None, i] | every[None, :, i] for i in range(len(names))]
    return all((allowed & one).any() for one in wanted)


class Oracle:
    """Judges the steps of chains about one puzzle."""

    def __init__(
        self, world: str, facts: Sequence[Given], query: tuple[str, str], assume: str
    ) -> None:
        self._asked = {*query}
        near = {name: {name} for fact in facts for name in (fact[0], fact[2])}
        for a, _, b in facts:
            joined = near[a] | near[b]
            near |= dict.fromkeys(joined, joined)
        self._near, self._facts = near, facts
        self._stated = {frozenset((a, b)) for a, _, b in facts}

        def found(head: str, tail: str) -> frozenset[str]:
            there = near[head] | near[tail]  # facts about others say nothing about these
            told = [fact for fact in facts if fact[0] in there]
            return possible(world, told, (head, tail), assume)

        self._possible = cache(found)

    def verdict(self, head: str, relations: Iterable[str], tail: str) -> str:
        """What the facts say to a claim."""
        can = self._possible(head, tail)
        if {head, tail} == self._asked:
            can -= {"outside"}
        if not can & {*relations}:
            return "contradicted"
        if not can <= {*relations}:
            return "possible"
        return "stated" if frozenset((head, tail)) in self._stated else "entailed"
