"""Several models' answers to one data set, side by side; and what needs no model."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from clutrr.data import Dataset
from clutrr.errors import plain
from clutrr.reports.table import MISSING, number
from clutrr.scoring.predictions import ALL, Paired, Predictions, answered, named, pair, read_result
from clutrr.scoring.result import Result, Score
from clutrr.shown import Shown


@dataclass(frozen=True, repr=False)
class Comparison(Shown):
    """Several models' answers to the same questions.

    - results: one a model, each with its name
    - files: where the answers are, in the same order
    - pairs: any two models on the questions that both answered, by their names
    - lookups: percent by name and length, fitted on the training rows; none if the data has none
    - trained: the lengths of these rows
    """

    results: tuple[Result, ...]
    files: tuple[str, ...] = ()
    pairs: Mapping[tuple[str, str], Paired] = field(default_factory=dict)
    lookups: Mapping[str, Mapping[int, float]] = field(default_factory=dict)
    trained: tuple[int, ...] = ()

    @property
    def caption(self) -> str:
        return f"Answers to {self.questions['data']}: accuracy in % and its 95 % interval"

    def rows(self) -> Iterator[list[str]]:
        names = dict.fromkeys(name for result in self.results for name in result.tested)
        scores = {name: [result.tested.get(name) for result in self.results] for name in names}
        yield from self._rows("subset", scores)

    def by_length(self) -> Iterator[list[str]]:
        """Yield the header, a row for each length and one for all, with the look-ups."""
        scores = {k: [result.lengths.get(k) for result in self.results] for k in self.lengths}
        header, *rows, total = self._rows("facts", scores)
        yield [*header, *self.lookups]
        for k, row in zip(self.lengths, rows, strict=True):
            yield [*row, *(number(by.get(k)) for by in self.lookups.values())]
        yield [*total, *("" for _ in self.lookups)]

    def _rows(self, what: str, scores: Mapping[Any, Sequence[Score | None]]) -> Iterator[list[str]]:
        yield [what, "questions", *(result.model for result in self.results)]
        for name, row in {**scores, "all": [result.total for result in self.results]}.items():
            sizes = sorted({score.rows for score in row if score is not None})
            # Models need not have answered as many each.
            size = " to ".join(f"{one:,}" for one in dict.fromkeys((sizes[0], sizes[-1])))
            yield [str(name), size, *(score.text if score else MISSING for score in row)]

    @property
    def questions(self) -> Mapping[str, Any]:
        """What was asked: data, split, world and assumption."""
        return self.results[0].questions

    @property
    def lengths(self) -> list[int]:
        return sorted({k for result in self.results for k in result.lengths})

    def to_json(self) -> dict[str, Any]:
        """Everything, as plain data."""
        return {
            "questions": dict(self.questions),
            "trained_on": list(self.trained),
            "lookups": {name: {str(k): v for k, v in by.items()} for name, by in self.lookups.items()},
            "results": [result.to_json() for result in self.results],
            "pairs": [
                {"models": list(names), **one._asdict(), "p": one.p} for names, one in self.pairs.items()
            ],
        }


def compare(
    data: Dataset,
    models: Sequence[Predictions],
    split: str | None = None,
    steps: bool = False,
    command: str = "",
) -> Comparison:
    """Score the answers of each model, and compare any two on the questions that both answered.

    steps: whether to judge the reasoning of replies too. command: to be recorded.
    """
    results, outcomes, paths = [], {}, named([one.path for one in models])
    for name, path in paths.items():
        given = next(one for one in models if one.path == path)
        found = answered(data, given, split, steps)
        made = read_result(given.path)  # how the model was trained, if the file knows
        training = None if made is None else made.training
        results.append(replace(found.result(), model=name, command=command, training=training))
        outcomes[name] = found.outcomes()
    pairs = {(one, other): pair(outcomes[one], outcomes[other]) for one, other in combinations(outcomes, 2)}
    return Comparison(tuple(results), tuple(plain(str(path)) for path in paths.values()), pairs)


def with_lookups(comparison: Comparison, data: Dataset) -> Comparison:
    """Return the same with what needs no model, fitted on the training rows of the data.

    Of the lengths that the models were trained on, if their records say it; else on all that there are.
    """
    from clutrr.auditor.lookups import Fitted, Rules
    from clutrr.auditor.rows import Asked, asked_in

    questions: dict[str, Counter[Asked]] = {}
    for part in data.parts():
        questions.setdefault(part.split or "", Counter()).update(asked_in(part.table, data.world))
    trainings = [result.training for result in comparison.results if result.training]
    recorded = {k for training in trainings for k in training.config.get("k", ())}
    trained = questions.get("train", Counter()).items()
    known = {one: times for one, times in trained if not recorded or one.k in recorded}
    if not known:
        return comparison
    fitted, split = Fitted("train", known, Rules(data.world)), comparison.questions["split"]
    tested: dict[int, Counter[Asked]] = {}
    for name, found in questions.items():
        for one, times in found.items() if split in (ALL, name) or not name else ():
            tested.setdefault(one.k, Counter())[one] += times
    lookups: dict[str, dict[int, float]] = {}
    for k, some in sorted(tested.items()):
        for name, share in fitted.cell(some).items():
            lookups.setdefault(name, {})[k] = share
    return replace(comparison, lookups=lookups, trained=tuple(sorted({one.k for one in known})))
