"""Questions for language models: of a stream, or of a data set."""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, overload

from clutrr._ask.prompter import LOOKED_AT, Prompt, Prompter, in_turn, prompter_for, prompts_of
from clutrr._config import DEFAULT_WORLD, PromptConfig, read_numbers, read_words
from clutrr._data import open_dataset
from clutrr._generate import Stream
from clutrr._generate.generate import stream
from clutrr._lexicon import builtin_world
from clutrr._score.replies import AnswerReader
from clutrr._worlds import load_world
from clutrr.errors import ConfigError
from clutrr.theory import WORLDS

_SHARDS, _SHARD = 1 << 14, 1 << 12  # of a data set of Hugging Face, which has to end some time


class Questions:
    """The puzzles of a stream as messages: question i is item i. settings: fields of `PromptConfig`.

    >>> Questions(stream(k=(2, 3), distractors=0))[1].k
    3
    """

    def __init__(self, stream: Stream, **settings: Any) -> None:
        self.stream, self.config = stream, PromptConfig(**settings)

    @overload
    def __getitem__(self, number: int) -> Prompt: ...
    @overload
    def __getitem__(self, number: slice) -> list[Prompt]: ...
    def __getitem__(self, number: int | slice) -> Prompt | list[Prompt]:
        if isinstance(number, slice):
            return list(map(self.prompter.prompt, self.stream[number]))
        return self.prompter.prompt(self.stream[number])

    def __iter__(self) -> Iterator[Prompt]:
        return map(self.prompter.prompt, self.stream)

    @cached_property
    def prompter(self) -> Prompter:
        stream, config = self.stream, self.stream.config
        return Prompter(
            stream.world,
            stream.assume,
            self.config,
            undetermined=stream.world.theory.preset(config.preset).keeps in ("all", "mixed"),
            examples=islice(Stream(config, stream.world), LOOKED_AT),
        )

    def row(self, number: int) -> dict[str, Any]:
        """Return a question as a row for a trainer: `prompt`, and all that `clutrr.reward` needs."""
        row = self[number].to_dict()
        return {"prompt": row.pop("messages"), **row, **self._about}

    @cached_property
    def _about(self) -> dict[str, str]:
        """What the reward needs to know of the world; a world of your own has to be named to it."""
        world = self.stream.world
        known = world.name in WORLDS and builtin_world(world.name).digest == world.digest
        return {"assume": self.stream.assume} | ({"world": world.name} if known else {})

    def to_hf(self, size: int | None = None) -> Any:
        """Return an `IterableDataset`, which shards and resumes; or a `Dataset` of the first questions."""
        from datasets import Dataset, IterableDataset

        if size is not None:
            if size < 1:
                raise ConfigError("is not at least 1", setting="size", value=size)
            return Dataset.from_list([self.row(number) for number in range(size)])
        return IterableDataset.from_generator(
            _rows, gen_kwargs={"questions": self, "shards": list(range(_SHARDS))}
        )


def _rows(questions: Questions, shards: Sequence[int]) -> Iterator[dict[str, Any]]:
    for shard in shards:
        yield from map(questions.row, range(shard * _SHARD, (shard + 1) * _SHARD))


def load_questions(
    data: str | Path | None,
    k: int | str | Sequence[int],
    size: int,
    split: str = "test",
    world: str = DEFAULT_WORLD,
    **settings: Any,
) -> list[Prompt]:
    """Return questions of a data set, or of a stream if there is none: as many of each k, in turn.

    k: only of these lengths. world: of a stream. settings: fields of `PromptConfig`, and what `clutrr.stream`
    takes.
    """
    lengths = read_numbers(k, "k")
    settings["omit"] = read_words(settings.get("omit", ()), "omit")
    names = [one.name for one in fields(PromptConfig) if one.name in settings]
    asked = {name: settings.pop(name) for name in names}
    if data is None:
        items = stream(k=lengths, split=split, world=world, **settings)
        return list(islice(Questions(items, **asked), size))
    opened = open_dataset(data)
    of_each: dict[int, list[Prompt]] = {length: [] for length in lengths}
    for prompt in prompts_of(opened, prompter_for(opened, PromptConfig(**asked)), split):
        of_each.get(prompt.k, []).append(prompt)
    if not any(of_each.values()):
        raise ConfigError(f"{data} has no stories of these lengths", setting="k")
    return list(islice(in_turn(*of_each.values()), size))


def reader_for(data: str | None, world: str = DEFAULT_WORLD) -> AnswerReader:
    """Return a reader of answers. world: of the stories, if there is no data that carries its own."""
    return AnswerReader(open_dataset(data).world if data else load_world(world))
