"""Read the records of an experiment, from one folder or from several of the same experiment.

    OUT/matrix.yaml              the experiment
    OUT/audit.json               look-up baselines, if the stories were audited
    OUT/cells/NAME/result.json   one finished training each

Cells without a record are missing. That is not an error: they may still be running.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from clutrr.errors import ConfigError, DataError, short
from clutrr.experiment.config import TrainConfig
from clutrr.experiment.matrix import Folder, Generated, Matrix, Source
from clutrr.experiment.matrix_file import MATRIX, load_matrix, matrix_content
from clutrr.files import read_json
from clutrr.report.beliefs import Learnt
from clutrr.report.results import Pair, Record, Results, Tested, key_of
from clutrr.storage import Where

# What may differ between folders: which part of the experiment each ran.
_OWN = ("about", "models", "seeds", "epochs", "batch", "learning_rate")


def load_results(folders: Sequence[Where]) -> Results:
    """The records of one folder, or of several together."""
    one, *others = [_load(folder) for folder in folders]
    for other in others:
        one = _merge(one, other)
    _check_stories(one)
    return one


def is_experiment(folder: Where) -> bool:
    """Whether the folder is that of a `clutrr reproduce`."""
    return (folder / MATRIX).exists()


def _load(folder: Where) -> Results:
    path = folder / MATRIX
    if not is_experiment(folder):
        raise DataError(f"{folder}: not the folder of an experiment (it has no {path.name})")
    try:
        matrix = load_matrix(path)
    except ConfigError as error:
        raise DataError(str(error)) from None
    files: list[Where] = [*folder.glob("cells/*/result.json")]
    records = [_record(path, matrix) for path in sorted(files, key=str)]
    lookups, verdicts = _audit(folder / "audit.json")
    by_key = {record.key: record for record in records}
    return Results((folder,), matrix, by_key, lookups, verdicts)


def _record(path: Where, matrix: Matrix) -> Record:
    content = _json(path)
    try:
        record = Record(
            content["cell"],
            content["model"],
            content["train"],
            int(content["seed"]),
            content["device"],
            dict(content["versions"]),
            content["data"]["sha256"],
            tuple(float(epoch["accuracy"]) for epoch in content["epochs"]),
            float(content["seconds"]),
            {subset: _tested(tested) for subset, tested in content["tested"].items()},
            Learnt.from_json(content["learnt"]) if "learnt" in content else None,
        )
        config = dict(content["config"])
        texts = record.name, record.model, record.train, record.device, record.stories
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("cell, model, train, device and sha256 are texts")
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise DataError(f"{path}: not the record of a training ({short(str(error), quote=False)})") from None
    wanted = {key_of(cell): cell for cell in matrix.cells()}
    if record.key not in wanted:
        every: tuple[tuple[str, Sequence[object]], ...] = (
            ("model", matrix.models),
            ("train", matrix.trained_on),
            ("seed", matrix.seeds),
        )
        differs = [name for name, known in every if getattr(record, name) not in known]
    else:
        asked = matrix.training(wanted[record.key]).to_json()
        differs = [name for name in asked if config.get(name) != asked[name]]
    if differs:
        raise DataError(f"{path}: does not belong to the matrix.yaml beside it: {', '.join(differs)} differ")
    return record


def _tested(content: Mapping[str, Any]) -> Tested:
    patterns = {pattern: (int(right), int(n)) for pattern, (right, n) in content["patterns"].items()}
    right, n = (sum(count[i] for count in patterns.values()) for i in range(2))
    if n != content["n"] or not 0 <= right <= n or not n:
        raise ValueError("its counts do not add up")
    return Tested(right, n, patterns)


def _audit(path: Where) -> tuple[dict[Pair, dict[str, float]], tuple[str, ...]]:
    if not path.exists():
        return {}, ()
    content = _json(path)
    try:
        lookups = {
            (cell["train"], cell["test"]): {
                name: float(value) for name, value in cell.items() if name not in ("train", "test")
            }
            for cell in content["matrix"]
        }
        return lookups, tuple(map(str, content["verdicts"]))
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise DataError(f"{path}: not what an audit writes ({short(str(error), quote=False)})") from None


def _json(path: Where) -> Any:
    try:
        return read_json(path)
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read: {' '.join(str(error).split())}") from None


def _merge(one: Results, other: Results) -> Results:
    """Both together; refused if they are of different experiments."""
    names = f"{one.folders[0]} and {other.folders[0]}"
    matrix = _merged(one.matrix, other.matrix, names)
    for key in sorted(one.records.keys() & other.records.keys()):
        if one.records[key].tested != other.records[key].tested:
            raise DataError(f"{names} both hold {one.records[key].name}, with different results: remove one")
    if one.lookups and other.lookups and one.lookups != other.lookups:
        raise DataError(f"{names} were tested on different stories: their audits differ")
    return Results(
        (*one.folders, *other.folders),
        matrix,
        {**other.records, **one.records},
        one.lookups or other.lookups,
        one.verdicts or other.verdicts,
    )


def _merged(one: Matrix, other: Matrix, names: str) -> Matrix:
    """The experiment of which each is a part: some of the models, some of the seeds."""
    here, there = matrix_content(_anywhere(one)), matrix_content(_anywhere(other))
    for name in here | there:
        if name not in _OWN and here.get(name) != there.get(name):
            what = _difference(name, here.get(name), there.get(name))
            raise DataError(f"{names} are different experiments: {what}")
    every: dict[tuple[str, tuple[int, ...]], TrainConfig] = {}
    for matrix in (one, other):
        for cell in matrix.cells():
            training = replace(matrix.training(cell), seed=0, encoder="")
            if every.setdefault((cell.model, cell.k), training) != training:
                first = every[cell.model, cell.k].to_json()
                name, value = next((n, v) for n, v in training.to_json().items() if v != first[n])
                raise DataError(f"{names} are different experiments: {name} is {first[name]} and {value}")
    by_model = {training.model: training for training in every.values()}
    return replace(
        one,
        models=tuple(by_model),
        seeds=tuple(sorted({*one.seeds, *other.seeds})),
        epochs=_by_model(by_model, "epochs"),
        batch=_by_model(by_model, "batch"),
        learning_rate=_by_model(by_model, "learning_rate"),
    )


def _by_model(trainings: Mapping[str, TrainConfig], name: str) -> Any:
    """A setting: one for all, or one for each model."""
    values = {model: getattr(training, name) for model, training in trainings.items()}
    return next(iter(values.values())) if len(set(values.values())) == 1 else values


def _anywhere(matrix: Matrix) -> Matrix:
    """The same, without where its files are."""

    def moved(source: Source) -> Source:
        if isinstance(source, Generated):
            return source if source.wording is None else replace(source, wording="files")
        return Folder("files", source.k)

    data, test = (tuple(map(moved, sources)) for sources in (matrix.data, matrix.test))
    return replace(matrix, data=data, test=test, encoder="")


def _difference(name: str, one: Any, other: Any) -> str:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        inner = next(key for key in (*one, *other) if one.get(key) != other.get(key))
        return _difference(f"{name}: {inner}", one.get(inner), other.get(inner))
    return f"{name} is {one} and {other}"


def _check_stories(results: Results) -> None:
    """Check that all were trained on the same stories of a subset, and tested on the same."""
    records = results.records.values()
    _alike("trained on", ((record.name, record.train, record.stories) for record in records))
    _alike(
        "tested on",
        (
            (record.name, subset, {pattern: n for pattern, (_, n) in tested.patterns.items()})
            for record in records
            for subset, tested in record.tested.items()
        ),
    )


def _alike(done: str, found: Iterable[tuple[str, str, object]]) -> None:
    seen: dict[str, tuple[str, object]] = {}
    for name, subset, stories in found:
        first, others = seen.setdefault(subset, (name, stories))
        if others != stories:
            raise DataError(f"{first} and {name} were {done} different stories of {subset}")
