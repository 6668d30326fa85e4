"""CLUTRR v0.1 and v1.3, STaR, and other sets.

v0.1 is CSV of story and summary below comment lines: sentences hold everything. v1.3 is JSON lines with the
graph, its names and the story; noise edges are named too, and `extra` keeps what a puzzle has no place for.
STaR is CSV of facts without text, of intervals or of regions: edges, their labels and a question.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from clutrr._data.asked import asked_reader
from clutrr._data.part import (
    Format,
    Notes,
    PlacedPuzzle,
    ReadRow,
    assembled,
    by_row,
    check_fact_limit,
    extra_with,
)
from clutrr._data.source import DataFile, RowPlace
from clutrr._data.v1 import NO_LITERAL, Spelling, check_named, literal
from clutrr._facts import Route, implied_forms, shortest_path
from clutrr._lexicon import World
from clutrr._puzzle import Fact, Puzzle
from clutrr._reading.agreement import TextCheck
from clutrr.errors import DataError


def v01_reader(source: DataFile, world: World, notes: Notes) -> ReadRow:
    """Return what reads a row of v0.1. What the story does not state is empty."""
    text = TextCheck(world)

    def row(cells: dict[str, Any], place: RowPlace) -> PlacedPuzzle:
        story, summary = cells["story"], cells["summary"]
        asked = text.read(summary).facts
        if len(asked) != 1:
            raise DataError(f"the summary {summary[:80]!r} states {len(asked)} facts, not 1")
        head, target, tail = asked[0]
        check_named((head, tail), story)
        facts = text.read(story).facts
        path = shortest_path(facts, head, tail)
        if path is None:
            raise DataError(f"no facts that were read join [{head}] and [{tail}]")
        forms = implied_forms([*facts, asked[0]], world.labels, world.theory.head_form)
        said = {"story": story, "abstract": summary, "query": (head, tail), "target": target}
        puzzle = assembled(world, facts, [path], forms, id=source.id_of(place), **said)
        return _placed(puzzle, source, text)

    return row


V01 = Format("v0.1", frozenset({"story", "summary"}), by_row(v01_reader), "kinship")


def v13_reader(source: DataFile, world: World, notes: Notes) -> ReadRow:
    """Return what reads a row of v1.3."""
    text, spelling = TextCheck(world), Spelling(world)

    def row(record: dict[str, Any], place: RowPlace) -> PlacedPuzzle:
        try:
            names, genders = (
                {str(p): str(is_) for p, is_ in record[f"{what}_map"].items()}
                for what in ("name", "gender")
            )
            path = [str(person) for person in record["resolution_path"]]
            edges = [(str(a), str(b), r) for a, b, r in record["named_edges"]]
            story = record["text_story"].strip()
            along = tuple(names[person] for person in path)
            if not set(world.forms).issuperset(genders.values()):
                raise ValueError
        except (TypeError, ValueError, KeyError, AttributeError):
            raise DataError("not the graph, names and edges of a v1.3 record") from None
        k = len(path) - 1
        if k < 1 or [(head, tail) for head, tail, _ in edges[:k]] != list(pairwise(along)):
            raise DataError("the first named_edges do not lead along resolution_path")
        target = spelling.read("target_gender", record["target_gender"])
        facts = [
            Fact(head, spelling.read("named_edges", spelt), tail) for head, tail, spelt in edges
        ]
        check_named(along, story)
        forms = {names[p]: gender for p, gender in genders.items() if p in names}
        said = {"story": story, "query": (along[0], along[-1]), "target": target}
        puzzle = assembled(
            world, facts, [Route(tuple(range(k)), along)], forms, id=source.id_of(place), **said
        )
        return _placed(replace(puzzle, extra=extra_with(record)), source, text)

    return row


V13 = Format(
    "v1.3",
    frozenset(
        {"resolution_path", "target_gender", "gender_map", "name_map", "named_edges", "text_story"}
    ),
    by_row(v13_reader),
    "kinship-v1",
    extra=True,
)


def _placed(puzzle: Puzzle, source: DataFile, text: TextCheck) -> PlacedPuzzle:
    sentences = text.sentences(puzzle.story, puzzle.facts)
    told = replace(puzzle, sentences=sentences)
    return PlacedPuzzle(f"M{puzzle.k}", source.split, told, text.read(puzzle.story))


# STaR: an edge (u, v) with the label r says that u is r to v. A question has several routes of the same
# length, and larger files have branches beside them.


def star_reader(source: DataFile, world: World, notes: Notes) -> ReadRow:
    """Return what reads a question, in the words of a world with their kinds."""

    def row(cells: dict[str, Any], place: RowPlace) -> PlacedPuzzle:
        try:
            edges, kinds = literal(cells["edges"]), literal(cells["edge_labels"])
            first, last = literal(cells["query_edge"])
            related = [
                (str(int(u)), kind, str(int(v))) for (u, v), kind in zip(edges, kinds, strict=True)
            ]
            facts = [Fact(v, world.kind(kind).words[0], u) for u, kind, v in related]
            query, target = (
                (str(int(last)), str(int(first))),
                world.kind(cells["query_label"]).words[0],
            )
        except NO_LITERAL:
            raise DataError(
                "not edges such as [(0, 1)], as many labels, and one edge to ask for"
            ) from None
        except KeyError as error:
            raise DataError(f"world {world.name!r} has no relation {str(error)[:40]}") from None
        routes = _routes(check_fact_limit(facts), query)
        if not routes:
            raise DataError(f"no facts join {query[0]} and {query[1]}")
        puzzle = assembled(
            world, facts, routes, {}, id=source.id_of(place), query=query, target=target
        )
        return PlacedPuzzle(f"M{puzzle.k}", source.split, puzzle)

    return row


def _routes(facts: Sequence[Fact], query: tuple[str, str]) -> list[Route]:
    """Return routes of the same length that share nothing but their ends, the shortest there are."""
    found: list[Route] = []
    left = list(facts)
    while route := shortest_path(left, *query):
        if found and len(route.numbers) != len(found[0].numbers):
            break
        found.append(route)
        taken = set(route.entities[1:-1])
        left = [
            Fact("", "", "") if i in route.numbers or not taken.isdisjoint(fact[::2]) else fact
            for i, fact in enumerate(left)
        ]
    return found


_STAR = Format(
    "STaR",
    frozenset({"edges", "edge_labels", "query_edge", "query_label"}),
    by_row(star_reader),
    "regions",
)
STAR = [
    replace(_STAR, world="time", fits=lambda row: not row.get("query_label", "").isupper()),
    _STAR,
]


# Sets of other authors that are rows of a story, a question and an answer.
SETS = [
    Format(
        "StepGame",
        frozenset({"story", "question", "label"}),
        by_row(asked_reader({"story": ["story"], "query": ["question"], "target": ["label"]})),
        "directions",
        "unit",
        extra=True,
        statements=True,
        fits=lambda row: str(row.get("question")).startswith("What is the relation of the agent "),
    ),
    Format(
        "reasoning-gym family_relationships",
        frozenset({"question", "answer", "metadata"}),
        by_row(asked_reader({"story": ["question"], "query": ["question"], "target": ["answer"]})),
        "kinship-v1",
        extra=True,
        statements=True,
        fits=lambda row: "family_relationships" in str(row.get("metadata")),
    ),
]
