"""The choice of the puzzles of a page, and what models answered.

Answers are a run's predictions, or anybody's as `clutrr score` takes them.
"""

import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from clutrr.data import Dataset
from clutrr.errors import ConfigError, DataError
from clutrr.files import Where, load_json, read_json
from clutrr.puzzle import Puzzle
from clutrr.scoring import Answer, AnswerReader, Predictions, read_predictions
from clutrr.scoring.result import RECORD, RESULT
from clutrr.table import from_table
from clutrr.world import World

LIMIT = 10_000
Item = TypeVar("Item")
_SHOWN = 60  # characters of an answer that was not read


# What became of a question; "truncated" and "refused" are unread for a reason.
STATES = ("right", "wrong", "unread", "refused", "truncated", "no answer")
_REFUSAL = re.compile(
    r"\W*(?:I(?:.m| am)(?: very)? sorry|sorry|I (?:cannot|can.t|will not|won.t) |as an AI)", re.IGNORECASE
)


class ShownAnswer(NamedTuple):
    """An answer as the page shows it: text is the relation that it names, or the beginning of a reply."""

    text: str
    state: str
    given: Answer


@dataclass(frozen=True)
class ModelAnswers:
    """A model's answers, by the name it has on the page."""

    name: str
    predictions: Predictions

    def answer(
        self, subset: str, asked: tuple[str, str, Sequence[str]], reader: AnswerReader
    ) -> ShownAnswer | None:
        """Return the answer to a question, given by id, target and query; the first of several samples."""
        number, target, query = asked
        for given in self.predictions.answers_to(subset, number, target):
            read = reader.read(given.text, given.asked.of(query), cut=given.cut)
            if read is not None:
                right = read == (given.right or given.asked.right(target))
                return ShownAnswer(read, STATES[not right], given)
            refused = given.finish in ("refusal", "content_filter") or _REFUSAL.match(given.text)
            state = "truncated" if given.cut else "refused" if refused else "unread"
            if given.probability is not None:  # a trained model's answer, of another world
                state = "wrong"
            return ShownAnswer(textwrap.shorten(given.text, _SHOWN, placeholder=" ..."), state, given)
        return None


def load_answers(path: Where) -> ModelAnswers:
    """Return the answers in the folder of a run, or in a file."""
    return ModelAnswers(_name(path), read_predictions(path))


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
    """A puzzle of the page, and what each run answered."""

    puzzle: Puzzle
    subset: str
    split: str
    answers: tuple[ShownAnswer | None, ...]


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
        columns = [part.table[name].to_pylist() for name in ("id", "target", "query")]
        answers = [
            tuple(model.answer(part.subset, asked, reader) for model in models)
            for asked in zip(*columns, strict=True)
        ]
        for sample, given in ((answered, True), (others, False)):
            rows = [row for row, found in enumerate(answers) if any(found) is given]
            wanted = [rows[i] for i in sample.next(len(rows))]
            puzzles = from_table(part.table.take(wanted)) if wanted else []
            kept = [
                (total + row, Picked(puzzle, part.subset, part.split or "", answers[row]))
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
