"""CLUTRR v0.1: CSV of story and summary below comment lines; sentences hold everything."""

from collections.abc import Iterator

from clutrr.data.part import Row
from clutrr.data.path import find_path, genders, people
from clutrr.data.source import Source
from clutrr.puzzle import Puzzle
from clutrr.solve.reading import Reader
from clutrr.world import load_world

COLUMNS = frozenset({"story", "summary"})


def rows(source: Source) -> Iterator[Row]:
    """The puzzles, numbered by subset; what the story does not tell is empty."""
    world = load_world()
    reader = Reader(world)
    split = source.split
    counts: dict[str, int] = {}
    for line, cells in source.records(COLUMNS):
        story, summary = cells["story"], cells["summary"]
        asked, _ = reader.facts(summary)
        if len(asked) != 1:
            raise source.error(f"the summary {summary[:80]!r} states {len(asked)} facts, not 1", line)
        head, target, tail = asked[0]
        facts, _ = reader.facts(story)
        for name in (head, tail):
            if f"[{name}]" not in story:
                raise source.error(f"[{name}] of the summary is in no sentence of the story", line)
        path = find_path(facts, (head, tail), world)
        if path is None:
            raise source.error(f"no facts that were read join [{head}] and [{tail}]", line)
        subset = f"M{len(path.facts)}"
        number = counts[subset] = counts.get(subset, -1) + 1
        told = genders([*facts, asked[0]], world)
        puzzle = Puzzle(
            id="-".join([subset, *([split] if split else []), str(number)]),
            story=story,
            abstract=summary,
            query=(head, tail),
            target=target,
            k=len(path.facts),
            pattern=path.pattern,
            facts=path.facts + tuple(fact for fact in facts if fact not in path.facts),
            people=people(path.people, told),
            family="",
        )
        yield Row(subset, split, puzzle)
