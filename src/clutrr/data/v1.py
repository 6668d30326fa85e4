"""CLUTRR v1.0 (2019): stories by crowd workers or from templates; the facts are in columns.

story_edges holds pairs of people by number, edge_types the relations of the first of them; the first k,
as many as the task says, lead from the first to the second person of the query. The later edges are the
noise of tasks 2 to 4 (supporting, irrelevant, disconnected), and of 5, which has several of these. Newer
files have a type for these too; in older ones no column says what they are, so it is read from the story,
and `extra` says which edges could not be read. genders holds the people. The hub's copy has fewer columns
and numbers for targets. Cells that a puzzle has no place for are kept unchanged in `extra`.
"""

import ast
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from clutrr.data.part import Notes, PlacedPuzzle, assembled, extra_with
from clutrr.data.source import DataFile, Place
from clutrr.errors import short
from clutrr.facts import Route, roles
from clutrr.puzzle import Fact
from clutrr.wording.check import TextCheck
from clutrr.world import World

WORLD = "kinship-v1"  # of the published files
_UNKNOWN = "unknown"  # a gender that is not known, in files that version 0.2 wrote
_TASK = re.compile(r"task_(\d+)\.(\d{1,9})", re.ASCII)
_SHARED = "id story query target task_name story_edges edge_types query_edge genders".split()
COLUMNS = frozenset({*_SHARED, "text_target", "task_split"})
HUB_COLUMNS = frozenset({*_SHARED, "target_text", "task_split"})
# The numbers of targets in the hub's copy.
HUB_TARGETS = (
    "aunt son-in-law grandfather brother sister father mother grandmother uncle daughter-in-law grandson "
    "granddaughter father-in-law mother-in-law nephew son daughter niece husband wife sister-in-law"
).split()
# How relations are spelt in files that circulate. Upper case, spaces, hyphens and underscores do not
# count, so that "Mother in law" needs no entry here.
_MISSPELT = {"neice": "niece", "nefew": "nephew", "newphew": "nephew", "grandaughter": "granddaughter"}
_LETTERS = re.compile(r"[\s_-]+")
_LONGEST = 1 << 16  # characters in a literal
_SPLITS = ("train", "test", "validation")


class Rows:
    """Turns the cells of a row of the authors' release into a puzzle."""

    def __init__(self, source: DataFile, world: World, notes: Notes) -> None:
        self._source = source
        self._world = world
        self._free = world.theory.free_reader(world.labels, world.lexicon.phrases.words.synonyms)
        self._text = TextCheck(self._world)
        self._spelling = Spelling(world, notes, str(source.path))
        self._split = source.split

    def __call__(self, cells: dict[str, Any], place: Place) -> PlacedPuzzle:
        told = self._literal(cells, "text_target", place)
        abstract = told[0] if isinstance(told, tuple) and told and isinstance(told[0], str) else ""
        return self._puzzle(cells, cells["target"], abstract, place)

    def _puzzle(self, cells: dict[str, str], target: str, abstract: str, place: Place) -> PlacedPuzzle:
        """Return the puzzle, once the target columns are read."""
        names, genders = self._people(cells, place)
        edges = self._edges(cells, len(names), place)
        types = self._types(cells, place)
        if len(types) > len(edges):
            raise self._source.error(f"edge_types: {len(types)} for {len(edges)} story_edges", place)
        query = self._query(cells, names, place)
        task = _TASK.fullmatch(cells["task_name"])
        if not task:
            raise self._source.error(f"task_name: {cells['task_name'][:40]!r} is not like task_1.3", place)
        label = self._spelling.relation(target, place)
        if label is None:
            raise self._source.error(f"target: no relation {target[:40]!r}", place)
        k = _path_length(edges, len(types), query, int(task[2]))
        if k is None:
            raise self._source.error("the edges with a type do not join the two queried people", place)
        along = tuple(names[person] for person in (query[0], *(tail for _, tail in edges[:k])))
        story = cells["story"]
        for name in along:
            if f"[{name}]" not in story:
                raise self._source.error(f"[{name}] is in no sentence of the story", place)
        related = [(names[a], names[b]) for a, b in edges]
        facts, of, unread = self._facts(related, types, k, story, genders)
        kept = {name: cell for name, cell in cells.items() if name not in ("id", "story")}
        split = cells["task_split"] if cells["task_split"] in _SPLITS else self._split
        told = assembled(
            self._world,
            facts,
            [Route(tuple(range(k)), along)],
            genders,
            id=cells["id"],
            story=story,
            abstract=abstract,
            query=(along[0], along[-1]),
            target=label,
            extra=extra_with(kept, unread=unread),
        )
        sentences = self._text.sentences(story, facts, told.entities)
        puzzle = replace(told, roles=tuple(of), sentences=sentences)
        return PlacedPuzzle(cells["task_name"].removeprefix("task_"), split, puzzle)

    def _facts(
        self,
        related: Sequence[tuple[str, str]],
        types: Sequence[str],
        k: int,
        story: str,
        genders: Mapping[str, str],
    ) -> tuple[list[Fact], list[str], list[tuple[str, str, str]]]:
        """Return the facts, their roles, and the names and the role of each edge that could not be read.

        Roles refer to the whole graph: a branch counts as one even if not all of it was read.
        """
        if len(related) == k:
            return [Fact(a, r, b) for (a, b), r in zip(related, types, strict=True)], ["path"] * k, []
        every = roles([Fact(a, "", b) for a, b in related], k)
        facts, of, unread = [], [], []
        for i, ((a, b), role) in enumerate(zip(related, every, strict=True)):
            relation = types[i] if i < len(types) else None
            if i >= len(types) and self._free is not None:
                relation = self._free.relation(story, a, b, genders)
            if relation is None:
                unread.append((a, b, role))
            else:
                facts.append(Fact(a, relation, b))
                of.append(role)
        return facts, of, unread

    def _literal(self, cells: dict[str, str], column: str, place: Place) -> Any:
        """Return the value of a cell, which must be a literal; code in it is never run."""
        try:
            return literal(cells[column])
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            raise self._source.error(f"{column}: {short(cells[column])} is not a literal", place) from None

    def _people(self, cells: dict[str, str], place: Place) -> tuple[list[str], dict[str, str]]:
        pairs = [person.rpartition(":") for person in cells["genders"].split(",")]
        for name, _, gender in pairs:
            if gender not in (*self._world.forms, _UNKNOWN) or not name:
                raise self._source.error("genders: not a list such as Ann:female,Bob:male", place)
        if len({name for name, *_ in pairs}) < len(pairs):
            raise self._source.error("genders: a name appears twice", place)
        genders = {name: "" if gender == _UNKNOWN else gender for name, _, gender in pairs}
        return list(genders), genders

    def _edges(self, cells: dict[str, str], size: int, place: Place) -> tuple[tuple[int, int], ...]:
        edges: tuple[tuple[int, int], ...] = self._literal(cells, "story_edges", place)
        if not isinstance(edges, tuple) or not all(_is_edge(edge, size) for edge in edges):
            raise self._source.error(f"story_edges: not pairs of numbers below {size}", place)
        return edges

    def _types(self, cells: dict[str, str], place: Place) -> tuple[str, ...]:
        words = self._literal(cells, "edge_types", place)
        if not isinstance(words, tuple) or not all(isinstance(word, str) for word in words):
            raise self._source.error("edge_types: not a list of relations", place)
        types = []
        for word in words:
            relation = self._spelling.relation(word, place)
            if relation is None:
                raise self._source.error(f"edge_types: no relation {word[:40]!r}", place)
            types.append(relation)
        return tuple(types)

    def _query(self, cells: dict[str, str], names: list[str], place: Place) -> tuple[int, int]:
        query: tuple[int, int] = self._literal(cells, "query_edge", place)
        if not _is_edge(query, len(names)):
            raise self._source.error(f"query_edge: not two numbers below {len(names)}", place)
        asked = names[query[0]], names[query[1]]
        if cells["query"] != repr(asked) and self._literal(cells, "query", place) != asked:
            raise self._source.error("query: not the people of query_edge", place)
        return query


