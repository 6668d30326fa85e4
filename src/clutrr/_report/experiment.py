"""An experiment: results that belong together, and what follows from them, a table of entries.

They are the trainings of a matrix, or answers of several models side by side. The table of a matrix has the mean
over the seeds for each model, training set and subset tested on. Side by side, each model is a column.

The file of an experiment, `table.json` of its report, holds all of it but what each epoch and belief of a
matrix's trainings was:

    {"about": "Trained on short routes, tested on long ones.",
     "commands": ["clutrr reproduce OUT --matrix experiments/composer.yaml"],
     "settings": {...},
     "missing": [], "inputs": {...},
     "stories": {"trained on": {"M3": CHECKSUM}, "tested on": {"M4": CHECKSUM}},
     "lookups": [{"train": "M3", "test": "M4", "last relation": 61.2}, ...],
     "verdicts": ["M4: holds 1 pattern only."],
     "results": [{"model": "gnn", "train": "M3", "seed": 0, "tested": {"M4": {"rows": 9, "right": 8}}}, ...]}

Results that stand in the table of a matrix, but that it did not plan, are `others`. Side by side there are no settings,
but `fitted_on`, the lengths that the look-ups were fitted on, and `pairs`: any two models on the questions that
both answered.
"""

import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from clutrr import _paper as paper
from clutrr._display import Shown
from clutrr._io.limits import CELLS, RAISE, limit
from clutrr._io.locations import Location
from clutrr._measure import natural, wilson
from clutrr._report.subsets import length_row, series
from clutrr._score.paired import Paired, holm
from clutrr._score.result import Result, Score, model_name, training_name
from clutrr._train.learnt import Learnt
from clutrr._train.matrix import seeds_of, training_set, training_sets
from clutrr.errors import DataError, short

Pair = tuple[str, str]  # training set, and row tested on
Lookups = Mapping[Pair, Mapping[str, float]]  # by pair and by name, in percent
ALL = "all"  # the row of all questions together
_NEAR = (5, 10)  # points from the paper's figure that are counted


@dataclass(frozen=True)
class TableEntry:
    """A model trained on a training set and tested on a subset, or side by side on any row of the table.

    - seeds: the scores, by seed; none if no training is finished yet
    - paper: the figure of the paper, if it has one
    - best: whether no other model has more, to the decimal that is shown
    """

    model: str
    train: str
    test: str
    seeds: Mapping[int, Score] = field(default_factory=dict)
    paper: float | None = None
    best: bool = False

    @property
    def rows(self) -> int:
        """How many questions each seed answered."""
        return next((score.rows for score in self.seeds.values()), 0)

    @property
    def accuracy(self) -> float | None:
        """The mean over the seeds, in percent."""
        return (
            statistics.fmean(score.accuracy for score in self.seeds.values())
            if self.seeds
            else None
        )

    @property
    def spread(self) -> float | None:
        """The standard deviation over the seeds, if there are several."""
        several = len(self.seeds) > 1
        return (
            statistics.stdev(score.accuracy for score in self.seeds.values()) if several else None
        )

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 %, for the choice of the test stories: Wilson's, of the mean share over them."""
        mean = self.accuracy
        return None if mean is None else wilson(mean / 100 * self.rows, self.rows)

    @property
    def difference(self) -> float | None:
        """From the paper's figure, in points."""
        return None if self.accuracy is None or self.paper is None else self.accuracy - self.paper

    def to_json(self) -> dict[str, Any]:
        """The figures of an entry that has some."""
        return {
            "model": self.model,
            "train": self.train,
            "test": self.test,
            "seeds": len(self.seeds),
            "accuracy": _rounded(self.accuracy, 3),
            "spread": _rounded(self.spread, 3),
            "rows": self.rows,
            "right": {str(seed): score.right for seed, score in self.seeds.items()},
            "interval": [_rounded(bound, 2) for bound in self.interval or ()],
            **({} if self.paper is None else {"paper": float(self.paper)}),
        }


