"""Read the records of an experiment, from one folder or from several of the same experiment.

    OUT/matrix.yaml              the experiment
    OUT/inputs.json              checksums of the files it is made from
    OUT/audit.json               look-up baselines, if the stories were audited
    OUT/cells/NAME/result.json   one finished training each

Cells without a record are missing. That is not an error: they may still be running.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from clutrr.errors import ConfigError, DataError
from clutrr.experiment.matrix import Matrix, distinct
from clutrr.experiment.matrix_file import CONTENT_OF, INPUTS, MATRIX, load_matrix
from clutrr.files import load_json
from clutrr.report.beliefs import Learnt
from clutrr.report.grid import Pair
from clutrr.report.parts import check_same, joined_matrix
from clutrr.report.result_file import read_content, read_lookups, reading
from clutrr.report.results import Record, Results, Tested, key_of
from clutrr.storage import Where


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
    return Results((folder,), matrix, by_key, lookups, verdicts, _inputs(folder / INPUTS))


def _inputs(path: Where) -> dict[str, Any]:
    """By the names of the files; where they are differs from machine to machine."""
    content = load_json(path)
    names = distinct([PurePath(name.removeprefix(CONTENT_OF)).name for name in content])
    return dict(zip(names, content.values(), strict=True))


def _record(path: Where, matrix: Matrix) -> Record:
    content = read_content(path)
    with reading(path, "the record of a training"):
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
    return Tested(right, n, patterns, str(content.get("sha256", "")))


def _audit(path: Where) -> tuple[dict[Pair, dict[str, float]], tuple[str, ...]]:
    if not path.exists():
        return {}, ()
    content = read_content(path)
    with reading(path, "what an audit writes"):
        return read_lookups(content["matrix"]), tuple(map(str, content["verdicts"]))


def _merge(one: Results, other: Results) -> Results:
    """Both together; refused if they are of different experiments."""
    names = f"{one.folders[0]} and {other.folders[0]}"
    matrix = joined_matrix(one.matrix, other.matrix, names)
    for key in sorted(one.records.keys() & other.records.keys()):
        if one.records[key].tested != other.records[key].tested:
            raise DataError(f"{names} both hold {one.records[key].name}, with different results: remove one")
    if one.lookups and other.lookups and one.lookups != other.lookups:
        raise DataError(f"{names} were tested on different stories: their audits differ")
    check_same(one.inputs, other.inputs, lambda name: f"{names} are made from different files: {name}")
    return Results(
        (*one.folders, *other.folders),
        matrix,
        {**other.records, **one.records},
        one.lookups or other.lookups,
        one.verdicts or other.verdicts,
        {**other.inputs, **one.inputs},
    )


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
    _alike(
        "tested on",
        (
            (record.name, subset, tested.stories)
            for record in records
            for subset, tested in record.tested.items()
            if tested.stories
        ),
    )


def _alike(done: str, found: Iterable[tuple[str, str, object]]) -> None:
    seen: dict[str, tuple[str, object]] = {}
    for name, subset, stories in found:
        first, others = seen.setdefault(subset, (name, stories))
        if others != stories:
            raise DataError(f"{first} and {name} were {done} different stories of {subset}")