class Spelling:
    """Reads the words for the relations of a world in all their spellings."""

    def __init__(self, world: World, notes: Notes, file: str) -> None:
        self._notes, self._file = notes, file
        known = {word: relation for word, relation in _MISSPELT.items() if relation in world.meaning}
        self._loose = known | {_bare(relation): relation for relation in world.relations}

    def relation(self, word: str, place: Place) -> str | None:
        """Return the relation that is meant; None if there is no such relation."""
        relation = self._loose.get(_bare(word))
        if relation not in (None, word):
            self._notes.read_as(word, relation, self._file, place)
        return relation


def _bare(word: str) -> str:
    return _LETTERS.sub("", word.lower())


class HubRows(Rows):
    """Turns a row of the hub's copy, CSV or Parquet, into a puzzle."""

    def __call__(self, cells: dict[str, Any], place: Place) -> PlacedPuzzle:
        cells = {name: "" if cell is None else str(cell) for name, cell in cells.items()}
        number = cells["target"]
        if not number.isdecimal() or len(number) > 2 or int(number) >= len(HUB_TARGETS):
            raise self._source.error(f"target: {number!r} is not the number of a relation", place)
        target = HUB_TARGETS[int(number)]
        if cells["target_text"] not in (target, ""):
            raise self._source.error(f"target {number} is {target}, but target_text differs", place)
        return self._puzzle(cells, target, "", place)


def _path_length(
    edges: Sequence[tuple[int, int]], typed: int, query: tuple[int, int], said: int
) -> int | None:
    """Return how many of the edges form the path: as many as the task names, or all that have a type, or
    else the fewest that lead along the query; None if none do."""
    length = 0
    leading = []
    at = query[0]
    for head, tail in edges[:typed]:
        if head != at:
            break
        at, length = tail, length + 1
        if at == query[1]:
            leading.append(length)
    return next((k for k in (said, typed) if k in leading), leading[0] if leading else None)


def _is_edge(edge: Any, size: int) -> bool:
    return (
        isinstance(edge, tuple)
        and len(edge) == 2
        and all(isinstance(person, int) and 0 <= person < size for person in edge)
    )


@lru_cache(1 << 14)
def literal(text: str) -> Any:
    """Return the value of a literal, with tuples for lists; code in it is never run."""
    if len(text) > _LONGEST:
        raise ValueError
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = _frozen(ast.literal_eval(text))
    repr(value).encode()  # half a character, as an escape, is refused
    return value


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value
