"""The records of an experiment, from one folder or from several of the same experiment.

    OUT/matrix.yaml              the experiment
    OUT/audit.json               look-up baselines, where the stories were audited
    OUT/cells/NAME/result.json   one finished training each

Cells without a record are missing, which is no error: they may still be running.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clutrr import paper
from clutrr.errors import DataError, short
from clutrr.measure import natural
from clutrr.report.beliefs import Learnt
from clutrr.yamls import read_yaml

Key = tuple[str, str, int]  # model, subset trained on, seed
Pair = tuple[str, str]  # subsets trained on and tested on

_SETTINGS: Mapping[str, type] = {
    "profile": str,
    "preset": str,
    "k": list,
    "models": list,
    "seeds": int,
    "train": int,
    "test": int,
    "distractors": int,
    "epochs": int,
    "batch": int,
    "learning_rate": float,
}
# What may differ between folders: which part of the experiment each ran, and where its files lay.
_OWN = ("seeds", "models", "data")


@dataclass(frozen=True)
class Tested:
    """Right answers and questions of a subset, in all and by pattern."""

    right: int
    n: int
    patterns: Mapping[str, tuple[int, int]]

    @property
    def accuracy(self) -> float:
        return 100 * self.right / self.n


@dataclass(frozen=True)
class Record:
    """A finished training. curve: accuracy on the training stories after each epoch, in percent.

    learnt: what it believes, where it is a composer.
    """

    name: str
    model: str
    train: str
    seed: int
    device: str
    versions: Mapping[str, str]
    stories: str  # checksum of those trained on
    curve: tuple[float, ...]
    seconds: float
    tested: Mapping[str, Tested]
    learnt: Learnt | None

    @property
    def key(self) -> Key:
        return self.model, self.train, self.seed


@dataclass(frozen=True)
class Results:
    """An experiment and what is known of it so far. lookups: by the pair of subsets, by name."""

    folders: tuple[Path, ...]
    settings: Mapping[str, Any]
    records: Mapping[Key, Record]
    lookups: Mapping[Pair, Mapping[str, float]]
    verdicts: tuple[str, ...]

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(self.settings["models"])

    @property
    def seeds(self) -> int:
        return int(self.settings["seeds"])

    @property
    def trained_on(self) -> tuple[str, ...]:
        return tuple(f"M{k}" for k in self.settings["k"])

    @property
    def tested_on(self) -> tuple[str, ...]:
        """The subsets of the experiment, and those that given files have besides."""
        found = {subset for record in self.records.values() for subset in record.tested}
        return tuple(sorted(found | set(self.trained_on), key=natural))

    @property
    def comparable(self) -> bool:
        """Whether the paper has figures for stories of this kind."""
        return bool(self.settings["preset"] == paper.PRESET)

    @property
    def wanted(self) -> int:
        """How many trainings there are to be."""
        return len(self.models) * len(self.trained_on) * self.seeds

    @property
    def missing(self) -> list[Key]:
        keys = ((m, t, s) for s in range(self.seeds) for m in self.models for t in self.trained_on)
        return [key for key in keys if key not in self.records]

    @property
    def reduced(self) -> list[str]:
        return paper.reduced(self.settings)

    def of(self, model: str, train: str) -> list[Record]:
        """The trainings of a model on a subset, by seed."""
        return [self.records[key] for key in sorted(self.records) if key[:2] == (model, train)]

    def composers(self) -> Iterator[tuple[Record, Learnt]]:
        """Of each composer and subset trained on the first seed's, with what it believes."""
        for model in self.models:
            for train in self.trained_on:
                believing = [(record, record.learnt) for record in self.of(model, train) if record.learnt]
                yield from believing[:1]

    def tests(self, model: str, train: str, test: str) -> list[Tested]:
        return [record.tested[test] for record in self.of(model, train) if test in record.tested]


def load_results(folders: Sequence[Path]) -> Results:
    """The records of one folder, or of several together."""
    one, *others = [_load(folder) for folder in folders]
    for other in others:
        one = _merge(one, other)
    _check_stories(one)
    return one


def _load(folder: Path) -> Results:
    settings = _settings(folder / "matrix.yaml")
    records = [_record(path, settings) for path in sorted(folder.glob("cells/*/result.json"))]
    seeds = max([settings["seeds"], *(record.seed + 1 for record in records)])
    lookups, verdicts = _audit(folder / "audit.json")
    by_key = {record.key: record for record in records}
    return Results((folder,), {**settings, "seeds": seeds}, by_key, lookups, verdicts)


def _settings(path: Path) -> dict[str, Any]:
    if not path.exists():
        raise DataError(f"{path.parent}: no experiment here (no {path.name})")
    content = read_yaml(path, DataError)
    if not isinstance(content, dict):
        raise DataError(f"{path}: not the settings of an experiment")
    for name, kind in _SETTINGS.items():
        if not isinstance(content.get(name), kind) or isinstance(content[name], bool):
            raise DataError(f"{path}: {name}: {short(content.get(name))} is not a {kind.__name__}")
    return {**content, "data": content.get("data")}


def _record(path: Path, settings: Mapping[str, Any]) -> Record:
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
        config = content["config"]
        differs = [name for name in ("epochs", "batch", "learning_rate") if config[name] != settings[name]]
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise DataError(f"{path}: not the record of a training ({short(str(error), quote=False)})") from None
    if record.model not in settings["models"]:
        differs.append("model")
    if record.train not in [f"M{k}" for k in settings["k"]]:
        differs.append("k")
    if differs:
        raise DataError(f"{path}: does not belong to the matrix.yaml beside it: {', '.join(differs)} differ")
    return record


def _tested(content: Mapping[str, Any]) -> Tested:
    patterns = {pattern: (int(right), int(n)) for pattern, (right, n) in content["patterns"].items()}
    right, n = (sum(count[i] for count in patterns.values()) for i in range(2))
    if n != content["n"] or not 0 <= right <= n or not n:
        raise ValueError("its counts do not add up")
    return Tested(right, n, patterns)


def _audit(path: Path) -> tuple[dict[Pair, dict[str, float]], tuple[str, ...]]:
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


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path}: cannot be read: {' '.join(str(error).split())}") from None


def _merge(one: Results, other: Results) -> Results:
    """Both together; refused where they are of different experiments."""
    names = f"{one.folders[0]} and {other.folders[0]}"
    for name in sorted({*one.settings, *other.settings} - set(_OWN)):
        here, there = one.settings.get(name), other.settings.get(name)
        if here != there:
            raise DataError(f"{names} are different experiments: {name} is {here} and {there}")
    if (one.settings["data"] is None) != (other.settings["data"] is None):
        raise DataError(f"{names} are different experiments: only one was tested on given files")
    for key in sorted(one.records.keys() & other.records.keys()):
        if one.records[key].tested != other.records[key].tested:
            raise DataError(f"{names} both hold {one.records[key].name}, with different results: remove one")
    if one.lookups and other.lookups and one.lookups != other.lookups:
        raise DataError(f"{names} were tested on different stories: their audits differ")
    models = dict.fromkeys([*one.models, *other.models])
    return Results(
        (*one.folders, *other.folders),
        {**one.settings, "models": list(models), "seeds": max(one.seeds, other.seeds)},
        {**other.records, **one.records},
        one.lookups or other.lookups,
        one.verdicts or other.verdicts,
    )


def _check_stories(results: Results) -> None:
    """All were trained on the same stories of a subset, and tested on the same."""
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
