"""Stories told again: the stated facts, and nothing else, in the words of a world."""

from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

import pyarrow as pa

from clutrr.data.part import Part
from clutrr.errors import DataError
from clutrr.puzzle import SCHEMA, Fact
from clutrr.world import World, builtin_world, builtin_worlds


def retold(parts: Iterable[Part], world: World) -> Iterator[Part]:
    """Yield the same puzzles with other stories: a sentence for each fact, in the order of `facts`.

    A story follows from the world, the facts, and the puzzle's number in its subset and split. Facts that
    are in no column and could not be read are not told; `extra`, with the texts of the old story, is dropped.
    """
    before: Counter[str] = Counter()
    for part in parts:
        group = f"{part.subset} {part.split or ''}".rstrip()
        stories: list[str] = []
        spans: list[list[dict[str, Any]]] = []
        for row in part.table.select(["id", "facts"]).to_pylist():
            number = before[group]
            before[group] += 1
            facts = [Fact(*fact) for fact in row["facts"]]
            try:
                told = sentences(facts, world, Random(f"0/{group}/{number}"))
            except DataError as error:
                where = f"{part.where}, puzzle {row['id'][:60]!r} (number {number + 1} of {group})"
                raise DataError(f"{where}: {error}") from None
            stories.append(" ".join(told))
            spans.append(_spans(told))
        table = part.table.select(SCHEMA.names)
        for name, values in (("story", stories), ("sentences", spans)):
            at = SCHEMA.get_field_index(name)
            table = table.set_column(at, SCHEMA.field(at), pa.array(values, SCHEMA.field(at).type))
        yield Part(part.subset, part.split, table, part.where)


def _spans(told: Iterable[str]) -> list[dict[str, Any]]:
    """Return where each sentence is in the story, and the number of the fact that it states."""
    spans, start = [], 0
    for number, text in enumerate(told):
        spans.append({"start": start, "end": start + len(text), "facts": [number]})
        start += len(text) + 1
    return spans


def sentences(facts: Iterable[Fact], world: World, rng: Random) -> list[str]:
    """Return a sentence for each fact, its template drawn at random."""
    return [_sentence(fact, world, rng) for fact in facts]


def _sentence(fact: Fact, world: World, rng: Random) -> str:
    for name in (fact.head, fact.tail):
        if not name.strip() or "[" in name or "]" in name:
            raise DataError(f"{name[:40]!r} cannot be put in square brackets as a name; change it")
    templates = world.lexicon.templates.get(fact.relation)
    if templates is None:
        having = [name for name in builtin_worlds() if fact.relation in builtin_world(name).meaning]
        advice = f"use --wording {having[0]}" if having else "name the folder of a world that has it"
        raise DataError(f"world {world.name} has no relation {fact.relation[:40]!r}; {advice}")
    # Python keeps random() the same from version to version, unlike choice().
    template = templates[int(rng.random() * len(templates))]
    return template.fill({"a": fact.head, "b": fact.tail})
