"""CLUTRR v1.0 (2019): stories by crowd workers or from templates; the facts are in columns.

story_edges holds pairs of people by number, edge_types the relations of the first of them; the first k,
as many as the task says, lead from the first to the second person of the query. The later edges are the
noise of tasks 2 to 4 (supporting, irrelevant, disconnected), and of 5, which has several of these. Newer
files have a type for these too; in older ones no column says what they are, so it is read from the story,
and `extra` says which edges could not be read. genders holds the people. The hub's copy has fewer columns,
and numbers beside the words of targets. Cells that a puzzle has no place for are kept unchanged in `extra`.
"""

import ast
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from clutrr._data.part import Format, Notes, PlacedPuzzle, ReadRow, assembled, by_row, extra_with
from clutrr._data.source import SPLITS, DataFile, RowPlace
from clutrr._facts import Route, roles
from clutrr._lexicon import World
from clutrr._puzzle import Fact
from clutrr._reading.agreement import TextCheck
from clutrr.errors import DataError, short

UNKNOWN = "unknown"  # a gender that is not known, in files that we write
TASK = re.compile(r"task_(\d+)\.(\d{1,9})", re.ASCII)
_COLUMNS = frozenset(
    "id story query target task_name story_edges edge_types query_edge genders task_split".split()
)
# How relations are spelt in files that circulate. Upper case, spaces, hyphens and underscores do not
# count, so that "Mother in law" needs no entry here.
_MISSPELT = {
    "neice": "niece",
    "nefew": "nephew",
    "newphew": "nephew",
    "grandaughter": "granddaughter",
}
_LETTERS = re.compile(r"[\s_-]+")
_LONGEST = 1 << 16  # characters in a literal
NO_LITERAL = (
    ValueError,
    SyntaxError,
    TypeError,
    MemoryError,
    RecursionError,
)  # of texts that are none
_Edge = tuple[int, int]


def v1_reader(source: DataFile, world: World, notes: Notes, hub: bool = False) -> ReadRow:
    """Return what reads a row of the authors' release, or of the hub's copy, CSV or Parquet."""
    text, spelling = TextCheck(world), Spelling(world)

    def row(record: dict[str, Any], place: RowPlace) -> PlacedPuzzle:
        cells = {name: "" if cell is None else str(cell) for name, cell in record.items()}
        abstract = () if hub else _literal(cells, "text_target")
        people = _people(cells["genders"], world)
        names, (edges, query) = list(people), _edges(cells, len(people))
        words = _literal(cells, "edge_types")
        if not isinstance(words, tuple) or len(words) > len(edges):
            raise DataError(
                f"edge_types: not a list of relations, one for each of {len(edges)} story_edges"
            )
        types = [spelling.read("edge_types", word) for word in words]
        asked = names[query[0]], names[query[1]]
        if cells["query"] != repr(asked) and _literal(cells, "query") != asked:
            raise DataError("query: not the people of query_edge")
        task = TASK.fullmatch(cells["task_name"])
        if not task:
            raise DataError(f"task_name: {short(cells['task_name'])} is not like task_1.3")
        label = spelling.read("target", cells["target_text" if hub else "target"])
        k = _path_length(edges, len(types), query, int(task[2]))
        if k is None:
            raise DataError("the edges with a type do not join the two queried people")
        along, story = (
            [names[person] for person in (query[0], *(tail for _, tail in edges[:k]))],
            cells["story"],
        )
        check_named(along, story)
        # Roles refer to the whole graph: a branch counts as one even if not all of it was read.
        facts, of, unread = [], [], []
        graph = [Fact(names[a], "", names[b]) for a, b in edges]
        for i, (fact, role) in enumerate(zip(graph, roles(graph, k), strict=True)):
            relation = types[i] if i < len(types) else None
            if relation is None:
                relation = text.relation(story, fact.head, fact.tail, people)
            if relation is None:
                unread.append((fact.head, fact.tail, role))
            else:
                facts.append(fact._replace(relation=relation))
                of.append(role)
        told = assembled(
            world,
            facts,
            [Route(tuple(range(k)), tuple(along))],
            people,
            id=cells["id"],
            story=story,
            abstract=abstract[0] if abstract and isinstance(abstract[0], str) else "",
            query=asked,
            target=label,
            extra=extra_with(
                {n: c for n, c in cells.items() if n not in ("id", "story")}, unread=unread
            ),
        )
        puzzle = replace(told, roles=tuple(of), sentences=text.sentences(story, told.facts))
        split = cells["task_split"] if cells["task_split"] in SPLITS.values() else source.split
        subset = cells["task_name"].removeprefix("task_")
        return PlacedPuzzle(subset, split, puzzle, text.read(story))

    return row


V1 = Format("v1.0", _COLUMNS | {"text_target"}, by_row(v1_reader), "kinship-v1", extra=True)
HUB = Format(
    "v1.0-hub",
    _COLUMNS | {"target_text"},
    by_row(partial(v1_reader, hub=True)),
    "kinship-v1",
    extra=True,
)


def check_named(names: Iterable[str], story: str) -> None:
    """Refuse a story that does not name everybody on the route."""
    for name in names:
        if f"[{name}]" not in story:
            raise DataError(f"[{name}] is in no sentence of the story")


def _literal(cells: Mapping[str, str], column: str) -> Any:
    """Return the value of a cell, which must be a literal; code in it is never run."""
    try:
        return literal(cells[column])
    except NO_LITERAL:
        raise DataError(f"{short(cells[column])} is not a literal", setting=column) from None


def _people(cell: str, world: World) -> dict[str, str]:
    """Return the gender of everybody."""
    pairs = [person.rpartition(":") for person in cell.split(",")]
    people = {name: "" if gender == UNKNOWN else gender for name, _, gender in pairs}
    known = {*world.forms, ""}
    if not known.issuperset(people.values()) or not all(people) or len(people) < len(pairs):
        raise DataError("genders: not a list of different people such as Ann:female,Bob:male")
    return people


def _edges(cells: Mapping[str, str], size: int) -> tuple[tuple[_Edge, ...], _Edge]:
    """Return the edges of the graph, and the one that is asked for."""
    edges, query = _literal(cells, "story_edges"), _literal(cells, "query_edge")
    for edge in (*edges, query) if isinstance(edges, tuple) else (edges,):
        if not (
            isinstance(edge, tuple)
            and len(edge) == 2
            and all(isinstance(person, int) and 0 <= person < size for person in edge)
        ):
            raise DataError(f"story_edges, query_edge: not pairs of numbers below {size}")
    return edges, query


class Spelling:
    """Reads the words for the relations of a world in all their spellings."""

    def __init__(self, world: World) -> None:
        known = {
            word: relation for word, relation in _MISSPELT.items() if relation in world.meaning
        }
        self._loose = known | {_bare(relation): relation for relation in world.relations}

    def relation(self, word: str) -> str | None:
        """Return the relation that is meant; None if there is no such relation."""
        return self._loose.get(_bare(word))

    def read(self, column: str, word: object) -> str:
        """Return the relation that a word in a column means."""
        relation = self.relation(word) if isinstance(word, str) else None
        if relation is None:
            raise DataError(f"no relation {short(word)}", setting=column)
        return relation


def _bare(word: str) -> str:
    return _LETTERS.sub("", word.lower())


def _path_length(edges: Sequence[_Edge], typed: int, query: _Edge, said: int) -> int | None:
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
