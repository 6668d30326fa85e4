"""Questions of a data set, or generated on the fly; question i is a pure function of the settings and i."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import Any

from clutrr.config import DEFAULT_WORLD
from clutrr.data import open_dataset
from clutrr.errors import ConfigError
from clutrr.generator import SPLITS, Config, Generator, Puzzles
from clutrr.measure import numbers
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

    k, routes: one number, several, or such as "2-6". Only some worlds have questions of several routes.

    >>> Questions(k=(2, 3), distractors=0)[1].k
    3
    """

    preset: str | None = Config.preset
    k: tuple[int, ...] = Config.k
    seed: int = Config.seed
    split: str = "test"
    distractors: int = Config.distractors
    world: str = DEFAULT_WORLD
    prompts: PromptConfig = field(default_factory=PromptConfig)
    routes: tuple[int, ...] = Config.routes

    def __post_init__(self) -> None:
        if self.split not in SPLITS:
            raise ConfigError(f"split: {self.split!r} is not one of {', '.join(SPLITS)}")
        for name in ("k", "routes"):
            given: int | str | Sequence[int | str] = getattr(self, name)
            several = [given] if isinstance(given, int | str) else given
            object.__setattr__(self, name, numbers(",".join(map(str, several)), name))

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
            undetermined=self.loaded.theory.preset(self.preset).keeps in ("all", "mixed"),
            shots=choose(train, self.prompts.shots, self.loaded, str(config.assume)),
        )

    @cached_property
    def _generator(self) -> Generator:
        config = Config(self.preset, self.k, seed=self.seed, distractors=self.distractors, routes=self.routes)
        return Generator(config, self.loaded)

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
    """Return questions of a data set, or fresh ones if there is none: as many of each k, in turn.

    k: only of these lengths. world: of fresh ones. settings: fields of `PromptConfig`, and for fresh ones of
    `Questions`.
    """
    if isinstance(settings.get("omit"), str):
        settings["omit"] = settings["omit"].split(",")
    names = [one.name for one in fields(PromptConfig) if one.name in settings]
    config = PromptConfig(**{name: settings.pop(name) for name in names})
    if data is None:
        return Questions(k=k, split=split, world=world, prompts=config, **settings).first(size)
    opened = open_dataset(data)
    of_each: dict[int, list[Prompt]] = {length: [] for length in k}
    for prompt in prompts_of(opened, prompter_for(opened, config), split):
        of_each.get(prompt.k, []).append(prompt)
    turns = [prompt for turn in zip_longest(*of_each.values()) for prompt in turn if prompt is not None]
    if turns:
        return turns[:size]
    raise ConfigError(f"k: {data} has no stories of these lengths")


def reader_for(data: str | None, world: str = DEFAULT_WORLD) -> AnswerReader:
    """Return a reader of answers. world: of the stories, if there is no data that carries its own."""
    return AnswerReader(open_dataset(data).world if data else load_world(world))
