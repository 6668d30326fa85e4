"""What several tests of the models share: small tables, and batches with given random vectors."""

from dataclasses import dataclass, field
from functools import cache

import pyarrow as pa
import torch
from torch import Tensor

import clutrr
from clutrr._lexicon import World
from clutrr._puzzle import ROLES, Entity, Fact, Puzzle
from clutrr._table import to_table
from clutrr._train.config import TrainConfig
from clutrr._train.loop import Trainer
from clutrr.models import (
    Batch,
    Encoded,
    Model,
    Reading,
    SentencePool,
    StoryTensors,
    ThreePartModel,
    Vocabulary,
    blueprint,
    learn_vocabulary,
)


@cache
def stories_of(
    preset: str, k: int, size: int, seed: int = 0, distractors: int = 2, **more: str | int
) -> pa.Table:
    """Return generated stories; the same ones are generated once."""
    noise = {role: more.pop(role) for role in ROLES[1:] if role in more}
    return to_table(
        list(clutrr.generate(preset, k, size, seed, distractors=distractors, noise=noise, **more))
    )


def puzzle(story: str, query: tuple[str, str], people: str, target: str = "son") -> Puzzle:
    """A puzzle with only what a model reads. people: names with commas between."""
    everybody = tuple(Entity(name, "male") for name in people.split(","))
    return Puzzle(
        "x", story, "", query, target, 2, (), (Fact(query[0], target, query[1]),), everybody, "f"
    )


def built(
    name: str, table: pa.Table, world: World
) -> tuple[ThreePartModel, StoryTensors, Vocabulary]:
    """A model with weights of one seed, and the stories and the vocabulary of a table."""
    vocabulary = learn_vocabulary([table], world)
    torch.manual_seed(1)
    model = blueprint(name).make(vocabulary).eval()
    return model, blueprint(name).encode(table, vocabulary), vocabulary


@dataclass(frozen=True)
class Fixed(Batch):
    """A batch whose entities have given vectors. vectors: [B, entities, size], by size."""

    vectors: dict[int, Tensor] = field(default_factory=dict)

    def fresh(self, count: int, size: int) -> Tensor:
        return self.vectors[size][:, :count]


def fixed(stories: StoryTensors, seed: int = 0, entities: int | None = None) -> Fixed:
    """All stories, with vectors that depend on the seed and the story's and entity's number alone."""
    rng = torch.Generator().manual_seed(seed)
    count = entities or stories.entities
    assert count <= 200
    vectors = {
        size: torch.randn(len(stories), 200, size, generator=rng)[:, :count].contiguous()
        for size in (5, 100)
    }
    return Fixed(stories, torch.arange(len(stories)), rng, vectors)


def train_model(model: Model, stories: Encoded, config: TrainConfig) -> None:
    """Train on the CPU, to the end."""
    training = Trainer(model, stories, config, torch.device("cpu"))
    for epoch in range(config.epochs):
        for _ in training.steps(epoch):
            pass


def read_whole(model: ThreePartModel, stories: StoryTensors) -> Reading:
    """Return what the model's reader makes of all sentences, also of those that are not on the way."""
    return SentencePool.forward(model.reader, fixed(stories))
