"""CLUTRR v1.3: JSON lines with the graph, its names and the story; noise edges are named too.

`extra` keeps what a puzzle has no place for.
"""

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from clutrr.data.own import json_lines
from clutrr.data.part import Notes, PlacedPuzzle
from clutrr.data.source import DataFile, Place
from clutrr.data.v1 import Spelling
from clutrr.facts import everybody, roles
from clutrr.puzzle import Fact, Puzzle
from clutrr.wording.check import TextCheck
from clutrr.world import World

COLUMNS = frozenset(
    {"resolution_path", "target_gender", "gender_map", "name_map", "named_edges", "text_story"}
)
WORLD = "kinship-v1"  # of the published files
KEY = "v1.3"  # of the fields in `extra`


def rows(source: DataFile, world: World, notes: Notes) -> Iterator[PlacedPuzzle]:
    """Yield the puzzles of a file."""
    return notes.rows(json_lines(source, COLUMNS, notes.bad), _Records(source, world, notes).row)


class _Records:
    """Turns records into puzzles, numbered by subset."""

    def __init__(self, source: DataFile, world: World, notes: Notes) -> None:
        self._source = source
        self._split = source.split
        self._world = world
        self._text = TextCheck(world)
        self._spelling = Spelling(world, notes, str(source.path))
        self._counts: dict[str, int] = {}

    def row(self, record: dict[str, Any], place: Place) -> PlacedPuzzle:
        """Return the puzzle of a record."""
        try:
            names, genders, path, edges = _graph(record, self._world.forms)
            story, word = str(record["text_story"]), _text(record["target_gender"])
        except (TypeError, ValueError, KeyError, AttributeError):
            raise self._source.error("not the graph, names and edges of a v1.3 record", place) from None
        k = len(path) - 1
        along = [names[person] for person in path]
        if k < 1 or [(head, tail) for head, tail, _ in edges[:k]] != list(pairwise(along)):
            raise self._source.error("the first named_edges do not lead along resolution_path", place)
        target, *relations = (self._relation(spelt, place) for spelt in (word, *(edge[2] for edge in edges)))
        facts = [Fact(head, r, tail) for (head, tail, _), r in zip(edges, relations, strict=True)]
        for name in along:
            if f"[{name}]" not in story:
                raise self._source.error(f"[{name}] is in no sentence of the story", place)
        subset = f"M{k}"
        number = self._counts[subset] = self._counts.get(subset, -1) + 1
        everyone = everybody(along, facts, {names[p]: gender for p, gender in genders.items() if p in names})
        puzzle = Puzzle(
            id="-".join([subset, *([self._split] if self._split else []), str(number)]),
            story=story.strip(),
            abstract="",
            query=(along[0], along[-1]),
            target=target,
            k=k,
            pattern=tuple(self._world.meaning[fact.relation][0].name for fact in facts[:k]),
            facts=tuple(facts),
            entities=everyone,
            scene="",
            roles=roles(facts, k),
            sentences=self._text.sentences(story.strip(), facts, everyone),
            extra=json.dumps({KEY: record}, ensure_ascii=False),
        )
        return PlacedPuzzle(subset, self._split, puzzle)

    def _relation(self, word: str, place: Place) -> str:
        relation = self._spelling.relation(word, place)
        if relation is None:
            raise self._source.error(f"no relation {word[:40]!r}", place)
        return relation


_Edge = tuple[str, str, str]


def _graph(
    record: dict[str, Any], known: tuple[str, ...]
) -> tuple[dict[str, str], dict[str, str], list[str], list[_Edge]]:
    names = {str(person): _text(name) for person, name in record["name_map"].items()}
    genders = {str(person): _text(gender) for person, gender in record["gender_map"].items()}
    if not set(genders.values()) <= set(known):
        raise ValueError
    path = [str(person) for person in record["resolution_path"]]
    edges = [(_text(a), _text(b), _text(r)) for a, b, r in record["named_edges"]]
    if not all(person in names and person in genders for person in path):
        raise ValueError
    return names, genders, path, edges


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
