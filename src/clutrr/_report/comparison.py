"""Several models' answers to one data set, scored side by side; and what needs no model."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from clutrr._audit.lookups import Fitted, Rules
from clutrr._audit.rows import Asked, asked_in
from clutrr._data import Dataset
from clutrr._data.part import UNSPLIT
from clutrr._report.experiment import ALL as ALL_ROWS
from clutrr._report.experiment import Experiment
from clutrr._report.subsets import length_row
from clutrr._score.paired import pair
from clutrr._score.predictions import Predictions, named, read_result
from clutrr._score.result import Outcomes
from clutrr._score.scoring import ALL, score_predictions
from clutrr.errors import plain


def compare(
    data: Dataset,
    models: Sequence[Predictions],
    split: str | None = None,
    steps: bool = False,
    command: str = "",
) -> Experiment:
    """Score the answers of each model, and compare any two on the questions that both answered.

    - steps: whether to judge the reasoning of replies too
    - command: to be recorded
    """
    return compare_all([(data, one) for one in models], split, steps, command)


def compare_all(
    models: Sequence[tuple[Dataset, Predictions]],
    split: str | None = None,
    steps: bool = False,
    command: str = "",
) -> Experiment:
    """Score the answers of each model to a data set of its own, and compare any two of them.

    Where the data sets differ, as in two languages, answers are compared on the questions of one id that ask the same.
    """
    names = named([one.path for _, one in models])
    by_path = {one.path: (data, one) for data, one in models}
    asked = {id(data): _asked(data, split) for data, _ in models} if _several(models) else {}
    results, outcomes = [], []
    for name, path in names.items():
        data, given = by_path[path]
        found = score_predictions(data, given, split, steps)
        made = read_result(path)  # how the model was trained, if the file knows
        training = None if made is None else made.training
        file = plain(str(path))
        results.append(replace(found, model=name, command=command, training=training, file=file))
        alike = asked.get(id(data))
        outcomes.append(
            found.outcomes if alike is None else _by_meaning(found.outcomes, alike, data)
        )
    pairs = {
        (results[one].model, results[other].model): pair(outcomes[one], outcomes[other])
        for one, other in combinations(range(len(results)), 2)
    }
    return Experiment(tuple(results), places=tuple(names.values()), pairs=pairs)


def _several(models: Sequence[tuple[Dataset, Predictions]]) -> bool:
    return len({id(data) for data, _ in models}) > 1


_Meant = tuple[
    Any, ...
]  # what a question asks, whatever the language: its world, pattern and target


def _asked(data: Dataset, split: str | None) -> dict[tuple[str, str], _Meant]:
    """Return what each question asks, by subset and id."""
    parallel = data.world.lexicon.parallel
    base = data.world.name if parallel is None else parallel.world
    number = {word: at for at, word in enumerate(data.world.relations)}
    found: dict[tuple[str, str], _Meant] = {}
    for part in data.parts():
        if split not in (None, ALL, part.split) and part.split is not None:
            continue
        columns = (part.table[name].to_pylist() for name in ("id", "pattern", "target", "k"))
        for one, pattern, target, k in zip(*columns, strict=True):
            found[part.subset, one] = base, str(pattern), number.get(target, target), k
    return found


def _by_meaning(
    outcomes: Outcomes, asked: Mapping[tuple[str, str], _Meant], data: Dataset
) -> Outcomes:
    """Return outcomes by what is asked, not by words: the labels that a question names are numbers."""
    number = {word: at for at, word in enumerate(data.world.relations)}
    return {
        (
            subset,
            one,
            (asked.get((subset, one)), form.form, *(number.get(r, r) for r in form.relations)),
        ): right
        for (subset, one, form), right in outcomes.items()
    }


def with_lookups(experiment: Experiment, data: Dataset) -> Experiment:
    """Return the same with what needs no model, fitted on the training rows of the data.

    Of the lengths that the models were trained on, if their records say it; else on all that there are.
    """
    split = experiment.questions["split"]
    known: Counter[Asked] = Counter()
    tested: dict[str, Counter[Asked]] = {}  # by row of the table
    several = len({part.split for part in data.parts()}) > 1 and split == ALL
    for part in data.parts():
        questions = Counter(asked_in(part.table, data.world))
        if part.split == "train":
            known += questions
        if split == ALL or part.split in (split, None):
            subset = f"{part.subset} {part.split or UNSPLIT}" if several else part.subset
            for one, times in questions.items():
                for row in (subset, length_row(one.k), ALL_ROWS):
                    tested.setdefault(row, Counter())[one] += times
    recorded = set(experiment.lengths_trained_on)
    known = Counter({one: n for one, n in known.items() if not recorded or one.k in recorded})
    if not known:
        return experiment
    fitted = Fitted("train", known, Rules(data.world))
    return replace(
        experiment,
        lookups={
            ("", row): fitted.cell(tested[row]) for row in experiment.tested_on if row in tested
        },
        fitted_on=tuple(sorted({one.k for one in known})),
    )