@dataclass(frozen=True, repr=False)
class Experiment(Shown):
    """Results that belong together: of the trainings of a matrix so far, in their order, or side by side.

    - settings: as the matrix has them, with everything spelt out; none if no matrix planned the results
    - lookups: what needs no model, in percent, by training set ("" side by side) and row tested on, by name
    - verdicts: what the audit says of the stories
    - inputs: checksums of the files that it is made from, by name
    - places: the folders or files that it was read from
    - pairs: any two models on the questions that both answered, by their names
    - fitted_on: side by side, the lengths of the training rows that the look-ups were fitted on
    """

    results: tuple[Result, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    lookups: Lookups = field(default_factory=dict)
    verdicts: tuple[str, ...] = ()
    inputs: Mapping[str, Any] = field(default_factory=dict)
    places: tuple[Location, ...] = ()
    pairs: Mapping[tuple[str, str], Paired] = field(default_factory=dict)
    fitted_on: tuple[int, ...] = ()

    @property
    def planned(self) -> bool:
        """Whether a matrix planned the results; if not, they stand side by side, each model by its name."""
        return bool(self.settings)

    @property
    def caption(self) -> str:
        if not self.planned:
            asked = (r.questions.get("set") or r.questions.get("data") for r in self.results)
            data = dict.fromkeys(str(one or "a data set") for one in asked)
            return f"Answers to {', '.join(data)}: accuracy in % and its 95 % interval"
        more = f" {len(self.missing)} trainings are missing." if self.missing else ""
        return f"{self.about or 'Test accuracy, %'}{more}"

    def rows(self) -> Iterator[list[str]]:
        if not self.planned:
            yield from self._rows_side_by_side()
            return
        yield ["model", "trained on", "seed", *self.tested_on]
        for result in self.results:
            tested = (result.tested.get(name) for name in self.tested_on)
            cells = ("" if one is None else f"{one.accuracy:.1f}" for one in tested)
            yield [result.model, result.key[1], str(result.key[2]), *cells]

    def _rows_side_by_side(self) -> Iterator[list[str]]:
        yield ["subset", "questions", *self.models]
        for test in self.tested_on:
            scores = [self._counted(result).get(test) for result in self.results]
            texts = ("\N{EN DASH}" if one is None else one.text for one in scores)
            yield [test, self.size("", test), *texts]

    @property
    def about(self) -> str:
        return str(self.settings.get("about", ""))

    @property
    def questions(self) -> Mapping[str, Any]:
        """What was asked: data, split, world and assumption."""
        return self.results[0].questions

    @cached_property
    def models(self) -> tuple[str, ...]:
        planned = map(model_name, _texts(self.settings.get("models", ())))
        return tuple(dict.fromkeys((*planned, *(result.model for result in self.results))))

    @cached_property
    def seeds(self) -> tuple[int, ...]:
        return seeds_of(self.settings.get("seeds", 1))

    @cached_property
    def trained_on(self) -> tuple[str, ...]:
        """The training sets, by name; side by side none is told from another, and the name is empty."""
        known = (self._place(result)[1] for result in self.results)
        return tuple(dict.fromkeys((*self._planned_sets(), *known)))

    def _planned_sets(self) -> list[str]:
        if not self.planned:
            return []
        sets = training_sets(self.settings["train"])
        return [training_set(k, style) for style in self.styles or ("",) for k in sets]

    @cached_property
    def tested_on(self) -> tuple[str, ...]:
        """The rows of the table: subsets that were tested on, or audited for it; before that, those that are
        trained on. Side by side also each length, if the subsets are no lengths, and all together."""
        if not self.planned:
            return (*self._subsets, *self._length_rows.values(), ALL)
        found = {*self._subsets, *(test for _, test in self.lookups)}
        return tuple(sorted(found, key=natural)) or self.trained_on

    @cached_property
    def _subsets(self) -> tuple[str, ...]:
        found = {subset for result in self.results for subset in result.tested}
        return tuple(sorted(found, key=natural))

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """The numbers of facts by which answers were counted."""
        return tuple(sorted({k for result in self.results for k in result.lengths}))

    @cached_property
    def _length_rows(self) -> Mapping[int, str]:
        """The names of the rows for each length; none if the subsets are the same."""
        groups = list(series(self._subsets).values())
        same = len(groups) == 1 and all(
            result.lengths.get(k) == result.tested.get(subset)
            for result in self.results
            if result.lengths
            for k, subset in groups[0].items()
        )
        return {} if same else {k: length_row(k) for k in self.lengths}

    def by_length(self) -> dict[str, dict[int, str]]:
        """Return the rows by the number of facts, for each style or kind of noise ("" if there is only one)."""
        if self._length_rows:
            return {"": dict(self._length_rows)}
        return series(self.tested_on if self.planned else self._subsets)

    @property
    def lengths_trained_on(self) -> tuple[int, ...]:
        """Side by side, the lengths that look-ups were fitted on, or else that any model was trained on."""
        trainings = [result.training for result in self.results if result.training]
        recorded = {k for training in trainings for k in training.config.get("k", ())}
        return self.fitted_on or tuple(sorted(recorded))

    @property
    def styles(self) -> tuple[str, ...]:
        """The ways to tell the stories, by name, if there are several."""
        return tuple(_texts(self.settings.get("styles", ())))

    @property
    def presets(self) -> list[str]:
        """The presets of the stories trained on; none if they are those of a folder."""
        data = self.settings.get("data")
        sources = data if isinstance(data, list) else [data]
        return [str(source.get("preset")) for source in sources if isinstance(source, Mapping)]

    @cached_property
    def missing(self) -> list[str]:
        """The names of the trainings that are still to come."""
        there = {result.key for result in self.results}
        return [training_name(*key) for key in self.trainings() if key not in there]

    def trainings(self) -> Iterator[tuple[str, str, int]]:
        """Yield the model, the training set and the seed of every training that the matrix plans."""
        models = [model_name(name) for name in _texts(self.settings.get("models", ()))]
        sets = self._planned_sets()
        for seed in self.seeds:
            for model in models:
                for train in sets:
                    yield model, train, seed

    @cached_property
    def _of_matrix(self) -> tuple[Result, ...]:
        planned = set(self.trainings())
        return tuple(result for result in self.results if result.key in planned)

    @property
    def _others(self) -> tuple[Result, ...]:
        """The results that no matrix planned."""
        planned = {result.key for result in self._of_matrix}
        return tuple(result for result in self.results if result.key not in planned)

    @property
    def commands(self) -> list[str]:
        """What was run, as it was typed, after what made the data."""
        prepare = _texts(self.settings.get("prepare", ()))
        return list(dict.fromkeys((*prepare, *(r.command for r in self.results if r.command))))

    def _place(self, result: Result) -> tuple[str, str, int]:
        """Where a result is in the table: its model, its training set, and its seed."""
        return result.key if self.planned else (result.model, "", 0)

    def _counted(self, result: Result) -> Mapping[str, Score]:
        """The scores of a result by the rows of the table."""
        if self.planned:
            return result.tested
        lengths = {
            row: result.lengths[k] for k, row in self._length_rows.items() if k in result.lengths
        }
        return {**result.tested, **lengths, ALL: result.total}

    @cached_property
    def entries(self) -> Mapping[tuple[str, str, str], TableEntry]:
        """An entry for each model, training set and row, whether its trainings are finished or not."""
        if (in_all := len(self.models) * len(self.trained_on) * len(self.tested_on)) > limit(CELLS):
            where = self.places[0] if self.places else ""
            raise DataError(
                f"a table of {in_all:,} cells, more than {limit(CELLS):,}", place=where, hint=RAISE
            )
        scores: dict[tuple[str, str, str], dict[int, Score]] = {}
        for result in self.results:
            model, train, seed = self._place(result)
            for test, score in self._counted(result).items():
                scores.setdefault((model, train, test), {})[seed] = score
        tested = {(train, test) for _, train, test in scores} | set(self.lookups)
        comparable = set(self.presets) == {paper.PRESET}
        found: dict[tuple[str, str, str], TableEntry] = {}
        for pair in ((train, test) for train in self.trained_on for test in self.tested_on):
            if pair in tested or not self.styles:  # a model is not tested on every style
                column = [
                    TableEntry(
                        *key,
                        dict(sorted(scores.get(key, {}).items())),
                        paper.accuracy(*key) if comparable else None,
                    )
                    for key in ((model, *pair) for model in self.models)
                ]
                found |= {(one.model, *pair): one for one in _with_best(column)}
        return found

    def entry(self, model: str, train: str, test: str) -> TableEntry:
        return self.entries.get((model, train, test)) or TableEntry(model, train, test)

    @cached_property
    def combinations(self) -> tuple[Pair, ...]:
        """Training sets with the rows that they are tested on."""
        return tuple(dict.fromkeys((train, test) for _, train, test in self.entries))

    def size(self, train: str, test: str) -> str:
        """Return how many questions a row has; models need not have answered as many each."""
        rows = [self.entry(model, train, test).rows for model in self.models]
        known = sorted({count for count in rows if count})
        return " to ".join(f"{count:,}" for count in dict.fromkeys((*known[:1], *known[-1:])))

    @property
    def lookup_names(self) -> tuple[str, ...]:
        """The names of the look-ups and ceilings."""
        return tuple(
            dict.fromkeys(name for pair in self.combinations for name in self.lookups.get(pair, ()))
        )

    def lookups_by_length(
        self, train: str, tests: Mapping[int, str]
    ) -> dict[str, dict[int, float]]:
        """Return what needs no model by name and length. tests: the rows, by length."""
        shares = {k: self.lookups.get((train, test), {}) for k, test in tests.items()}
        return {
            name: {k: by_name[name] for k, by_name in shares.items() if name in by_name}
            for name in self.lookup_names
        }

    @property
    def compared(self) -> bool:
        """Whether some entry has a figure of the paper beside it."""
        return any(entry.paper is not None for entry in self.entries.values())

    @property
    def near(self) -> str:
        """How near the paper's figures are; "" if there are none."""
        differences = [
            entry.difference for entry in self.entries.values() if entry.difference is not None
        ]
        gaps = [
            round(abs(difference), 6) for difference in differences
        ]  # 48.6 is within 5 points of 43.6
        counts = " and ".join(
            f"{sum(gap <= points for gap in gaps)} within {points}" for points in _NEAR
        )
        return f"Of {len(gaps)} cells there are {counts} points of the paper's." if gaps else ""

    def composers(self) -> Iterator[tuple[Result, Learnt]]:
        """For each composer and training set, the result of the first seed, with what it believes."""
        seen = set()
        for result in self.results:
            if result.learnt is not None and result.key[:2] not in seen:
                seen.add(result.key[:2])
                yield result, Learnt.from_json(result.learnt)

    def to_json(self) -> dict[str, Any]:
        """The content of its file."""
        trained_on = {r.training.on: r.training.sha256 for r in self.results if r.training}
        tested_on = {name: score.sha256 for r in self.results for name, score in r.tested.items()}
        own, others = (self._of_matrix, self._others) if self.planned else (self.results, ())
        content: dict[str, Any] = {
            "about": self.about,
            "commands": self.commands,
            "settings": dict(self.settings),
            "missing": self.missing,
            "inputs": {name: self.inputs[name] for name in sorted(self.inputs)},
            "stories": {
                "trained on": {
                    name: trained_on[name] for name in self.trained_on if trained_on.get(name)
                },
                "tested on": {
                    name: tested_on[name] for name in self.tested_on if tested_on.get(name)
                },
            },
            "lookups": [
                {"train": train, "test": test, **self.lookups[train, test]}
                for train in self.trained_on
                for test in self.tested_on
                if (train, test) in self.lookups
            ],
            "verdicts": list(self.verdicts),
            # A matrix has many trainings, and a line for each: its settings say the rest.
            "results": [result.to_json(brief=self.planned) for result in own],
        }
        if others:
            content["others"] = [result.to_json() for result in others]
        if self.fitted_on:
            content["fitted_on"] = list(self.fitted_on)
        if self.pairs:
            corrected = holm([one.p for one in self.pairs.values()])
            content["pairs"] = [
                {"models": list(names), **one.to_json(), "p_corrected": p}
                for (names, one), p in zip(self.pairs.items(), corrected, strict=True)
            ]
        return content

    def to_text(self) -> str:
        """Its file: a line for each entry of its parts, so that changes can be seen."""
        return _lines(self.to_json(), 2) + "\n"


def _with_best(column: Sequence[TableEntry]) -> list[TableEntry]:
    """The entries of all models for one pair, with the best of them marked."""
    shown = [_rounded(entry.accuracy, 1) for entry in column]
    top = max((value for value in shown if value is not None), default=0.0)
    return [
        replace(entry, best=value is not None and value == top > 0)
        for entry, value in zip(column, shown, strict=True)
    ]


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def _texts(values: Any) -> list[str]:
    found = list(values)
    if isinstance(values, str) or not all(isinstance(one, str) for one in found):
        raise TypeError(f"{short(values)} is not a list of words")
    return found


def _lines(value: Any, levels: int, indent: str = "\n") -> str:
    """Return a value as JSON, with a line for each entry down to this many levels."""
    if not levels or not value or not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    inner = f"{indent} "
    if isinstance(value, list):
        entries = [_lines(entry, levels - 1, inner) for entry in value]
        return f"[{inner}{f',{inner}'.join(entries)}{indent}]"
    entries = [
        f"{_lines(name, 0)}: {_lines(entry, levels - 1, inner)}" for name, entry in value.items()
    ]
    return f"{{{inner}{f',{inner}'.join(entries)}{indent}}}"
