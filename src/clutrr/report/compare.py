"""Several models' answers to one data set, side by side: by the length of the chain, beside look-ups."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clutrr.auditor.ceilings import Rules
from clutrr.auditor.lookups import PartsFitted
from clutrr.auditor.rows import Question, kind_of
from clutrr.data import Dataset
from clutrr.errors import plain
from clutrr.puzzle import from_table
from clutrr.report.table import MISSING, number
from clutrr.scoring import Scores, named, read_predictions, score
from clutrr.storage import Where
from clutrr.version import VERSION


@dataclass(frozen=True)
class Comparison:
    """models: the scores by name. lookups: percent by name and length, fitted on the training rows; none
    if the data has none. trained: the lengths of these rows. split: what was scored; None for all.
    assume: what the data's answers were made under, if it says so."""

    data: str
    assume: str | None
    split: str | None
    models: Mapping[str, Scores]
    files: Mapping[str, str]
    lookups: Mapping[str, Mapping[int, float]]
    trained: tuple[int, ...]

    @property
    def lengths(self) -> list[int]:
        return sorted({k for scores in self.models.values() for k in scores.lengths})

    def rows(self, k: int) -> int:
        """How many questions of a length there are."""
        return max(s.lengths[k].rows for s in self.models.values() if k in s.lengths)

    def to_json(self) -> dict[str, Any]:
        """Everything, as plain data."""
        return {
            "data": self.data,
            "assume": self.assume,
            "split": self.split or "all",
            "clutrr": VERSION,
            "trained_on": list(self.trained),
            "models": {
                name: {
                    "answers": self.files[name],
                    "all": scores.total.to_json(),
                    "by_k": {str(k): one.to_json() for k, one in scores.lengths.items()},
                }
                for name, scores in self.models.items()
            },
            "lookups": {name: {str(k): v for k, v in by.items()} for name, by in self.lookups.items()},
        }


def compare(
    data: Dataset,
    answers: Sequence[Where],
    split: str | None,
    tick: Callable[[int], None] = lambda rows: None,
) -> Comparison:
    """Score each file of answers. split: None for test if the data has such rows, else for all."""
    asked: dict[str, list[Question]] = {}
    for part in data.parts():
        here = (Question(puzzle, kind_of(puzzle, data.world)) for puzzle in from_table(part.table))
        asked.setdefault(part.split or "", []).extend(here)
    split = split or ("test" if "test" in asked else None)
    files = named(answers)
    models = {name: score(data, read_predictions(path), split, tick) for name, path in files.items()}
    lookups: dict[str, dict[int, float]] = {}
    trained: tuple[int, ...] = ()
    if known := asked.get("train"):
        trained = tuple(sorted({one.puzzle.k for one in known}))
        fitted = PartsFitted("train", known, Rules(data.world))
        tested = [
            one for name, found in asked.items() if split is None or name in ("", split) for one in found
        ]
        for k in sorted({one.puzzle.k for one in tested}):
            for name, share in fitted.cell([one for one in tested if one.puzzle.k == k]).items():
                lookups.setdefault(name, {})[k] = share
    return Comparison(
        str(data.path),
        data.assume and str(data.assume),
        split,
        models,
        {name: plain(str(path)) for name, path in files.items()},
        lookups,
        trained,
    )


def table(comparison: Comparison) -> list[list[str]]:
    """The header, a row for each length, and one for all: accuracy with its interval, then the look-ups."""
    return [
        ["facts", "questions", *comparison.models, *comparison.lookups],
        *_rows(comparison),
    ]


def _rows(comparison: Comparison) -> Iterator[list[str]]:
    models, lookups = comparison.models.values(), comparison.lookups.values()
    for k in comparison.lengths:
        cells = [scores.lengths[k].text if k in scores.lengths else MISSING for scores in models]
        yield [str(k), f"{comparison.rows(k):,}", *cells, *(number(by.get(k)) for by in lookups)]
    rows = max(scores.total.rows for scores in models)
    yield ["all", f"{rows:,}", *(scores.total.text for scores in models), *("" for _ in lookups)]


def markdown(comparison: Comparison) -> str:
    header, *rows = table(comparison)
    lines = [header, ["---:"] * len(header), *rows]
    return "".join(f"| {' | '.join(text.replace('|', '¦') for text in line)} |\n" for line in lines)
