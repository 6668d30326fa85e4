"""Everything that is so in a book, and where what of it is told: a pure function of the config.

Entities of all sorts are numbered through: first the people, then towns, regions and fairs. Nothing is told twice. Relations
of the theories are told within small groups of entities; nothing joins two groups.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from random import Random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clutrr._books.config import BookConfig
from clutrr._books.families import Families, families_of
from clutrr._books.names import Names, names_of, names_of_people
from clutrr._books.vocabulary import Link, vocabulary
from clutrr._lexicon import World
from clutrr.theory.directions import kind_of
from clutrr.theory.order import Order
from clutrr.theory.time import Time

SORTS = ("person", "place", "region", "event")
_GROUP = 10  # entities of a theory that are told of together
_SHARES = {  # how many entities of each other sort there are for one of the main sort
    "person": {"person": 1.0, "place": 1 / 8, "region": 1 / 40, "event": 1 / 25},
    "place": {"person": 3.0, "place": 1.0, "region": 1 / 6, "event": 1 / 3},
    "region": {"person": 6.0, "place": 2.0, "region": 1.0, "event": 1.0},
    "event": {"person": 4.0, "place": 1 / 2, "region": 1 / 4, "event": 1.0},
}
_FEWEST = {"person": 24, "place": 6, "region": 5, "event": 6}
_LISTED = 8  # entities in a list, at most

# How much is told: shares.
_MARRIED_TOLD = 0.94
_SINGLE_TOLD = 0.85
_BY_PARENT = 0.75  # of the couples whose children are told by a parent
_CLOSED = 0.88  # of these, whether all daughters, and all sons
_TOLD = 0.88  # of links to one
_ALL = 0.8  # of links to many, whether all are told
_LISTS = 0.4  # of the towns and regions that list those who belong to them
_NOBODY = 0.15  # of the people who have no employer

UNTOLD, OWN, LISTED = range(
    3
)  # of links to one: not told, in its own article, in the list of the other
Coordinates = tuple[int, ...]


class Edge(NamedTuple):
    """A relation that is told: b is so to a, in the article of one of them, as its statement of this number."""

    a: int
    kind: str
    b: int
    owner: int
    number: int


@dataclass(frozen=True)
class LinkTable:
    """The links of one name: of each entity of the sort, where its row begins in `values`.

    told: of a link to one, UNTOLD, OWN or LISTED; of a link to many, whether all are told (else some are).
    """

    link: Link
    starts: npt.NDArray[np.int64]
    values: npt.NDArray[np.int64]
    told: bytearray

    def row(self, at: int) -> list[int]:
        """Return what entity number `at` of its sort is linked to."""
        found: list[int] = self.values[self.starts[at] : self.starts[at + 1]].tolist()
        return found


@dataclass(frozen=True)
class Told:
    """What is told of families.

    by_husband: of a couple, whose article tells its children. listed: whether that article tells them, or their own do.
    daughters, sons: whether it tells all of them. married: 0 not told, 1 in the wife's article, 2 in the
    husband's. single: of a person, whether it is told that there is no spouse.
    """

    by_husband: bytearray
    listed: bytearray
    daughters: bytearray
    sons: bytearray
    married: bytearray
    single: bytearray


class Scene:
    """A book's scene. worlds: by part, what tells its relations."""

    def __init__(self, config: BookConfig, worlds: Mapping[str, World]) -> None:
        self.config, self.worlds = config, worlds
        self.words = vocabulary()
        self._seed = f"{config.seed} {config.split} {config.number}"
        self.parts = [self.words.parts[name] for name in config.parts]
        main = self.parts[0].sort
        present = {part.sort for part in self.parts}
        self.sizes = {sort: self._size(sort, main) if sort in present else 0 for sort in SORTS}
        self.offset: dict[str, int] = {}
        self.total = 0
        for sort in SORTS:
            self.offset[sort] = self.total
            self.total += self.sizes[sort]
        self._named = self._names()

    def _size(self, sort: str, main: str) -> int:
        share = self.config.entities * _SHARES[main][sort]
        return round(share) if sort == main else max(_FEWEST[sort], round(share))

    def rng(self, what: str) -> np.random.Generator:
        """Return random numbers for one thing, whatever else is drawn."""
        return np.random.default_rng(list(f"{self._seed} {what}".encode()))

    def number(self, what: str) -> int:
        """Return a large number for one thing."""
        drawn = blake2b(f"{self._seed} {what}".encode(), digest_size=15).digest()
        return int.from_bytes(drawn)

    # Entities

    def sort(self, entity: int) -> str:
        """Return what sort an entity is of."""
        return next(
            sort for sort in reversed(SORTS) if self.sizes[sort] and entity >= self.offset[sort]
        )

    def name(self, entity: int) -> str:
        """Return the name of an entity."""
        sort = self.sort(entity)
        at = entity - self.offset[sort]
        if sort != "person":
            return self._named[sort][0][at]
        return self._named[sort][self.form(at)][at]

    def form(self, person: int) -> int:
        """Return the form of a person's name: that of the first name."""
        if self.families is None or len(self._named["person"]) == 1:
            return 0
        return 0 if self.families.female[person] else 1

    def _names(self) -> dict[str, list[Names]]:
        found: dict[str, list[Names]] = {}
        half = self.config.half
        for sort in SORTS:
            needed, rng = self.sizes[sort], Random(f"{self._seed} names {sort}")
            if not needed:
                continue
            if sort != "person":
                found[sort] = [names_of(sort, needed, half, rng)]
                continue
            world = self.worlds.get("families") or self.worlds["ages"]
            found[sort] = list(names_of_people(world.lexicon.names, needed, half, rng))
        return found

    @cached_property
    def positions(self) -> npt.NDArray[np.int64]:
        """The number of each entity's article: those of a shard are shuffled."""
        rng, found = self.rng("order"), np.arange(self.total)
        for start in range(0, self.total, SHARD):
            rng.shuffle(found[start : start + SHARD])
        return found

    def article(self, entity: int) -> str:
        """Return the id of an entity's article."""
        return f"a{self.positions[entity] + 1:07d}"

    # Families

    @cached_property
    def families(self) -> Families | None:
        """Who is whose child and spouse, if the book is about that."""
        if "families" not in self.config.parts:
            return None
        return families_of(self.sizes["person"], self._seed)

    @cached_property
    def told(self) -> Told:
        """What of it is told."""
        assert self.families is not None
        rng, couples, people = self.rng("told"), self.families.couples, len(self.families)

        def share(of: float, size: int = couples) -> bytearray:
            return bytearray((rng.random(size) < of).astype(np.uint8).tobytes())

        by_husband, listed = share(0.5), share(_BY_PARENT)
        married = np.where(rng.random(couples) < _MARRIED_TOLD, rng.integers(1, 3, couples), 0)
        return Told(
            by_husband,
            listed,
            share(_CLOSED),
            share(_CLOSED),
            bytearray(married.astype(np.uint8).tobytes()),
            share(_SINGLE_TOLD, people),
        )

    def teller(self, couple: int) -> int:
        """Return who of a couple tells of its children."""
        assert self.families is not None
        return (self.families.husband if self.told.by_husband[couple] else self.families.wife)[
            couple
        ]

    # Links

    @cached_property
    def link_names(self) -> tuple[str, ...]:
        """The links that this book has."""
        return tuple(
            link.name
            for link in self.words.links.values()
            if self.sizes[link.of] and (not link.to or self.sizes[link.to])
        )

    @lru_cache(None)  # noqa: B019  a scene lives as long as its tables
    def links(self, name: str) -> LinkTable:
        """Return the table of a link."""
        link = self.words.links[name]
        if link.many and link.inverse:
            return self._inverse(link)
        rng, size = self.rng(name), self.sizes[link.of]
        to = self.sizes[link.to] if link.to else len(link.values)
        counts = rng.choice(4, size, p=(0.15, 0.35, 0.3, 0.2)) if link.many else np.ones(size, int)
        if name == "employer":
            counts = (rng.random(size) >= _NOBODY).astype(int)
        starts = np.concatenate([[0], np.cumsum(counts)])
        values = self._targets(link, starts, to, rng)
        told = rng.random(size) < (_ALL if link.many else 1.0 if link.always else _TOLD)
        flags = told.astype(np.uint8)
        if link.inverse:
            flags[self._lists(link, values, to, rng)[values]] = LISTED
        return LinkTable(link, starts, values, bytearray(flags.tobytes()))

    def _targets(
        self, link: Link, starts: npt.NDArray[np.int64], to: int, rng: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        """Return what is linked to: never itself, and nothing twice in a row of a table."""
        size, total = len(starts) - 1, int(starts[-1])
        rows = np.repeat(np.arange(size), np.diff(starts))
        within = np.arange(total) - starts[rows]
        if link.of != link.to:
            first = rng.integers(0, to, size)
            apart = rng.integers(1, max(2, to // 4), size)
            found = (first[rows] + within * apart[rows]) % to
        else:  # steps that do not add up to a whole round
            apart = rng.integers(1, max(2, (to - 1) // 4), size)
            found = (rows + (within + 1) * apart[rows]) % to
        return found

    def _lists(
        self, link: Link, values: npt.NDArray[np.int64], to: int, rng: np.random.Generator
    ) -> npt.NDArray[np.bool_]:
        """Return which of the others list those who are linked to them."""
        few = np.bincount(values, minlength=to) <= _LISTED
        return (rng.random(to) < _LISTS) & few

    def _inverse(self, link: Link) -> LinkTable:
        """Return the links back; told are those that are lists of all."""
        there = self.links(link.inverse)
        size = self.sizes[link.of]
        order = np.argsort(there.values, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(there.values, minlength=size))])
        rng = self.rng(link.inverse + " empty")
        told = (rng.random(size) < _LISTS).astype(np.uint8)
        told[there.values] = 0
        listed = np.frombuffer(bytes(there.told), np.uint8) == LISTED
        told[there.values[listed]] = 1
        return LinkTable(link, starts, order, bytearray(told.tobytes()))

    # Relations of theories

    def group(self, part: str, entity: int) -> tuple[int, int]:
        """Return the first entity of the group that an entity is told of in, and the one after the last."""
        sort = self.words.parts[part].sort
        offset, size = self.offset[sort], self.sizes[sort]
        if part == "ages" and self.families is not None:
            generations = self.families.generations
            at = bisect_right(generations, entity)
            return generations[at - 1], generations[at]
        start = offset + (entity - offset) // _GROUP * _GROUP
        stop = min(start + _GROUP, offset + size)
        if (
            offset + size - start < _GROUP // 2 < start - offset
        ):  # the last few belong to those before
            start -= _GROUP
        elif 0 < offset + size - stop < _GROUP // 2:
            stop = offset + size
        return start, stop

    @lru_cache(4096)  # noqa: B019
    def placed(self, part: str, start: int, stop: int) -> Mapping[int, Coordinates]:
        """Return where the entities of a group are, in the way of their theory."""
        rng, members = Random(f"{self._seed} {part} {start}"), range(start, stop)
        if part == "ages":
            return {one: (rng.randrange(4 * len(members)),) for one in members}
        if part == "places":
            wide = 2 * len(members)
            spots = rng.sample(range(wide * wide), len(members))
            return {one: divmod(spot, wide) for one, spot in zip(members, spots, strict=True)}
        if part == "events":
            return {one: _interval(len(members), rng) for one in members}
        return dict(zip(members, _areas(len(members), rng), strict=True))

    def kind(self, part: str, a: Coordinates, b: Coordinates) -> str:
        """Return what b is to a."""
        if part == "ages":
            return Order.relation(a[0], b[0])
        if part == "places":
            return kind_of(b[0] - a[0], b[1] - a[1])
        if part == "events":
            return Time.relation((a[0], a[1]), (b[0], b[1]))
        return between(a, b)

    @lru_cache(4096)  # noqa: B019
    def edges(self, part: str, start: int, stop: int) -> Sequence[Edge]:
        """Return the relations that are told of a group."""
        rng, placed = Random(f"{self._seed} {part} told {start}"), self.placed(part, start, stop)
        members = list(range(start, stop))
        rng.shuffle(members)
        pairs: dict[tuple[int, int], None] = {}
        for at, one in enumerate(members[1:], 1):
            for _ in range(1 + (rng.random() < 0.6)):
                other = members[rng.randrange(at)]
                if (one, other) not in pairs and (other, one) not in pairs:
                    pairs[(one, other) if rng.random() < 0.5 else (other, one)] = None
        numbers: dict[int, int] = {}
        found = []
        for a, b in pairs:
            owner = a if rng.random() < 0.5 else b
            number = numbers[owner] = numbers.get(owner, 0) + 1
            found.append(Edge(a, self.kind(part, placed[a], placed[b]), b, owner, number))
        return found


SHARD = 16_384  # articles of a file


def between(a: Coordinates, b: Coordinates) -> str:
    """Return what box b is to box a, in the kinds of regions: left, right, bottom, top of each."""
    gap = max(a[0] - b[1], b[0] - a[1], a[2] - b[3], b[2] - a[3])
    if gap >= 0:
        return "DC" if gap else "EC"
    if a == b:
        return "EQ"
    for inner, outer, turned in ((b, a, ""), (a, b, "I")):
        if all(outer[i] <= inner[i] and inner[i + 1] <= outer[i + 1] for i in (0, 2)):
            touches = any(inner[i] == outer[i] for i in range(4))
            return ("TPP" if touches else "NTPP") + turned
    return "PO"


def _interval(members: int, rng: Random) -> Coordinates:
    start = rng.randrange(2 * members)
    return start, start + rng.randint(1, max(2, members // 2))


def _areas(members: int, rng: Random) -> list[Coordinates]:
    """Return boxes, most of them inside or beside an earlier one."""
    found: list[Coordinates] = [(0, 64, 0, 64)]
    while len(found) < members:
        left, right, low, high = rng.choice(found)
        wide, tall = right - left, high - low
        if wide < 4 or tall < 4:
            continue
        one = sorted(rng.sample(range(left, right + 1), 2))
        other = sorted(rng.sample(range(low, high + 1), 2))
        if rng.random() < 0.3:  # partly or wholly outside
            one = [side + wide // 2 for side in one]
        box = (*one, *other)
        if box not in found:
            found.append(box)
    return found
