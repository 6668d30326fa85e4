"""What several tests of the models share: small tables, and batches with given random vectors."""

import copy
from dataclasses import dataclass, field

import pyarrow as pa
import torch
from torch import Tensor

import clutrr
from clutrr.models import Batch, Model, Stories
from clutrr.models.parts import Reading
from clutrr.puzzle import Fact, Person, Puzzle, to_table


def stories_of(
    preset: str, k: int, size: int, seed: int = 0, distractors: int = 2, **more: str | int
) -> pa.Table:
    return to_table(list(clutrr.generate(preset, k, size, seed, distractors=distractors, **more)))


def puzzle(story: str, query: tuple[str, str], people: str, target: str = "son") -> Puzzle:
    """A puzzle with only what a model reads. people: names with commas between."""
    everybody = tuple(Person(name, "male") for name in people.split(","))
    return Puzzle("x", story, "", query, target, 2, (), (Fact(query[0], target, query[1]),), everybody, "f")


@dataclass(frozen=True)
class Fixed(Batch):
    """A batch whose entities have given vectors. vectors: [B, entities, size], by size."""

    vectors: dict[int, Tensor] = field(default_factory=dict)

    def fresh(self, count: int, size: int) -> Tensor:
        return self.vectors[size][:, :count]


def fixed(stories: Stories, seed: int = 0, entities: int | None = None) -> Fixed:
    """All stories, with vectors that depend on the seed and the story's and entity's number alone."""
    rng = torch.Generator().manual_seed(seed)
    count = entities or stories.entities
    assert count <= 200
    vectors = {
        size: torch.randn(len(stories), 200, size, generator=rng)[:, :count].contiguous() for size in (5, 100)
    }
    return Fixed(stories, torch.arange(len(stories)), rng, vectors)


def read_whole(model: Model, stories: Stories) -> Reading:
    """What the model's reader makes of all sentences, also of those that are not on the way."""
    reader = copy.copy(model.reader)
    reader.way = False
    return reader(fixed(stories))
