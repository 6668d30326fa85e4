"""An experiment as a list of results, from its folder, from several folders, or from its file.

    OUT/matrix.yaml              what it is
    OUT/inputs.json              checksums of the files it is made from
    OUT/audit.json               look-ups and ceilings, if the stories were audited
    OUT/cells/NAME/result.json   a finished training each (see `scoring.result`)

Trainings without a result are missing. That is not an error: they may still be running. The file of an
experiment, `table.json` of its report, holds all of it but what each pattern, epoch and belief was:

    {"about": "Trained on short routes, tested on long ones.",
     "commands": ["clutrr reproduce OUT --matrix composer"],
     "settings": {...},
     "missing": [], "inputs": {...},
     "stories": {"trained on": {"M3": CHECKSUM}, "tested on": {"M4": CHECKSUM}},
     "lookups": [{"train": "M3", "test": "M4", "last relation": 61.2}, ...],
     "results": [{"model": "gnn", "train": "M3", "seed": 0, "tested": {"M4": {"rows": 9, "right": 8}}}, ...]}

Files and folders of version 0.2 are read too.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from clutrr import paper
from clutrr.errors import ConfigError, DataError, short
from clutrr.experiment.learnt import Learnt
from clutrr.experiment.matrix import (
    CONTENT_OF,
    INPUTS,
    MATRIX,
    Cell,
    Matrix,
    distinct,
    find_matrix,
    load_matrix,
    matrix_content,
    matrix_of,
)
from clutrr.files import Where, load_json, read_json
from clutrr.measure import natural
from clutrr.scoring.result import Result

Pair = tuple[str, str]  # training set, and subset tested on
Lookups = Mapping[Pair, Mapping[str, float]]  # by pair and by name, in percent

# What may differ in parts of one experiment: which of its trainings each ran.
_BY_MODEL = ("epochs", "batch", "learning_rate")
_OWN = ("about", "prepare", "models", "seeds", *_BY_MODEL)


@dataclass(frozen=True)
class Experiment:
    """A matrix and the results that are there so far, in the order of its cells.

    - lookups: what needs no model, by training set and subset, by name
    - verdicts: what the audit says of the stories
    - inputs: checksums of the files that it is made from, by name
    - places: the folders or files that it was read from
    """

    matrix: Matrix
    results: tuple[Result, ...]
    lookups: Lookups
    verdicts: tuple[str, ...]
    inputs: Mapping[str, Any]
    places: tuple[Where, ...]

    @property
    def models(self) -> tuple[str, ...]:
        return self.matrix.models

    @property
    def seeds(self) -> int:
        return len(self.matrix.seeds)

    @property
    def trained_on(self) -> tuple[str, ...]:
        return self.matrix.trained_on

    @property
    def tested_on(self) -> tuple[str, ...]:
        """The subsets of the matrix, and further ones that given files have."""
        found = {subset for result in self.results for subset in result.tested}
        return tuple(sorted(found | set(self.matrix.tested_on), key=natural)) or self.trained_on

    @property
    def comparable(self) -> bool:
        """Whether the paper has figures for stories of this kind."""
        return self.matrix.presets == {paper.PRESET}

    @property
    def missing(self) -> list[Cell]:
        """The trainings that are still to come."""
        there = {result.key for result in self.results}
        return [cell for cell in self.matrix.cells() if cell.key not in there]

    @property
    def reduced(self) -> list[str]:
        """What is smaller than in the experiment at the paper's sizes, in words."""
        return self.matrix.smaller_than(find_matrix("builtin:full"))

    @property
    def commands(self) -> list[str]:
        """What was run, as it was typed, after what makes the data."""
        return list(dict.fromkeys((*self.matrix.prepare, *(r.command for r in self.results if r.command))))

    def of(self, model: str, train: str) -> list[Result]:
        """The results of a model trained on a training set, by seed."""
        return [result for result in self.results if result.key[:2] == (model, train)]

    def composers(self) -> Iterator[tuple[Result, Learnt]]:
        """For each composer and training set, the result of the first seed, with what it believes."""
        for model in self.models:
            for train in self.trained_on:
                found = (r for r in self.of(model, train) if r.learnt is not None)
                for result in list(found)[:1]:
                    yield result, Learnt.from_json(result.learnt or {})

    def to_json(self) -> dict[str, Any]:
        """The content of its file."""
        trained_on = {r.training.on: r.training.sha256 for r in self.results if r.training}
        tested_on = {name: score.sha256 for r in self.results for name, score in r.tested.items()}
        return {
            "about": self.matrix.about,
            "commands": self.commands,
            "settings": matrix_content(self.matrix),
            "missing": [cell.name for cell in self.missing],
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


# Reading


def load_experiment(*paths: Where) -> Experiment:
    """Return the experiment of a folder or of a file; or of several, which hold parts of the same one."""
    parts = [_of_folder(path) if path.is_dir() else _of_file(path) for path in paths]
    whole = parts[0]
    for part in parts[1:]:
        whole = _joined(whole, part)
    _check_agreement(parts)
    return whole


def _of_folder(folder: Where) -> Experiment:
    path = folder / MATRIX
    if not path.exists():
        raise DataError(f"{folder}: not the folder of an experiment (it has no {MATRIX})")
    try:
        matrix = load_matrix(path)
    except ConfigError as error:
        raise DataError(str(error)) from None
    files: list[Where] = [*folder.glob("cells/*/result.json")]
    results = [_result(file, matrix) for file in sorted(files, key=str)]
    lookups, verdicts = _audit(folder / "audit.json")
    inputs = load_json(folder / INPUTS)
    # By name: where the files are differs from machine to machine.
    names = distinct([PurePath(name.removeprefix(CONTENT_OF)).name for name in inputs])
    known = dict(zip(names, inputs.values(), strict=True))
    return Experiment(matrix, _in_order(matrix, results), lookups, verdicts, known, (folder,))


def _result(path: Where, matrix: Matrix) -> Result:
    content = _content(path)
    with _reading(path, "the result of a training"):
        result = Result.from_json(content)
        if result.training is None or not result.tested:
            raise ValueError("nothing was trained or tested")
        if result.learnt is not None:
            Learnt.from_json(result.learnt)
    if differs := _foreign(result, matrix):
        raise DataError(f"{path}: does not belong to the matrix.yaml beside it: {', '.join(differs)} differ")
    return result


def _foreign(result: Result, matrix: Matrix) -> list[str]:
    """Return what is not as the matrix has it, in words."""
    cells = {cell.key: cell for cell in matrix.cells()}
    if result.key not in cells:
        known = {"model": matrix.models, "train": matrix.trained_on, "seed": matrix.seeds}
        return [
            name
            for (name, values), value in zip(known.items(), result.key, strict=True)
            if value not in values
        ]
    asked, given = matrix.training(cells[result.key]).to_json(), result.training and result.training.config
    return [name for name in asked if given and given.get(name) != asked[name]]


def _of_file(path: Where) -> Experiment:
    content = _content(path)
    with _reading(path, "the file of an experiment"):
        try:
            matrix = matrix_of(content["settings"])
        except ConfigError as error:
            raise DataError(f"{path}: settings: {error}") from None
        results = _results(content)
        for result in results:
            if differs := _foreign(result, matrix):
                raise ValueError(f"{result.name} is not of its settings: {', '.join(differs)} differ")
        if len({result.key for result in results}) < len(results):
            raise ValueError("one of its results is there twice")
        return Experiment(
            matrix,
            _in_order(matrix, results),
            _lookups(content["lookups"]),
            tuple(map(str, content.get("verdicts", ()))),
            dict(content["inputs"]),
            (path,),
        )


def _results(content: Mapping[str, Any]) -> list[Result]:
    stories = content["stories"]
    if "results" in content:
        return [Result.from_json(result, stories) for result in content["results"]]
    # Version 0.2: right answers by seed in a cell each, and which trainings were made how.
    made = {name: how for how in content["made"] for name in how["trainings"]}
    rows: dict[tuple[str, str, int], dict[str, Any]] = {}
    for cell in content["cells"]:
        for seed, right in cell["right"].items():
            tested = rows.setdefault((cell["model"], cell["train"], int(seed)), {})
            tested[cell["test"]] = {"rows": cell["stories"], "right": right}
    command = str(content["commands"][-1])
    found = []
    for (model, train, seed), tested in rows.items():
        plain = {"model": model, "train": train, "seed": seed, "command": command, "tested": tested}
        result = Result.from_json(plain, stories)
        how = made.get(result.name, {"device": "", "versions": {}})
        found.append(
            Result.from_json({**plain, "device": how["device"], "versions": how["versions"]}, stories)
        )
    return found


def _in_order(matrix: Matrix, results: Iterable[Result]) -> tuple[Result, ...]:
    found = {result.key: result for result in results}
    return tuple(found[cell.key] for cell in matrix.cells() if cell.key in found)


def _audit(path: Where) -> tuple[Lookups, tuple[str, ...]]:
    if not path.exists():
        return {}, ()
    content = _content(path)
    with _reading(path, "what an audit writes"):
        return _lookups(content["matrix"]), tuple(map(str, content["verdicts"]))


def _lookups(content: Iterable[Mapping[str, Any]]) -> Lookups:
    return {
        (str(pair["train"]), str(pair["test"])): {
            str(key): float(value) for key, value in pair.items() if key not in ("train", "test")
        }
        for pair in content
    }


def _content(path: Where) -> Any:
    try:
        return read_json(path)
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise DataError(f"{path}: cannot be read: {' '.join(str(error).split())}") from None


@contextmanager
def _reading(path: Where, what: str) -> Iterator[None]:
    """One line for whatever is wrong with the content of a file."""
    try:
        yield
    except KeyError as error:
        raise DataError(f"{path}: not {what} (it has no {short(str(error.args[0]), quote=False)})") from None
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise DataError(f"{path}: not {what} ({short(str(error), quote=False)})") from None


# Joining


def _joined(one: Experiment, other: Experiment) -> Experiment:
    """Return both together; refused if they are of different experiments."""
    matrix = _joined_matrix(one.matrix, other.matrix, f"{one.places[0]} and {other.places[0]}")
    return Experiment(
        matrix,
        _in_order(matrix, (*other.results, *one.results)),
        {**other.lookups, **one.lookups},
        one.verdicts or other.verdicts,
        {**other.inputs, **one.inputs},
        (*one.places, *other.places),
    )


def _joined_matrix(one: Matrix, other: Matrix, names: str) -> Matrix:
    """Return the matrix of which each is a part: some of the models, some of the seeds."""
    trainings: dict[str, dict[str, Any]] = {}
    here, there = (
        {name: value for name, value in matrix_content(matrix.anywhere()).items() if name not in _OWN}
        for matrix in (one, other)
    )
    difference = _difference(here, there)
    for matrix in (one, other):
        for model in matrix.models:
            training = matrix.training(Cell(model, matrix.train[0], 0))
            settings = {name: getattr(training, name) for name in _BY_MODEL}
            difference = difference or _difference(trainings.setdefault(model, settings), settings)
    if difference:
        raise DataError(f"{names} are different experiments: {difference}")
    by_model: dict[str, Any] = {}
    for name in _BY_MODEL:
        values = {model: settings[name] for model, settings in trainings.items()}
        alike = len(set(values.values())) == 1
        by_model[name] = values[one.models[0]] if alike else values
    return replace(
        one,
        models=tuple(trainings),
        seeds=tuple(sorted({*one.seeds, *other.seeds})),
        settings={**one.settings, **by_model},
    )


def _difference(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """Return the first setting that differs, with both values; "" if there is none."""
    for name in (*one, *other):
        here, there = one.get(name), other.get(name)
        if isinstance(here, Mapping) and isinstance(there, Mapping):
            if inner := _difference(here, there):
                return f"{name}: {inner}"
        elif here != there:
            return f"{name} is {short(here, quote=False)} and {short(there, quote=False)}"
    return ""


def _check_agreement(parts: Iterable[Experiment]) -> None:
    """Refuse what several know and know differently."""
    seen: dict[tuple[str, str], tuple[str, object]] = {}
    for part in parts:
        for who, what, error, value in _claims(part):
            first, before = seen.setdefault((what, error), (who, value)) if value else (who, value)
            if before != value:
                raise DataError(f"{first} and {who} {error}")


def _claims(part: Experiment) -> Iterator[tuple[str, str, str, object]]:
    """Yield all that another part, or another result, may contradict: who says it, what it is about, the
    error if there is another value, and the value."""
    place = str(part.places[0])
    for name, checksum in part.inputs.items():
        yield place, "inputs", f"are made from different files: {name}", checksum
    for (train, test), shares in part.lookups.items():
        error = f"were tested on different stories of {test}: their look-ups differ"
        yield place, train, error, shares
    for result in part.results:
        counts = {name: score.counts() for name, score in result.tested.items()}
        yield place, "results", f"both hold {result.name}, with different results: remove one", counts
        if result.training is not None:
            error = f"were trained on different stories of {result.training.on}"
            yield result.name, "trained on", error, result.training.sha256
        for subset, score in result.tested.items():
            error = f"were tested on different stories of {subset}"
            patterns = {pattern: rows for pattern, (_, rows) in score.patterns.items()}
            for what, value in (("rows", score.rows), ("patterns", patterns), ("stories", score.sha256)):
                yield result.name, what, error, value
