"""Questions of a folder, or generated on the fly; question i is a pure function of the settings and i."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from clutrr.data import open_dataset
from clutrr.errors import ConfigError
from clutrr.generator import SPLITS, Config, Generator, Puzzles
from clutrr.prompts import Prompt, PromptConfig, Prompter, prompter_for, prompts_of
from clutrr.prompts.shots import choose
from clutrr.puzzle import Puzzle
from clutrr.world import World, load_world

_ENDLESS = 10**9  # stories of one length: more than anybody asks for
_TRAIN = 500  # stories among which examples are chosen


@dataclass(frozen=True)
class Questions:
    """Fresh questions of a preset: the first of each k, then the second of each, and so on.

    >>> Questions(k=(2, 3), distractors=0)[1].k
    3
    """

    preset: str = "sound"
    k: tuple[int, ...] = (2, 3, 4, 5, 6)
    seed: int = 0
    split: str = "test"
    distractors: int = 8
    world: str = "kinship"
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
            config.assumption,
            self.prompts,
            untold=self.preset == "mixed",
            shots=choose(train, self.prompts.shots, self.loaded, config.assumption),
        )

    @cached_property
    def _generator(self) -> Generator:
        return Generator(
            Config(preset=self.preset, k=self.k, seed=self.seed, distractors=self.distractors), self.loaded
        )

    @cached_property
    def _puzzles(self) -> list[Sequence[Puzzle]]:
        return [Puzzles(self._generator, self.split, k, _ENDLESS) for k in self.k]


def questions_of(
    data: str | Path,
    config: PromptConfig,
    split: str = "test",
    limit: int | None = None,
    k: tuple[int, ...] | None = None,
) -> tuple[World, list[Prompt]]:
    """The world and the questions of a folder or file. k: only chains of these lengths."""
    opened = open_dataset(data)
    found = list(prompts_of(opened, prompter_for(opened, config), split, None if k else limit))
    if k:
        found = [prompt for prompt in found if prompt.k in k][:limit]
        if not found:
            raise ConfigError(f"k: {data} has no stories of these lengths")
    return opened.world, found
