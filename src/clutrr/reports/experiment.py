"""An experiment as its settings and its results, and what follows from them: a table of entries.

The table has the mean over the seeds for each model, training set and subset tested on. The file of an
experiment, `table.json` of its report, holds all of it but what each epoch and belief was:

    {"about": "Trained on short routes, tested on long ones.",
     "commands": ["clutrr reproduce OUT --matrix composer"],
     "settings": {...},
     "missing": [], "inputs": {...},
     "stories": {"trained on": {"M3": CHECKSUM}, "tested on": {"M4": CHECKSUM}},
     "lookups": [{"train": "M3", "test": "M4", "last relation": 61.2}, ...],
     "results": [{"model": "gnn", "train": "M3", "seed": 0, "tested": {"M4": {"rows": 9, "right": 8}}}, ...]}
"""

import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from clutrr import paper
from clutrr.errors import DataError, short
from clutrr.experiment.learnt import Learnt
from clutrr.experiment.matrix import seeds_of, training_set, training_sets
from clutrr.files import Where
from clutrr.limits import CELLS, RAISE, limit
from clutrr.measure import natural, wilson
from clutrr.scoring.result import Result, Score, model_name, training_name
from clutrr.shown import Shown

Pair = tuple[str, str]  # training set, and subset tested on
Lookups = Mapping[Pair, Mapping[str, float]]  # by pair and by name, in percent
_NEAR = (5, 10)  # points from the paper's figure that are counted


@dataclass(frozen=True)
class TableEntry:
    """A model trained on a training set and tested on a subset.

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
        return statistics.fmean(score.accuracy for score in self.seeds.values()) if self.seeds else None

    @property
    def spread(self) -> float | None:
        """The standard deviation over the seeds, if there are several."""
        several = len(self.seeds) > 1
        return statistics.stdev(score.accuracy for score in self.seeds.values()) if several else None

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
    """The settings of an experiment, and the results that are there so far, in the order of its trainings.

    - settings: as its matrix has them, with everything spelt out
    - lookups: what needs no model, by training set and subset, by name
    - verdicts: what the audit says of the stories
    - inputs: checksums of the files that it is made from, by name
    - places: the folders or files that it was read from
    """

    settings: Mapping[str, Any]
    results: tuple[Result, ...]
    lookups: Lookups
    verdicts: tuple[str, ...]
    inputs: Mapping[str, Any]
    places: tuple[Where, ...]

    @property
    def caption(self) -> str:
        more = f" {len(self.missing)} trainings are missing." if self.missing else ""
        return f"{self.about or 'Test accuracy, %'}{more}"

    def rows(self) -> Iterator[list[str]]:
        yield ["model", "trained on", "seed", *self.tested_on]
        for result in self.results:
            tested = (result.tested.get(name) for name in self.tested_on)
            cells = ("" if one is None else f"{one.accuracy:.1f}" for one in tested)
            yield [result.model, result.key[1], str(result.key[2]), *cells]

    @property
    def about(self) -> str:
        return str(self.settings.get("about", ""))

    @cached_property
    def models(self) -> tuple[str, ...]:
        return tuple(map(model_name, _texts(self.settings["models"])))

    @cached_property
    def seeds(self) -> tuple[int, ...]:
        return seeds_of(self.settings.get("seeds", 1))

    @cached_property
    def trained_on(self) -> tuple[str, ...]:
        """The training sets, by name."""
        sets = training_sets(self.settings["train"])
        return tuple(training_set(k, style) for style in self.styles or ("",) for k in sets)

    @cached_property
    def tested_on(self) -> tuple[str, ...]:
        """The subsets that were tested on, or audited for it; before that, those that are trained on."""
        found = {subset for result in self.results for subset in result.tested}
        found |= {test for _, test in self.lookups}
        return tuple(sorted(found, key=natural)) or self.trained_on

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
        """Yield the model, the training set and the seed of every training."""
        for seed in self.seeds:
            for model in self.models:
                for train in self.trained_on:
                    yield model, train, seed

    @property
    def commands(self) -> list[str]:
        """What was run, as it was typed, after what made the data."""
        prepare = _texts(self.settings.get("prepare", ()))
        return list(dict.fromkeys((*prepare, *(r.command for r in self.results if r.command))))

    @cached_property
    def entries(self) -> Mapping[tuple[str, str, str], TableEntry]:
        """An entry for each model and pair, whether its trainings are finished or not."""
        if (in_all := len(self.models) * len(self.trained_on) * len(self.tested_on)) > limit(CELLS):
            where = self.places[0]
            raise DataError(f"{where}: a table of {in_all:,} cells, more than {limit(CELLS):,}: {RAISE}")
        scores: dict[tuple[str, str, str], dict[int, Score]] = {}
        for result in self.results:
            model, train, seed = result.key
            for test, score in result.tested.items():
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

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Training sets with the subsets that they are tested on."""
        return tuple(dict.fromkeys((train, test) for _, train, test in self.entries))

    @property
    def lookup_names(self) -> tuple[str, ...]:
        """The names of the look-ups and ceilings."""
        return tuple(dict.fromkeys(name for pair in self.pairs for name in self.lookups.get(pair, ())))

    @property
    def compared(self) -> bool:
        """Whether some entry has a figure of the paper beside it."""
        return any(entry.paper is not None for entry in self.entries.values())

    @property
    def near(self) -> str:
        """How near the paper's figures are; "" if there are none."""
        differences = [entry.difference for entry in self.entries.values() if entry.difference is not None]
        gaps = [round(abs(difference), 6) for difference in differences]  # 48.6 is within 5 points of 43.6
        counts = " and ".join(f"{sum(gap <= points for gap in gaps)} within {points}" for points in _NEAR)
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
        return {
            "about": self.about,
            "commands": self.commands,
            "settings": dict(self.settings),
            "missing": self.missing,
            "inputs": {name: self.inputs[name] for name in sorted(self.inputs)},
            "stories": {
                "trained on": {name: trained_on[name] for name in self.trained_on if trained_on.get(name)},
                "tested on": {name: tested_on[name] for name in self.tested_on if tested_on.get(name)},
            },
            "lookups": [
                {"train": train, "test": test, **self.lookups[train, test]}
                for train in self.trained_on
                for test in self.tested_on
                if (train, test) in self.lookups
            ],
            "verdicts": list(self.verdicts),
            "results": [result.to_json(brief=True) for result in self.results],
        }

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
    entries = [f"{_lines(name, 0)}: {_lines(entry, levels - 1, inner)}" for name, entry in value.items()]
    return f"{{{inner}{f',{inner}'.join(entries)}{indent}}}"
