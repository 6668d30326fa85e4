"""CLUTRR v0.1: CSV of story and summary below comment lines; sentences hold everything."""

from collections.abc import Iterator

from clutrr.data.part import Notes, PlacedPuzzle
from clutrr.data.source import DataFile, Place
from clutrr.facts import everybody, implied_forms, roles, shortest_path
from clutrr.puzzle import Puzzle
from clutrr.wording.check import TextCheck
from clutrr.world import World

WORLD = "kinship"  # of the published files
HEADER = ("story", "summary")
COLUMNS = frozenset(HEADER)


def rows(source: DataFile, world: World, notes: Notes) -> Iterator[PlacedPuzzle]:
    """Yield the puzzles of a file."""
    return notes.rows(source.records(COLUMNS, notes.bad), V01Rows(source, world).row)


class V01Rows:
    """Turns cells into puzzles, numbered by subset, and puzzles into cells.

    What the story does not state is empty.
    """

    header = HEADER
    world_name = WORLD

    def __init__(self, source: DataFile, world: World) -> None:
        self._source = source
        self._split = source.split
        self._world = world
        self._text = TextCheck(self._world)
        self._counts: dict[str, int] = {}

    def cells(self, row: PlacedPuzzle, number: int) -> dict[str, str]:
        """Return a puzzle as the cells of a row."""
        return {"story": row.puzzle.story, "summary": row.puzzle.abstract}

    def row(self, cells: dict[str, str], place: Place) -> PlacedPuzzle:
        story, summary = cells["story"], cells["summary"]
        asked = self._text.read(summary).facts
        if len(asked) != 1:
            raise self._source.error(f"the summary {summary[:80]!r} states {len(asked)} facts, not 1", place)
        head, target, tail = asked[0]
        for name in (head, tail):
            if f"[{name}]" not in story:
                raise self._source.error(f"[{name}] of the summary is in no sentence of the story", place)
        facts = self._text.read(story).facts
        path = shortest_path(facts, head, tail)
        if path is None:
            raise self._source.error(f"no facts that were read join [{head}] and [{tail}]", place)
        along = tuple(facts[number] for number in path.numbers)
        stated = along + tuple(fact for fact in facts if fact not in along)
        world = self._world
        forms = implied_forms([*facts, asked[0]], world.labels, world.theory.head_form)
        everyone = everybody(path.entities, stated, forms)
        subset = f"M{len(along)}"
        number = self._counts[subset] = self._counts.get(subset, -1) + 1
        puzzle = Puzzle(
            id="-".join([subset, *([self._split] if self._split else []), str(number)]),
            story=story,
            abstract=summary,
            query=(head, tail),
            target=target,
            k=len(along),
            pattern=path.pattern(facts, world.labels),
            facts=stated,
            entities=everyone,
            scene="",
            roles=roles(stated, len(along)),
            sentences=self._text.sentences(story, stated, everyone),
        )
        return PlacedPuzzle(subset, self._split, puzzle)
