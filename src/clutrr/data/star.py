"""STaR: facts without text, of intervals or of regions, as CSV of edges, their labels and a question.

An edge (u, v) with the label r says that u is r to v. A question has several routes of the same length, and
larger files have branches beside them.
"""

from collections.abc import Iterator
from itertools import count

from clutrr.data.part import Notes, PlacedPuzzle
from clutrr.data.source import DataFile, Place
from clutrr.data.v1 import literal
from clutrr.facts import Route, everybody, roles, shortest_path
from clutrr.labels import Labels
from clutrr.puzzle import Fact, Puzzle
from clutrr.world import World

COLUMNS = frozenset({"edges", "edge_labels", "query_edge", "query_label"})


def world_of(source: DataFile) -> str:
    """Return the name of the world whose kinds the first question uses."""
    for _, cells in source.records(COLUMNS):
        return "regions" if cells["query_label"].isupper() else "time"
    return "regions"


def rows(source: DataFile, world: World, notes: Notes) -> Iterator[PlacedPuzzle]:
    """Yield the questions of a file, in the words of a world with their kinds."""
    numbers = count()

    def row(cells: dict[str, str], place: Place) -> PlacedPuzzle:
        try:
            edges, kinds = literal(cells["edges"]), literal(cells["edge_labels"])
            first, last = literal(cells["query_edge"])
            related = [(str(int(u)), kind, str(int(v))) for (u, v), kind in zip(edges, kinds, strict=True)]
            facts = [Fact(v, world.kind(kind).words[0], u) for u, kind, v in related]
            query, target = (str(int(last)), str(int(first))), world.kind(cells["query_label"]).words[0]
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            raise source.error(
                "not edges such as [(0, 1)], as many labels, and one edge to ask for", place
            ) from None
        except KeyError as error:
            raise source.error(f"world {world.name!r} has no relation {str(error)[:40]}", place) from None
        routes = _routes(facts, query)
        if not routes:
            raise source.error(f"no facts join {query[0]} and {query[1]}", place)
        routed, pattern, along = _routed(facts, routes, world.labels)
        stated = routed + tuple(fact for fact in facts if fact not in routed)
        k = len(routes[0].numbers)
        subset = f"M{k}"
        puzzle = Puzzle(
            id="-".join([subset, *([source.split] if source.split else []), str(next(numbers))]),
            story="",
            abstract="",
            query=query,
            target=target,
            k=k,
            pattern=pattern,
            facts=stated,
            entities=everybody(along, stated, {}),
            scene="",
            roles=roles(stated, len(routed)),
        )
        return PlacedPuzzle(subset, source.split, puzzle)

    return notes.rows(source.records(COLUMNS, notes.bad), row)


def _routes(facts: list[Fact], query: tuple[str, str]) -> list[Route]:
    """Return routes of the same length that share nothing but their ends, the shortest there are."""
    found: list[Route] = []
    taken: set[str] = set()
    while True:
        open_facts = [fact if taken.isdisjoint(fact[::2]) else Fact("", "", "") for fact in facts]
        for used in found:
            for number in used.numbers:
                open_facts[number] = Fact("", "", "")
        route = shortest_path(open_facts, *query)
        if route is None or (found and len(route.numbers) != len(found[0].numbers)):
            return found
        found.append(route)
        taken |= set(route.entities[1:-1])


def _routed(
    facts: list[Fact], routes: list[Route], labels: Labels
) -> tuple[tuple[Fact, ...], tuple[str, ...], list[str]]:
    """Return the facts of the routes, their pattern, and their entities."""
    routed = tuple(facts[number] for route in routes for number in route.numbers)
    pattern = tuple(kind for route in routes for kind in route.pattern(facts, labels))
    return routed, pattern, [name for route in routes for name in route.entities]
