"""CLUTRR v0.1 and v1.3, other sets, and the names of columns in our own files of before: all are read.

v0.1 is CSV of story and summary below comment lines: sentences hold everything. v1.3 is JSON lines with the
graph, its names and the story; noise edges are named too, and `extra` keeps what a puzzle has no place for.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import count, pairwise
from typing import Any

from clutrr.data.asked import Columns, Record
from clutrr.data.part import Notes, PlacedPuzzle
from clutrr.data.source import DataFile, Place, json_lines
from clutrr.data.v1 import Spelling
from clutrr.facts import everybody, implied_forms, roles, shortest_path
from clutrr.puzzle import Fact, Puzzle
from clutrr.wording.check import TextCheck
from clutrr.world import World

# The names of today, by those that columns had before version 0.3.
NAMES_BEFORE = {"people": "entities", "family": "scene"}
FORM_BEFORE = "gender"
V01_COLUMNS = frozenset({"story", "summary"})
V13_COLUMNS = frozenset(
    {"resolution_path", "target_gender", "gender_map", "name_map", "named_edges", "text_story"}
)
V01_WORLD, V13_WORLD = "kinship", "kinship-v1"  # of the published files
# Sets of other authors that are rows of a story, a question and an answer: name, columns, where what is in
# them, world, and what tells the set by its first row.
SETS: tuple[tuple[str, frozenset[str], Columns, str, Callable[[Record], bool]], ...] = (
    (
        "StepGame",
        frozenset({"story", "question", "label"}),
        {"story": ["story"], "query": ["question"], "target": ["label"]},
        "directions",
        lambda row: str(row.get("question")).startswith("What is the relation of the agent "),
    ),
    (
        "reasoning-gym family_relationships",
        frozenset({"question", "answer", "metadata"}),
        {"story": ["question"], "query": ["question"], "target": ["answer"]},
        "kinship-v1",
        lambda row: "family_relationships" in str(row.get("metadata")),
    ),
)
_KEY = "v1.3"  # of the fields in `extra`
_Edge = tuple[str, str, str]


def _numbered(source: DataFile) -> Callable[[str], str]:
    """Return what gives the id of the next puzzle of a subset, such as M3-test-0."""
    split, counts = source.split, defaultdict[str, Iterator[int]](count)
    return lambda subset: "-".join([subset, *([split] if split else []), str(next(counts[subset]))])


def v01_rows(source: DataFile, world: World, notes: Notes) -> Iterator[PlacedPuzzle]:
    """Yield the puzzles of a file of v0.1. What the story does not state is empty."""
    text, next_id = TextCheck(world), _numbered(source)

    def row(cells: dict[str, str], place: Place) -> PlacedPuzzle:
        story, summary = cells["story"], cells["summary"]
        asked = text.read(summary).facts
        if len(asked) != 1:
            raise source.error(f"the summary {summary[:80]!r} states {len(asked)} facts, not 1", place)
        head, target, tail = asked[0]
        for name in (head, tail):
            if f"[{name}]" not in story:
                raise source.error(f"[{name}] of the summary is in no sentence of the story", place)
        facts = text.read(story).facts
        path = shortest_path(facts, head, tail)
        if path is None:
            raise source.error(f"no facts that were read join [{head}] and [{tail}]", place)
        along = tuple(facts[number] for number in path.numbers)
        stated = along + tuple(fact for fact in facts if fact not in along)
        forms = implied_forms([*facts, asked[0]], world.labels, world.theory.head_form)
        everyone = everybody(path.entities, stated, forms)
        subset = f"M{len(along)}"
        puzzle = Puzzle(
            id=next_id(subset),
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
            sentences=text.sentences(story, stated, everyone),
        )
        return PlacedPuzzle(subset, source.split, puzzle)

    return notes.rows(source.records(V01_COLUMNS, notes.bad), row)


def v13_rows(source: DataFile, world: World, notes: Notes) -> Iterator[PlacedPuzzle]:
    """Yield the puzzles of a file of v1.3."""
    text, next_id = TextCheck(world), _numbered(source)
    spelling = Spelling(world, notes, str(source.path))

    def relation_of(word: str, place: Place) -> str:
        relation = spelling.relation(word, place)
        if relation is None:
            raise source.error(f"no relation {word[:40]!r}", place)
        return relation

    def row(record: dict[str, Any], place: Place) -> PlacedPuzzle:
        try:
            names, genders, path, edges = _graph(record, world.forms)
            story, word = str(record["text_story"]), _text(record["target_gender"])
        except (TypeError, ValueError, KeyError, AttributeError):
            raise source.error("not the graph, names and edges of a v1.3 record", place) from None
        k = len(path) - 1
        along = [names[person] for person in path]
        if k < 1 or [(head, tail) for head, tail, _ in edges[:k]] != list(pairwise(along)):
            raise source.error("the first named_edges do not lead along resolution_path", place)
        target = relation_of(word, place)
        facts = [Fact(head, relation_of(spelt, place), tail) for head, tail, spelt in edges]
        for name in along:
            if f"[{name}]" not in story:
                raise source.error(f"[{name}] is in no sentence of the story", place)
        subset = f"M{k}"
        everyone = everybody(along, facts, {names[p]: gender for p, gender in genders.items() if p in names})
        puzzle = Puzzle(
            id=next_id(subset),
            story=story.strip(),
            abstract="",
            query=(along[0], along[-1]),
            target=target,
            k=k,
            pattern=tuple(world.meaning[fact.relation][0].name for fact in facts[:k]),
            facts=tuple(facts),
            entities=everyone,
            scene="",
            roles=roles(facts, k),
            sentences=text.sentences(story.strip(), facts, everyone),
            extra=json.dumps({_KEY: record}, ensure_ascii=False),
        )
        return PlacedPuzzle(subset, source.split, puzzle)

    return notes.rows(json_lines(source, V13_COLUMNS, notes.bad), row)


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
