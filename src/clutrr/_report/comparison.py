"""Several models' answers to one data set, scored side by side; and what needs no model."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from clutrr._audit.lookups import Fitted, Rules
from clutrr._audit.rows import Asked, asked_in
from clutrr._data import Dataset
from clutrr._data.part import UNSPLIT
from clutrr._report.experiment import ALL as ALL_ROWS
from clutrr._report.experiment import Experiment
from clutrr._report.subsets import length_row
from clutrr._score.paired import pair
from clutrr._score.predictions import Predictions, named, read_result
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
    names = named([one.path for one in models])
    by_path = {one.path: one for one in models}
    results = []
    for name, path in names.items():
        found = score_predictions(data, by_path[path], split, steps)
        made = read_result(path)  # how the model was trained, if the file knows
        training = None if made is None else made.training
        file = plain(str(path))
        results.append(replace(found, model=name, command=command, training=training, file=file))
    pairs = {
        (one.model, other.model): pair(one.outcomes, other.outcomes)
        for one, other in combinations(results, 2)
    }
    return Experiment(tuple(results), places=tuple(names.values()), pairs=pairs)


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
