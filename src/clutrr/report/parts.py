"""Whether two results are parts of one experiment, run on two machines or at two times; and which one."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from clutrr.errors import DataError, short
from clutrr.experiment.config import TrainConfig
from clutrr.experiment.matrix import Matrix
from clutrr.experiment.matrix_file import matrix_content
from clutrr.experiment.named import anywhere, as_named

K = TypeVar("K")

# What may differ: which part of the experiment each ran.
_OWN = ("about", "prepare", "models", "seeds", "epochs", "batch", "learning_rate")


def joined_matrix(one: Matrix, other: Matrix, names: str) -> Matrix:
    """The experiment of which each is a part: some of the models, some of the seeds. names: of the two, for
    the error if they are parts of different ones."""
    check_experiment(one, other, names)
    every: dict[tuple[str, tuple[int, ...]], TrainConfig] = {}
    for matrix in (one, other):
        for cell in matrix.cells():
            training = replace(matrix.training(cell), seed=0, encoder="")
            if every.setdefault((cell.model, cell.k), training) != training:
                first = every[cell.model, cell.k].to_json()
                name, value = next((n, v) for n, v in training.to_json().items() if v != first[n])
                raise DataError(f"{names} are different experiments: {name} is {first[name]} and {value}")
    by_model = {training.model: training for training in every.values()}
    whole = replace(
        one,
        models=tuple(by_model),
        seeds=tuple(sorted({*one.seeds, *other.seeds})),
        epochs=_by_model(by_model, "epochs"),
        batch=_by_model(by_model, "batch"),
        learning_rate=_by_model(by_model, "learning_rate"),
    )
    return as_named(whole)


def check_experiment(one: Matrix, other: Matrix, names: str) -> None:
    """Refuse what differs in more than models, seeds and how each model is trained."""
    here, there = matrix_content(anywhere(one)), matrix_content(anywhere(other))
    for name in here | there:
        if name not in _OWN and here.get(name) != there.get(name):
            what = _difference(name, here.get(name), there.get(name))
            raise DataError(f"{names} are different experiments: {what}")


def check_same(one: Mapping[K, object], other: Mapping[K, object], error: Callable[[K], str]) -> None:
    """Refuse what both know and know differently. error: what to say of it, by its name."""
    for name in one:
        if name in other and one[name] != other[name]:
            raise DataError(error(name))


def _by_model(trainings: Mapping[str, TrainConfig], name: str) -> Any:
    """A setting: one for all, or one for each model."""
    values = {model: getattr(training, name) for model, training in trainings.items()}
    return next(iter(values.values())) if len(set(values.values())) == 1 else values


def _difference(name: str, one: Any, other: Any) -> str:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        inner = next(key for key in (*one, *other) if one.get(key) != other.get(key))
        return _difference(f"{name}: {inner}", one.get(inner), other.get(inner))
    return f"{name} is {_said(one)} and {_said(other)}"


def _said(value: Any) -> str:
    """A setting as an error names it."""
    if isinstance(value, list) and any(isinstance(each, Mapping) for each in value):
        return f"a list of {len(value)} data sets"
    return "one data set" if isinstance(value, Mapping) else short(value, quote=False)
