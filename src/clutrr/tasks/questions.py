"""Questions of a data set, or generated on the fly; question i is a pure function of the settings and i."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from clutrr.config import DEFAULT_WORLD
from clutrr.data import open_dataset
from clutrr.errors import ConfigError
from clutrr.generator import SPLITS, Config, Generator, Puzzles
from clutrr.prompts import Prompt, PromptConfig, Prompter, prompter_for, prompts_of
from clutrr.prompts.prompter import choose
from clutrr.puzzle import Puzzle
from clutrr.scoring import AnswerReader
from clutrr.world import World, load_world

_ENDLESS = 10**9  # stories of one length: more than anybody asks for
_TRAIN = 500  # stories among which examples are chosen


@dataclass(frozen=True)
class Questions:
    """Fresh questions of a preset: the first of each k, then the second of each, and so on.

    >>> Questions(k=(2, 3), distractors=0)[1].k
    3
    """

    preset: str | None = Config.preset
    k: tuple[int, ...] = (2, 3, 4, 5, 6)
    seed: int = Config.seed
    split: str = "test"
    distractors: int = Config.distractors
    world: str = DEFAULT_WORLD
    prompts: PromptConfig = field(default_factory=PromptConfig)

    def __post_init__(self) -> None:
        if self.split not in SPLITS:
            raise ConfigError(f"split: {self.split!r} is not one of {', '.join(SPLITS)}")

    def __getitem__(self, number: int) -> Prompt:
        if number < 0:
            raise IndexError(number)
        row, place = divmod(number, len(self.k))
        return self.prompter.prompt(self._puzzles[place][row])

    def __iter__(self) -> Iterator[Prompt]:
        number = 0
        while True:
            yield self[number]
            number += 1

    def first(self, number: int) -> list[Prompt]:
        return [self[i] for i in range(number)]

    @cached_property
    def loaded(self) -> World:
        return load_world(self.world)

    @cached_property
    def prompter(self) -> Prompter:
        config = self._generator.config
        train: Sequence[Puzzle] = ()
        if self.prompts.shots:
            each = -(-_TRAIN // len(self.k))
            made = [Puzzles(self._generator, "train", k, each) for k in self.k]
            train = [puzzle for turn in zip(*made, strict=True) for puzzle in turn]
        return Prompter(
            self.loaded,
            str(config.assume),
            self.prompts,
            undetermined=self.preset == "mixed",
            shots=choose(train, self.prompts.shots, self.loaded, str(config.assume)),
        )

    @cached_property
    def _generator(self) -> Generator:
        return Generator(
            Config(preset=self.preset, k=self.k, seed=self.seed, distractors=self.distractors), self.loaded
        )

    @cached_property
    def _puzzles(self) -> list[Sequence[Puzzle]]:
        return [Puzzles(self._generator, self.split, k, _ENDLESS) for k in self.k]


def load_questions(
    data: str | Path | None,
    k: tuple[int, ...],
    size: int,
    split: str = "test",
    world: str = DEFAULT_WORLD,
    **settings: Any,
) -> list[Prompt]:
    """Return the first questions of a data set, or fresh ones if there is none.

    k: only of these lengths. world: of fresh ones. settings: fields of `PromptConfig`, and for fresh ones of
    `Questions`.
    """
    names = [one.name for one in fields(PromptConfig) if one.name in settings]
    config = PromptConfig(**{name: settings.pop(name) for name in names})
    if data is None:
        return Questions(k=k, split=split, world=world, prompts=config, **settings).first(size)
    opened = open_dataset(data)
    every = prompts_of(opened, prompter_for(opened, config), split)
    if found := [prompt for prompt in every if prompt.k in k][:size]:
        return found
    raise ConfigError(f"k: {data} has no stories of these lengths")


def reader_for(data: str | None, world: str = DEFAULT_WORLD) -> AnswerReader:
    """Return a reader of answers. world: of the stories, if there is no data that carries its own."""
    return AnswerReader(open_dataset(data).world if data else load_world(world))
