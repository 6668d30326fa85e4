"""CLUTRR v1.0 (2019): stories by crowd workers; the facts stand in columns, as Python literals.

story_edges holds pairs of people by number, edge_types the relations of the first k of them, which
lead from the first to the second person of the query; genders holds the people. The edges beyond
those are the noise of tasks 2 to 4. No column says what they are: it is read from the story, and
what cannot be read is left out. The hub's copy has fewer columns and numbers for targets.
"""

import ast
import re
import warnings
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from clutrr.data.part import Row
from clutrr.data.source import Place, Source
from clutrr.facts import everybody, roles
from clutrr.facts import genders as implied_genders
from clutrr.puzzle import Fact, Puzzle
from clutrr.wording.check import TextCheck
from clutrr.wording.free import FreeReader
from clutrr.world import GENDERS, World

WORLD = "kinship-v1"  # of the published files
HEADER = tuple(
    ",id,story,query,text_query,target,text_target,clean_story,proof_state,f_comb,task_name,story_edges,"
    "edge_types,query_edge,genders,syn_story,node_mapping,task_split".split(",")
)
UNKNOWN = "unknown"  # a gender that nothing tells; no published file has it
_TASK = re.compile(r"task_\d+\.\d+", re.ASCII)
_SHARED = (
    "id",
    "story",
    "query",
    "target",
    "task_name",
    "story_edges",
    "edge_types",
    "query_edge",
    "genders",
)
COLUMNS = frozenset({*_SHARED, "text_target", "task_split"})
HUB_COLUMNS = frozenset({*_SHARED, "target_text", "task_split"})
# The hub's copy numbers its targets so.
HUB_TARGETS = (
    "aunt son-in-law grandfather brother sister father mother grandmother uncle daughter-in-law grandson "
    "granddaughter father-in-law mother-in-law nephew son daughter niece husband wife sister-in-law"
).split()
_LONGEST = 1 << 16  # characters in a literal
_SPLITS = ("train", "test", "validation")


def rows(source: Source, world: World) -> Iterator[Row]:
    """The puzzles of a file of the authors' release."""
    reader = Rows(source, world)
    for place, cells in source.records(COLUMNS):
        yield reader.row(cells, place)


def hub_rows(source: Source, world: World) -> Iterator[Row]:
    """The puzzles of a file of the hub's copy, CSV or Parquet."""
    reader = Rows(source, world)
    for place, cells in source.records(HUB_COLUMNS):
        number = cells["target"]
        if not number.isdecimal() or len(number) > 2 or int(number) >= len(HUB_TARGETS):
            raise source.error(f"target: {number!r} is not the number of a relation", place)
        target = HUB_TARGETS[int(number)]
        if cells["target_text"] not in (target, ""):
            raise source.error(f"target {number} is {target}, but target_text says otherwise", place)
        yield reader.puzzle(cells, target, "", place)


