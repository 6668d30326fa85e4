"""Stories told again: the stated facts, and nothing else, in the words of a world."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from random import Random
from typing import Any

import pyarrow as pa

from clutrr.data.extra import without_text
from clutrr.data.part import Part
from clutrr.errors import DataError
from clutrr.puzzle import EXTRA, SCHEMA, Fact
from clutrr.world import World, builtin_world, builtin_worlds

_STORY, _SENTENCES = SCHEMA.get_field_index("story"), SCHEMA.get_field_index("sentences")

_TEXTS = ("clean_story", "syn_story", "text_story")  # of published files: the story, whole or in part


@dataclass(frozen=True)
class Wording:
    """The world whose sentences tell the facts, and the seed they are drawn with."""

    world: World
    seed: int = 0

    def retell(self, parts: Iterable[Part]) -> Iterator[Part]:
        """Yield the same puzzles with other stories: a sentence for each fact, in the order of `facts`.

        A story follows from the world, the seed, the facts, and the puzzle's number in its subset
        and split. Facts that are in no column and could not be read are not told. `extra` keeps
        everything but the old story's texts.
        """
        before: Counter[str] = Counter()
        for part in parts:
            group = f"{part.subset} {part.split or ''}".rstrip()
            stories: list[str] = []
            sentences: list[list[dict[str, Any]]] = []
            for row in part.table.select(["id", "facts"]).to_pylist():
                number = before[group]
                before[group] += 1
                facts = [Fact(*fact) for fact in row["facts"]]
                try:
                    told = self.sentences(facts, Random(f"{self.seed}/{group}/{number}"))
                except DataError as error:
                    where = f"{part.where}, puzzle {row['id'][:60]!r} (number {number + 1} of {group})"
                    raise DataError(f"{where}: {error}") from None
                stories.append(" ".join(told))
                ends = list(accumulate((len(text) + 1 for text in told), initial=0))
                sentences.append(
                    [
                        {"start": at, "end": at + len(text), "facts": [i]}
                        for i, (at, text) in enumerate(zip(ends, told, strict=False))
                    ]
                )
            table = part.table.set_column(_STORY, SCHEMA.field(_STORY), pa.array(stories, pa.string()))
            spans = pa.array(sentences, SCHEMA.field(_SENTENCES).type)
            table = table.set_column(_SENTENCES, SCHEMA.field(_SENTENCES), spans)
            if EXTRA.name in table.column_names:
                kept = [without_text(extra, _TEXTS) for extra in table[EXTRA.name].to_pylist()]
                at = table.schema.get_field_index(EXTRA.name)
                table = table.set_column(at, EXTRA, pa.array(kept, EXTRA.type))
            yield Part(part.subset, part.split, table, part.where)

    def sentences(self, facts: Iterable[Fact], rng: Random) -> list[str]:
        """Return a sentence for each fact, its template drawn at random."""
        return [self._sentence(fact, rng) for fact in facts]

    def _sentence(self, fact: Fact, rng: Random) -> str:
        for name in (fact.head, fact.tail):
            if not name.strip() or "[" in name or "]" in name:
                raise DataError(f"{name[:40]!r} cannot stand in square brackets as a name; change it")
        templates = self.world.lexicon.templates.get(fact.relation)
        if templates is None:
            raise DataError(
                f"world {self.world.name} has no relation {fact.relation[:40]!r}; {_advice(fact.relation)}"
            )
        # Python keeps random() the same from version to version, unlike choice().
        template = templates[int(rng.random() * len(templates))]
        return template.fill({"a": fact.head, "b": fact.tail})


def _advice(relation: str) -> str:
    """Return which world to take instead."""
    having = [name for name in builtin_worlds() if relation in builtin_world(name).meaning]
    return f"use --wording {having[0]}" if having else "name the folder of a world that has it"
