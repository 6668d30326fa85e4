"""Several models' answers to one data set, side by side: by the number of facts, beside look-ups."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clutrr.auditor.composition import Rules
from clutrr.auditor.lookups import Fitted
from clutrr.auditor.rows import Asked, kind_of
from clutrr.data import Dataset
from clutrr.errors import plain
from clutrr.puzzle import from_table
from clutrr.report.text import MISSING, number
from clutrr.scoring import Result
from clutrr.scoring.predictions import ALL
from clutrr.storage import Where


@dataclass(frozen=True)
class Comparison:
    """Several models' answers to the same questions.

    - results: one a model, each with its name
    - files: where the answers are, in the same order
    - lookups: percent by name and length, fitted on the training rows; none if the data has none
    - trained: the lengths of these rows
    """

    results: tuple[Result, ...]
    files: tuple[str, ...]
    lookups: Mapping[str, Mapping[int, float]]
    trained: tuple[int, ...]

    @property
    def questions(self) -> Mapping[str, Any]:
        """What was asked: data, split, world and assumption."""
        return self.results[0].questions

    @property
    def lengths(self) -> list[int]:
        return sorted({k for result in self.results for k in result.lengths})

    def rows(self, k: int) -> int:
        """How many questions of a length there are."""
        return max(result.lengths[k].rows for result in self.results if k in result.lengths)

    def to_json(self) -> dict[str, Any]:
        """Everything, as plain data."""
        return {
            "questions": dict(self.questions),
            "trained_on": list(self.trained),
            "lookups": {name: {str(k): v for k, v in by.items()} for name, by in self.lookups.items()},
            "results": [result.to_json() for result in self.results],
        }


def compare(data: Dataset, results: Sequence[Result], files: Sequence[Where]) -> Comparison:
    """The results of several models on the data, beside what needs no model."""
    asked: dict[str, list[Asked]] = {}
    for part in data.parts():
        here = (Asked(puzzle, kind_of(puzzle, data.world)) for puzzle in from_table(part.table))
        asked.setdefault(part.split or "", []).extend(here)
    split = results[0].questions["split"]
    lookups: dict[str, dict[int, float]] = {}
    trained: tuple[int, ...] = ()
    if known := asked.get("train"):
        trained = tuple(sorted({one.puzzle.k for one in known}))
        fitted = Fitted("train", known, Rules(data.world))
        tested = [one for name, found in asked.items() if split in (ALL, name) or not name for one in found]
        for k in sorted({one.puzzle.k for one in tested}):
            for name, share in fitted.cell([one for one in tested if one.puzzle.k == k]).items():
                lookups.setdefault(name, {})[k] = share
    return Comparison(tuple(results), tuple(plain(str(file)) for file in files), lookups, trained)


def table(comparison: Comparison) -> list[list[str]]:
    """The header, a row for each length, and one for all: accuracy with its interval, then the look-ups."""
    return [
        ["facts", "questions", *(result.model for result in comparison.results), *comparison.lookups],
        *_rows(comparison),
    ]


def _rows(comparison: Comparison) -> Iterator[list[str]]:
    results, lookups = comparison.results, comparison.lookups.values()
    for k in comparison.lengths:
        cells = [result.lengths[k].text if k in result.lengths else MISSING for result in results]
        yield [str(k), f"{comparison.rows(k):,}", *cells, *(number(by.get(k)) for by in lookups)]
    totals = [result.total for result in results]
    rows = max(score.rows for score in totals)
    yield ["all", f"{rows:,}", *(score.text for score in totals), *("" for _ in lookups)]


def markdown(comparison: Comparison) -> str:
    header, *rows = table(comparison)
    lines = [header, ["---:"] * len(header), *rows]
    return "".join(f"| {' | '.join(text.replace('|', '¦') for text in line)} |\n" for line in lines)