class Rows:
    """Makes puzzles out of the cells of rows, and cells out of puzzles."""

    def __init__(self, source: Source, world: World) -> None:
        self._source = source
        self._world = world
        self._free = FreeReader(self._world)
        self._text = TextCheck(self._world)
        self._split = source.split

    def row(self, cells: dict[str, str], place: Place) -> Row:
        told = self._literal(cells, "text_target", place)
        abstract = told[0] if isinstance(told, tuple) and told and isinstance(told[0], str) else ""
        return self.puzzle(cells, cells["target"], abstract, place)

    def cells(self, row: Row, number: int) -> dict[str, str]:
        """A puzzle as the cells of a row. The facts of its path must come first, as they do in ours."""
        puzzle = row.puzzle
        told = implied_genders(puzzle.facts, self._world)
        genders = dict(puzzle.people)
        for fact in puzzle.facts:
            for name in (fact.head, fact.tail):
                genders.setdefault(name, told.get(name, ""))
        names = {name: i for i, name in enumerate(genders)}
        types = [fact.relation for fact in puzzle.facts[: puzzle.k]]
        task = row.subset if _TASK.fullmatch("task_" + row.subset) else f"1.{puzzle.k}"
        content = {
            "": str(number),
            "id": puzzle.id,
            "story": puzzle.story,
            "query": repr(puzzle.query),
            "target": puzzle.target,
            "text_target": repr([puzzle.abstract] if puzzle.abstract else []),
            "clean_story": puzzle.story,
            "proof_state": "[]",
            "f_comb": "-".join(types),
            "task_name": f"task_{task}",
            "story_edges": repr([(names[fact.head], names[fact.tail]) for fact in puzzle.facts]),
            "edge_types": repr(types),
            "query_edge": repr(tuple(names.get(name, -1) for name in puzzle.query)),
            "genders": ",".join(f"{name}:{gender or UNKNOWN}" for name, gender in genders.items()),
            "node_mapping": repr({i: i for i in names.values()}),
            "task_split": row.split or "",
        }
        return {column: content.get(column, "") for column in HEADER}

    def puzzle(self, cells: dict[str, str], target: str, abstract: str, place: Place) -> Row:
        """The puzzle, once it is known what the target columns say."""
        names, genders = self._people(cells, place)
        edges = self._edges(cells, len(names), place)
        types = self._types(cells, place)
        query = self._query(cells, names, place)
        if not _TASK.fullmatch(cells["task_name"]):
            raise self._source.error(f"task_name: {cells['task_name'][:40]!r} is not such as task_1.3", place)
        if target not in self._world.meaning:
            raise self._source.error(f"target: no relation {target[:40]!r}", place)
        walk = [edges[0][0], *(tail for _, tail in edges[: len(types)])] if edges else []
        joined = all(edges[i][1] == edges[i + 1][0] for i in range(min(len(types), len(edges)) - 1))
        if len(types) > len(edges) or not types or not joined or (walk[0], walk[-1]) != query:
            raise self._source.error("the edges with a type do not lead along the query", place)
        facts = [Fact(names[a], r, names[b]) for (a, b), r in zip(edges, types, strict=False)]
        along = list(dict.fromkeys(names[person] for person in walk))
        for name in along:
            if f"[{name}]" not in cells["story"]:
                raise self._source.error(f"[{name}] is in no sentence of the story", place)
        for a, b in edges[len(types) :]:
            relation = self._free.relation(cells["story"], names[a], names[b], genders)
            if relation is not None:
                facts.append(Fact(names[a], relation, names[b]))
        everyone = everybody(along, facts, genders)
        split = cells["task_split"] if cells["task_split"] in _SPLITS else self._split
        puzzle = Puzzle(
            id=cells["id"],
            story=cells["story"],
            abstract=abstract,
            query=(names[query[0]], names[query[1]]),
            target=target,
            k=len(types),
            pattern=tuple(self._world.meaning[relation][0].name for relation in types),
            facts=tuple(facts),
            people=everyone,
            family="",
            roles=roles(facts, len(types)),
            sentences=self._text.sentences(cells["story"], facts, everyone),
        )
        return Row(cells["task_name"].removeprefix("task_"), split, puzzle)

    def _literal(self, cells: dict[str, str], column: str, place: Place) -> Any:
        """The value of a cell; code in it is no literal, and is not run."""
        try:
            return _literal(cells[column])
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            text = cells[column] if len(cells[column]) <= 40 else cells[column][:37] + "..."
            raise self._source.error(f"{column}: {text!r} is not a literal", place) from None

    def _people(self, cells: dict[str, str], place: Place) -> tuple[list[str], dict[str, str]]:
        pairs = [person.rpartition(":") for person in cells["genders"].split(",")]
        for name, _, gender in pairs:
            if gender not in (*GENDERS, UNKNOWN) or not name:
                raise self._source.error("genders: not a list such as Ann:female,Bob:male", place)
        if len({name for name, *_ in pairs}) < len(pairs):
            raise self._source.error("genders: a name stands twice", place)
        genders = {name: "" if gender == UNKNOWN else gender for name, _, gender in pairs}
        return list(genders), genders

    def _edges(self, cells: dict[str, str], size: int, place: Place) -> tuple[tuple[int, int], ...]:
        edges: tuple[tuple[int, int], ...] = self._literal(cells, "story_edges", place)
        if not isinstance(edges, tuple) or not all(_is_edge(edge, size) for edge in edges):
            raise self._source.error(f"story_edges: not pairs of numbers below {size}", place)
        return edges

    def _types(self, cells: dict[str, str], place: Place) -> tuple[str, ...]:
        types: tuple[str, ...] = self._literal(cells, "edge_types", place)
        if not isinstance(types, tuple) or not all(
            isinstance(kind, str) and kind in self._world.meaning for kind in types
        ):
            raise self._source.error("edge_types: not a list of relations", place)
        return types

    def _query(self, cells: dict[str, str], names: list[str], place: Place) -> tuple[int, int]:
        query: tuple[int, int] = self._literal(cells, "query_edge", place)
        if not _is_edge(query, len(names)):
            raise self._source.error(f"query_edge: not two numbers below {len(names)}", place)
        if self._literal(cells, "query", place) != (names[query[0]], names[query[1]]):
            raise self._source.error("query: not the people of query_edge", place)
        return query


def _is_edge(edge: Any, size: int) -> bool:
    return (
        isinstance(edge, tuple)
        and len(edge) == 2
        and all(isinstance(person, int) and 0 <= person < size for person in edge)
    )


@lru_cache(1 << 14)
def _literal(text: str) -> Any:
    """The value, with tuples for lists."""
    if len(text) > _LONGEST:
        raise ValueError
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = _frozen(ast.literal_eval(text))
    repr(value).encode()  # half a character, as an escape, is refused
    return value


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value
