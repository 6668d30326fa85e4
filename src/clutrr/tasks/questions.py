"""Questions for language models: of a stream, or of a data set."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, overload

from clutrr._ask.prompter import LOOKED_AT, Prompt, Prompter, in_turn, prompter_for, prompts_of
from clutrr._config import DEFAULT_WORLD, Config, PromptConfig, read_numbers, read_words
from clutrr._data import open_dataset
from clutrr._generate import Stream
from clutrr._generate.generate import stream
from clutrr._lexicon import builtin_world
from clutrr._puzzle import Fact
from clutrr._score.replies import AnswerReader, QuestionForm
from clutrr._score.reward import steps_taken
from clutrr._statement import from_record
from clutrr._worlds import load_world
from clutrr.errors import ConfigError
from clutrr.theory import WORLDS

SIZE = 500  # questions of a stream, if nobody says how many
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
    data: str | Path | None = None,
    k: int | str | Sequence[int] | None = None,
    size: int | None = None,
    split: str = "test",
    world: str | None = None,
    *,
    skip_bad: bool = False,
    **settings: Any,
) -> list[Prompt]:
    """Return questions of a data set, or of a stream if there is none: as many of each k, in turn.

    - k: only of these lengths; None for all of a data set, or the usual ones of a stream
    - size: at most this many; None for all of a data set, or `SIZE` of a stream
    - split: train or test
    - world: of a stream; of data, the one to read it with instead of its own
    - skip_bad: leave out rows of data that cannot be read
    - settings: fields of `PromptConfig`, and for a stream what `clutrr.stream` takes
    """
    lengths = None if k is None else read_numbers(k, "k")
    settings["omit"] = read_words(settings.get("omit", ()), "omit")
    names = [one.name for one in fields(PromptConfig) if one.name in settings]
    asked = {name: settings.pop(name) for name in names}
    if data is None:
        items = stream(
            k=Config.k if lengths is None else lengths,
            split=split,
            world=world or DEFAULT_WORLD,
            **settings,
        )
        return list(islice(Questions(items, **asked), SIZE if size is None else size))
    if settings:
        raise ConfigError(
            "is a setting of generated stories, and data has its own",
            setting=next(iter(settings)),
            hint="leave it out",
        )
    opened = open_dataset(data, world, skip_bad)
    of_each: dict[int, list[Prompt]] = {length: [] for length in lengths or ()}
    for prompt in prompts_of(opened, prompter_for(opened, PromptConfig(**asked)), split):
        if lengths is None or prompt.k in lengths:
            of_each.setdefault(prompt.k, []).append(prompt)
    if not any(of_each.values()):
        raise ConfigError(f"{data} has no stories of these lengths", setting="k")
    return list(islice(in_turn(*of_each.values()), size))


class ReplyFigures(NamedTuple):
    """What a reply to a question comes to.

    - answer: the one answer that it gives, if any
    - right: whether that is the right one
    - read: whether it gives one
    - refused: whether it says that it will not answer
    - steps: the share of the steps to the answer that it takes, less its wrong claims, as the part `steps`
      of a reward; None where the question has no such steps
    """

    answer: str | None
    right: bool
    read: bool
    refused: bool
    steps: float | None


class ReplyReader:
    """Reads and judges replies to the questions of `load_questions`.

    - data, world: as there
    """

    def __init__(self, data: str | None = None, world: str | None = None) -> None:
        if data is None:
            self._world, self._assume = load_world(world or DEFAULT_WORLD), None
        else:
            opened = open_dataset(data, world, skip_bad=True)
            self._world, self._assume = opened.world, opened.assume
        self._reader = AnswerReader(self._world)

    def figures(
        self, row: Mapping[str, Any], reply: str, reasoning: str = "", cut: bool = False
    ) -> ReplyFigures:
        """Return what a reply comes to.

        - row: the question, as `Prompt.to_dict` has it
        - reasoning: what the model thought before, where the service says so
        - cut: whether the reply ends where its length was limited
        """
        found = self._reader.read(reply, QuestionForm.of_row(row), cut=cut)
        steps = steps_taken(
            f"{reasoning}\n\n{reply}".strip(),
            row["query"],
            [
                *(Fact(*fact) for fact in row["facts"]),
                *map(from_record, row.get("statements", ())),
            ],
            self._world,
            row.get("assume") or self._assume,
        )
        right = found.value == row["answer"]
        return ReplyFigures(found.value, right, found.value is not None, found.refused, steps)
