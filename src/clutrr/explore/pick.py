"""The choice of the puzzles of a page, and what models answered.

Answers are a run's predictions, or anybody's as `clutrr score` takes them. A run of the model `pairs` may
hold what it read as well (`clutrr evaluate --readings`).
"""

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from clutrr.data import Dataset, Part
from clutrr.data.source import DataFile, json_lines
from clutrr.errors import ConfigError, DataError
from clutrr.files import Where, load_json, read_json
from clutrr.puzzle import Puzzle, from_table
from clutrr.scoring import READINGS, Answer, AnswerReader, Predictions, read_predictions
from clutrr.scoring.result import RECORD, RESULT
from clutrr.world import World

LIMIT = 10_000
Item = TypeVar("Item")
_SHOWN = 60  # characters of an answer that was not read
_READING = frozenset({"subset", "id", "read", "way", "steps"})  # the fields of a line


@dataclass(frozen=True)
class Read:
    """What a model read in a story.

    believed: head, relation, tail, the relation back, how likely the relation is, and how likely a fact is
    stated. way: entities. steps: three entities, what each is to the one before, and what the third is to the
    first.
    """

    believed: tuple[tuple[str, str, str, str, float, float], ...]
    way: tuple[str, ...]
    steps: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class ModelAnswers:
    """A model's answers, by the name it has on the page. readings: what it read, by subset and id."""

    name: str
    predictions: Predictions
    readings: Mapping[tuple[str, str], Read] = field(default_factory=dict)

    def answer(self, asked: tuple[str, str, str], reader: AnswerReader) -> Answer | None:
        """Return the answer to a question, given by subset, id and target; the first of several samples.

        Its text is the relation that it names, or the beginning of a reply that could not be read.
        """
        for given in self.predictions.answers_to(*asked):
            read = reader.read(given.text, given.asked)
            return replace(given, text=read or textwrap.shorten(given.text, _SHOWN, placeholder=" ..."))
        return None


def load_answers(path: Where) -> ModelAnswers:
    """Return the answers in the folder of a run, or in a file."""
    predictions = read_predictions(path)
    if any(given[0].asked.form == "yes-no" for given in predictions.answers.values()):
        raise DataError(f"{path}: holds answers to yes-no questions, which name no relation to show")
    file = path / READINGS
    return ModelAnswers(_name(path), predictions, dict(_readings(file)) if file.is_file() else {})


def _readings(file: Where) -> Iterator[tuple[tuple[str, str], Read]]:
    for number, row in json_lines(DataFile(file, file.name), _READING):
        try:
            believed = [
                (str(head), str(relation), str(tail), str(back), float(share), float(stated))
                for head, relation, tail, back, share, stated, _ in row["read"]
            ]
            steps = [(a, b, c, x, y, z) for a, b, c, x, y, z in row["steps"]]
            key = (str(row["subset"]), str(row["id"]))
            yield key, Read(tuple(believed), tuple(map(str, row["way"])), tuple(steps))
        except (ValueError, KeyError, TypeError, OverflowError):
            raise DataError(f"{file}, line {number}: not what `clutrr evaluate --readings` writes") from None


def _name(path: Where) -> str:
    """Return the folder's or file's name, and which model was trained on what, if a record says so."""
    name = path.resolve().name if path.is_dir() else path.stem
    try:
        record: Any = load_json(path / RESULT) or read_json(path / RECORD)
        config = record["config"]
        lengths = ", ".join(f"M{int(k)}" for k in config["k"])
        called = name if config["model"] in name else f"{name} ({config['model']})"
        return f"{called}, trained on {lengths}"
    except (OSError, ValueError, KeyError, TypeError):
        return name


class Even(Generic[Item]):
    """Keeps at most `limit` of the items that come, evenly spaced, in their order.

    It keeps every n-th item and doubles n whenever it holds too many, so that memory is bounded.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._every = 1
        self._kept: list[Item] = []
        self.seen = 0

    def next(self, count: int) -> range:
        """Return which of the next `count` items are wanted; `keep` those."""
        first = -self.seen % self._every
        self.seen += count
        return range(first, count, self._every)

    def keep(self, items: Sequence[Item]) -> None:
        self._kept += items
        while len(self._kept) > 2 * self._limit:
            self._kept = self._kept[::2]
            self._every *= 2

    def chosen(self, most: int | None = None) -> list[Item]:
        """Return the items; at most `most`, if even fewer are wanted."""
        size = min(len(self._kept), self._limit if most is None else most)
        return [self._kept[i * len(self._kept) // size] for i in range(size)]


@dataclass(frozen=True)
class Picked:
    """A puzzle of the page, what each run answered, and what it read, if that is known."""

    puzzle: Puzzle
    subset: str
    split: str
    answers: tuple[Answer | None, ...]
    read: tuple[Read | None, ...] = ()


@dataclass(frozen=True)
class Sample:
    """The puzzles of the page in the order of the data.

    assume: the name of an assumption. total: how many puzzles the data has. models: names.
    """

    data: str
    world: World
    about_world: str
    assume: str
    total: int
    models: tuple[str, ...]
    picked: tuple[Picked, ...]


def pick(
    data: Dataset,
    models: Sequence[ModelAnswers] = (),
    limit: int = LIMIT,
    assume: str | None = None,
    tick: Callable[[int], None] = lambda stories: None,
) -> Sample:
    """Return all puzzles of a data set, or an even sample if they are more than the limit.

    Puzzles that a model answers come first; others fill the rest.
    """
    if limit < 1:
        raise ConfigError(f"limit: {limit} is below 1")
    reader = AnswerReader(data.world)
    answered: Even[tuple[int, Picked]] = Even(limit)
    others: Even[tuple[int, Picked]] = Even(limit)
    total = 0
    for part in data.parts():
        columns = zip(part.table["id"].to_pylist(), part.table["target"].to_pylist(), strict=True)
        answers = [
            tuple(model.answer((part.subset, number, target), reader) for model in models)
            for number, target in columns
        ]
        for sample, given in ((answered, True), (others, False)):
            rows = [row for row, found in enumerate(answers) if any(found) is given]
            wanted = [rows[i] for i in sample.next(len(rows))]
            puzzles = from_table(part.table.take(wanted)) if wanted else []
            kept = [
                (total + row, _picked(puzzle, part, answers[row], models))
                for row, puzzle in zip(wanted, puzzles, strict=True)
            ]
            sample.keep(kept)
        total += len(answers)
        tick(len(answers))
    if not total:
        raise DataError(f"{data.path}: contains no puzzles")
    if models and not answered.seen:
        raise DataError(f"{models[0].predictions.path}: holds no answer to a story of {data.path}")
    first = answered.chosen()
    chosen = sorted([*first, *others.chosen(limit - len(first))], key=lambda pair: pair[0])
    return Sample(
        data.path.resolve().name,
        data.world,
        data.about_world,
        data.world.theory.assumption(assume or data.assume).name,
        total,
        tuple(model.name for model in models),
        tuple(one for _, one in chosen),
    )


def _picked(
    puzzle: Puzzle, part: Part, answers: tuple[Answer | None, ...], models: Sequence[ModelAnswers]
) -> Picked:
    read = tuple(model.readings.get((part.subset, puzzle.id)) for model in models)
    return Picked(puzzle, part.subset, part.split or "", answers, read if any(read) else ())
