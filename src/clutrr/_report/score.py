"""Anybody's answers to a data set, scored."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from clutrr._arguments import LocationLike, public
from clutrr._books.load import is_book, open_book
from clutrr._chains.read import are_chains, open_chains
from clutrr._data import Dataset
from clutrr._data.given import DataLike, WorldLike, open_data
from clutrr._io.executors import print_notice
from clutrr._io.locations import Location, is_location, parse_location
from clutrr._report.comparison import compare_all, with_lookups
from clutrr._report.judged import score_judges
from clutrr._report.write import write_report
from clutrr._score.books import BookResult, read_replies, score_book
from clutrr._score.figures import read_prices, with_cost
from clutrr._score.predictions import PREDICTIONS, Answer, Predictions, read_predictions
from clutrr._score.select import one_of_several
from clutrr.errors import ArgumentError, ConfigError


@public
def score(
    data: DataLike,
    answers: Any,
    *,
    split: str | None = None,
    steps: bool = False,
    select: str | None = None,
    to: LocationLike | None = None,
    prices: LocationLike | None = None,
    world: WorldLike | None = None,
    skip_bad: bool = False,
    command: str = "",
) -> Any:
    """Score anybody's answers: a file as for `clutrr score`, answers by id, or a frame of both.

    Returns the `Result`; of a list of such answers an `Experiment`: several models side by side. Where the data is
    chains, the answers are judgements, and each has a `JudgeResult`; where it is a book, each has a `BookResult`.

    - answers: in a list, those behind the folder of another data set, such as the same in another language, are of
      that; so are those in a pair (data, answers). Of chains the number of the first wrong step by id, -1 for none; or
      "verify", which reads them
    - split: train, test or all; by default test, or all without one
    - steps: whether to judge what replies claim on their way, too
    - select: of several replies to a question, score one: majority, or steps (the best by what `verify` finds)
    - prices: a YAML file of what tokens cost, MODEL: {read: 0.15, written: 0.60} for a million
    - to: a folder for a report: table, curves over length and page
    - skip_bad: whether to leave out rows and files of the data that cannot be read, and name them
    - command: to be recorded

    >>> from clutrr import generate
    >>> puzzles = generate(k=2, size=10)
    >>> score(puzzles, {puzzle.id: puzzle.target for puzzle in puzzles}).total.accuracy
    100.0
    """
    several = isinstance(answers, list | tuple)
    if is_book(data):
        for name, value in {"steps": steps, "to": to, "select": select, "prices": prices}.items():
            if value:
                raise ConfigError("is for answers to puzzles, and the data is a book", setting=name)
        listed = answers if several else [answers]
        scored = [_score_book(data, one) for one in listed]
        return scored if several else scored[0]
    if are_chains(data):
        for name, value in {"steps": steps, "to": to, "select": select}.items():
            if value:
                raise ConfigError("is for answers to puzzles, and the data is chains", setting=name)
        listed = answers if several else [answers]
        judges = score_judges(open_chains(data, world), listed, split, command)
        return judges if several else judges[0]
    opened = open_data(data, world, skip_bad=skip_bad)
    listed = list(_with_data(opened, answers if several else [answers], skip_bad))
    if not listed:
        raise ArgumentError("is no list of answers", setting="answers", value=answers)
    if select is not None:
        listed = [(of, one_of_several(of, one, select)) for of, one in listed]
    found = compare_all(listed, split, steps, command)
    sets = list({id(one): one for one, _ in listed}.values())
    for one in sets:
        one.notes.tell(print_notice)
    if prices is not None:
        costs = read_prices(parse_location(prices))
        found = replace(
            found,
            results=tuple(
                replace(one, details=with_cost(one.details, one.model, costs))
                for one in found.results
            ),
        )
    if to is not None:
        found = with_lookups(found, opened) if sets == [opened] else found
        write_report(found, parse_location(to))
    return found if several else found.results[0]


def _with_data(
    opened: Dataset, answers: Iterable[Any], skip_bad: bool
) -> Iterator[tuple[Dataset, Predictions]]:
    """Yield answers, each with the data that it is of: what is opened, or the folder of data that it stands behind."""
    sets: dict[str, Dataset] = {str(opened.path): opened}
    data = opened
    for number, one in enumerate(answers):
        if is_location(one) and _holds_puzzles(parse_location(one)):
            place = parse_location(one)
            data = sets.get(str(place)) or open_data(place, skip_bad=skip_bad)
            sets[str(place)] = data
        elif isinstance(one, tuple) and len(one) == 2:
            yield open_data(one[0], skip_bad=skip_bad), _answers(one[1], number)
        else:
            yield data, _answers(one, number)


def _holds_puzzles(place: Location) -> bool:
    """Whether a folder is a data set, and not a run."""
    return (place / "data").is_dir() and not (place / PREDICTIONS).is_file()


def _score_book(data: Any, answers: Any) -> BookResult:
    """Return how replies to a book score."""
    model, replies = read_replies(answers)
    return score_book(open_book(data), replies, model)


def _answers(given: Any, number: int) -> Predictions:
    """Return answers, however they are given. number: of the model, for its name."""
    columns = getattr(given, "columns", ())
    if isinstance(columns, Iterable) and {"id", "answer"} <= set(columns):
        given = dict(zip(given["id"], given["answer"], strict=True))
    if isinstance(given, Mapping):
        by_id = {("", str(name)): (Answer(str(text)),) for name, text in given.items()}
        return Predictions(Path(f"answers-{number + 1}" if number else "answers"), by_id)
    if is_location(given):
        return read_predictions(parse_location(given))
    raise ArgumentError(
        f"expected a path, answers by id, or a frame with id and answer, not {type(given).__name__}",
        setting="answers",
    )
