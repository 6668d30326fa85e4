"""The rows that an audit looks at: what each puzzle asks, answers and states, subset by subset."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from clutrr.data import Part, scan
from clutrr.errors import DataError
from clutrr.puzzle import Puzzle, from_table
from clutrr.solver import Judge, Judgement
from clutrr.wording import Reader
from clutrr.world import GENDERS, World, load_world

_WORLDS = ("kinship", "kinship-v1")


@dataclass(frozen=True)
class Row:
    """One puzzle, as far as the audit needs it.

    kind, gender: of the target. relations: the words along the path; a kind where the gender is not
    known. judgement: the solver's.
    """

    puzzle: Puzzle
    kind: str
    gender: str
    relations: tuple[str, ...]
    judgement: Judgement

    @property
    def target(self) -> str:
        return self.puzzle.target


@dataclass
class Subset:
    """The rows of one subset, by split ("" where the data names none)."""

    name: str
    rows: dict[str, list[Row]] = field(default_factory=dict)

    @property
    def train(self) -> list[Row]:
        return self.rows.get("train", [])

    @property
    def test(self) -> list[Row]:
        """The rows to measure on: the test split, or all where there is no such split."""
        return self.rows.get("test") or self.rows.get("") or self.train

    @property
    def known(self) -> list[Row]:
        """The rows to fit on: the train split, or all where there is no such split."""
        return self.train or self.test


class WorldFinder:
    """Picks for each part of data the world whose labels it uses, and how to read it."""

    def __init__(self, name: str | None) -> None:
        self._worlds = [load_world(name)] if name else [load_world(known) for known in _WORLDS]
        self._readers = {world.name: Reader(world) for world in self._worlds}

    def world(self, part: Part) -> World:
        relations = set(part.table["target"].unique().to_pylist())
        relations |= {fact[1] for facts in part.table["facts"].to_pylist() for fact in facts}
        for world in self._worlds:
            if relations <= set(world.relations):
                return world
        unknown = min(relations - set(self._worlds[-1].relations))
        raise DataError(f"{part.where}: the relation {unknown!r} is in no known world (see --world)")

    def by_facts(self, part: Part, world: World) -> bool:
        """Whether the stories are free text, so that only the stated facts can be judged."""
        puzzle = next(from_table(part.table.slice(0, 1)))
        if "[" not in puzzle.story:
            return True
        facts, unread = self._readers[world.name].facts(puzzle.story)
        return unread > 0 and sorted(facts) != sorted(puzzle.facts)


def findings(data: Path, world: str | None) -> Iterator[tuple[Part, list[Judgement]]]:
    """The solver's judgement of every puzzle, part by part."""
    for part, judge, by_facts in _judged(data, world):
        yield part, list(judge.table(part.table, by_facts))


def _judged(data: Path, name: str | None) -> Iterator[tuple[Part, Judge, bool]]:
    finder = WorldFinder(name)
    judges: dict[str, Judge] = {}
    for part in scan(data):
        world = finder.world(part)
        judge = judges.setdefault(world.name, Judge(world))
        yield part, judge, finder.by_facts(part, world)


def collect(data: Path, name: str | None) -> Iterator[tuple[World, str, str, Row]]:
    """Every row with its world, subset and split."""
    for part, judge, by_facts in _judged(data, name):
        world = judge.solver.world
        judgements = judge.table(part.table, by_facts)
        for puzzle, judgement in zip(from_table(part.table), judgements, strict=True):
            kind, gender = world.meaning[puzzle.target]
            row = Row(puzzle, kind.name, ("female", "male")[gender], _relations(puzzle, world), judgement)
            yield world, part.subset, part.split or "", row


def _relations(puzzle: Puzzle, world: World) -> tuple[str, ...]:
    genders = {p.name: GENDERS.index(p.gender) for p in puzzle.people if p.gender in GENDERS}
    return tuple(
        world.kind(kind).relations[genders[name]] if name in genders else kind
        for kind, name in zip_longest(puzzle.pattern, _walk(puzzle)[: puzzle.k])
    )


def _walk(puzzle: Puzzle) -> list[str]:
    """The people whom the path comes to. Where it meets one again, as in v1.0, only the facts tell."""
    if len(puzzle.people) > puzzle.k:
        return [person.name for person in puzzle.people[1:]]
    walk = [puzzle.query[0]]
    for fact in puzzle.facts:
        walk.append(fact.tail if fact.head == walk[-1] else fact.head)
    return walk[1:]
