"""CLUTRR v1.3: JSON lines with the graph, its names and the story; noise edges are named too."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from clutrr.data.own import json_lines
from clutrr.data.part import Row
from clutrr.data.source import Source
from clutrr.facts import everybody, roles
from clutrr.puzzle import Fact, Puzzle
from clutrr.wording.check import TextCheck
from clutrr.world import GENDERS, World

COLUMNS = frozenset(
    {"resolution_path", "target_gender", "gender_map", "name_map", "named_edges", "text_story"}
)
WORLD = "kinship-v1"  # of the published files
_SPELT = {"neice": "niece"}


def rows(source: Source, world: World) -> Iterator[Row]:
    """The puzzles, numbered by subset."""
    text = TextCheck(world)
    split = source.split
    counts: dict[str, int] = {}
    for line, record in json_lines(source, COLUMNS):
        try:
            names, genders, path, facts = _graph(record)
            story, target = str(record["text_story"]), _spelt(record["target_gender"])
        except (TypeError, ValueError, KeyError, AttributeError):
            raise source.error("not the graph, names and edges of a v1.3 record", line) from None
        k = len(path) - 1
        along = [names[person] for person in path]
        if k < 1 or [(fact.head, fact.tail) for fact in facts[:k]] != list(pairwise(along)):
            raise source.error("the first named_edges do not lead along resolution_path", line)
        for relation in (target, *(fact.relation for fact in facts)):
            if relation not in world.meaning:
                raise source.error(f"no relation {relation[:40]!r}", line)
        for name in along:
            if f"[{name}]" not in story:
                raise source.error(f"[{name}] is in no sentence of the story", line)
        subset = f"M{k}"
        number = counts[subset] = counts.get(subset, -1) + 1
        everyone = everybody(along, facts, {names[p]: gender for p, gender in genders.items() if p in names})
        puzzle = Puzzle(
            id="-".join([subset, *([split] if split else []), str(number)]),
            story=story.strip(),
            abstract="",
            query=(along[0], along[-1]),
            target=target,
            k=k,
            pattern=tuple(world.meaning[fact.relation][0].name for fact in facts[:k]),
            facts=tuple(facts),
            people=everyone,
            family="",
            roles=roles(facts, k),
            sentences=text.sentences(story.strip(), facts, everyone),
        )
        yield Row(subset, split, puzzle)


def _graph(record: dict[str, Any]) -> tuple[dict[str, str], dict[str, str], list[str], list[Fact]]:
    names = {str(person): _text(name) for person, name in record["name_map"].items()}
    genders = {str(person): _text(gender) for person, gender in record["gender_map"].items()}
    if not set(genders.values()) <= set(GENDERS):
        raise ValueError
    path = [str(person) for person in record["resolution_path"]]
    facts = [Fact(_text(a), _spelt(r), _text(b)) for a, b, r in record["named_edges"]]
    if not all(person in names and person in genders for person in path):
        raise ValueError
    return names, genders, path, facts


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _spelt(relation: Any) -> str:
    text = _text(relation)
    return _SPELT.get(text, text)
