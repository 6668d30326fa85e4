"""An experiment as its settings and its results: from its folder, from several folders, or from its file.

    OUT/matrix.yaml              its settings in full
    OUT/inputs.json              checksums of the files it is made from
    OUT/audit.json               look-ups and ceilings, if the stories were audited
    OUT/cells/NAME/result.json   a finished training each (see `scoring.result`)

Trainings without a result are missing. That is not an error: they may still be running. The file of an
experiment, `table.json` of its report, holds all of it but what each epoch and belief was:

    {"about": "Trained on short routes, tested on long ones.",
     "commands": ["clutrr reproduce OUT --matrix composer"],
     "settings": {...},
     "missing": [], "inputs": {...},
     "stories": {"trained on": {"M3": CHECKSUM}, "tested on": {"M4": CHECKSUM}},
     "lookups": [{"train": "M3", "test": "M4", "last relation": 61.2}, ...],
     "results": [{"model": "gnn", "train": "M3", "seed": 0, "tested": {"M4": {"rows": 9, "right": 8}}}, ...]}

Files and folders of version 0.2 are read too: settings are kept as they were written.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib.resources.abc import Traversable
from pathlib import PurePath
from typing import Any, cast

from clutrr import paper
from clutrr.errors import ConfigError, DataError, short
from clutrr.experiment.learnt import Learnt
from clutrr.experiment.matrix import CONTENT_OF, INPUTS, MATRIX, distinct, seeds_of, seeds_text, training_set
from clutrr.files import Where, files_in, load_json, read_json
from clutrr.limits import CELLS, RAISE, limit
from clutrr.measure import natural, numbers
from clutrr.scoring.result import Result, model_name, training_name
from clutrr.shown import Shown
from clutrr.yamls import read_yaml

Pair = tuple[str, str]  # training set, and subset tested on
Lookups = Mapping[Pair, Mapping[str, float]]  # by pair and by name, in percent

_SHARED = ("epochs", "batch", "learning_rate")  # by all parts of one experiment, beside the stories


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
        sets = [_lengths(lengths) for lengths in self.settings["train"]]
        return tuple(training_set(k, style) for style in self.styles or ("",) for k in sets)

    @property
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

    @property
    def comparable(self) -> bool:
        """Whether the paper has figures for stories of this kind."""
        return set(self.presets) == {paper.PRESET}

    @cached_property
    def missing(self) -> list[str]:
        """The names of the trainings that are still to come."""
        there = {result.key for result in self.results}
        return [training_name(*key) for key in self._keys() if key not in there]

    def _keys(self) -> Iterator[tuple[str, str, int]]:
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

    def of(self, model: str, train: str) -> list[Result]:
        """The results of a model trained on a training set, by seed."""
        return [result for result in self.results if result.key[:2] == (model, train)]

    def composers(self) -> Iterator[tuple[Result, Learnt]]:
        """For each composer and training set, the result of the first seed, with what it believes."""
        for model in self.models:
            for train in self.trained_on:
                for result in [r for r in self.of(model, train) if r.learnt is not None][:1]:
                    yield result, Learnt.from_json(result.learnt or {})

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


def _texts(values: Any) -> list[str]:
    found = list(values)
    if isinstance(values, str) or not all(isinstance(one, str) for one in found):
        raise TypeError(f"{short(values)} is not a list of words")
    return found


def _lengths(value: Any) -> tuple[int, ...]:
    """`3`, `[1, 2, 3]` or `1-3`."""
    if isinstance(value, str):
        return numbers(value, "train")
    return tuple(map(int, value)) if isinstance(value, list) else (int(value),)


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
    settings = read_yaml(cast("Traversable", path), DataError)
    lookups, verdicts = _audit(folder / "audit.json")
    inputs = load_json(folder / INPUTS)
    # By name: where the files are differs from machine to machine.
    names = distinct([PurePath(name.removeprefix(CONTENT_OF)).name for name in inputs])
    known = dict(zip(names, inputs.values(), strict=True))
    with _reading(path, "the settings of an experiment"):
        found = _checked(Experiment(settings, (), lookups, verdicts, known, (folder,)))
    results = []
    for name in files_in(folder / "cells"):
        if not re.fullmatch("[^/]+/result.json", name):
            continue
        file = folder / "cells" / name
        content = _content(file)
        with _reading(file, "the result of a training"):
            results.append(_belonging(Result.from_json(content), found))
    return _with_results(found, results)


def _of_file(path: Where) -> Experiment:
    content = _content(path)
    with _reading(path, "the file of an experiment"):
        found = _checked(
            Experiment(
                content["settings"],
                (),
                _lookups(content["lookups"]),
                tuple(map(str, content.get("verdicts", ()))),
                dict(content["inputs"]),
                (path,),
            )
        )
        results = [_belonging(result, found) for result in _results(content)]
        if len({result.key for result in results}) < len(results):
            raise ValueError("one of its results is there twice")
        return _with_results(found, results)


def _checked(found: Experiment) -> Experiment:
    """Return the same, if its settings say which trainings there are, and not too many."""
    if not isinstance(found.settings, Mapping) or not found.models or not found.trained_on:
        raise TypeError("its settings name no models or no training sets")
    trainings = len(found.seeds) * len(found.models) * len(found.trained_on)
    if trainings > limit(CELLS):
        raise ValueError(f"{trainings:,} trainings, more than {limit(CELLS):,}: {RAISE}")
    _ = found.commands
    return found


def _belonging(result: Result, experiment: Experiment) -> Result:
    """Return the result, if it is one of this experiment, and whole."""
    if result.training is None or not result.tested:
        raise ValueError("nothing was trained or tested")
    if result.learnt is not None:
        Learnt.from_json(result.learnt)
    known = {"model": experiment.models, "train": experiment.trained_on, "seed": experiment.seeds}
    for (name, values), value in zip(known.items(), result.key, strict=True):
        if value not in values:
            raise ValueError(f"its {name}, {short(value)}, is not of the experiment")
    return result


def _with_results(experiment: Experiment, results: Iterable[Result]) -> Experiment:
    """Return the experiment with these results, in the order of its trainings."""
    found = {result.key: result for result in results}
    ordered = tuple(found[key] for key in experiment._keys() if key in found)
    rest = (experiment.lookups, experiment.verdicts, experiment.inputs, experiment.places)
    return Experiment(experiment.settings, ordered, *rest)


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
        how = made.get(training_name(model, train, seed), {"device": "", "versions": {}})
        known = {"device": how["device"], "versions": how["versions"]}
        found.append(Result.from_json({**plain, **known}, stories))
    return found


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
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, ConfigError) as error:
        raise DataError(f"{path}: not {what} ({short(str(error), quote=False)})") from None


# Joining


def _joined(one: Experiment, other: Experiment) -> Experiment:
    """Return both together: each may hold some of the models, training sets and seeds."""
    for name in ("presets", *_SHARED):
        here, there = ({**part.settings, "presets": part.presets}.get(name) for part in (one, other))
        if here != there:
            places = f"{one.places[0]} and {other.places[0]}"
            raise DataError(f"{places} are different experiments: {name} is {short(here)} and {short(there)}")
    both: dict[str, Any] = {
        "models": list(dict.fromkeys((*one.models, *other.models))),
        "seeds": seeds_text(sorted({*one.seeds, *other.seeds})),
        "train": [*one.settings["train"]],
    }
    both["train"] += [lengths for lengths in other.settings["train"] if lengths not in both["train"]]
    joined = Experiment(
        {**one.settings, **both},
        (),
        {**other.lookups, **one.lookups},
        one.verdicts or other.verdicts,
        {**other.inputs, **one.inputs},
        (*one.places, *other.places),
    )
    return _with_results(joined, (*other.results, *one.results))


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
    for result in part.results:
        counts = {name: score.counts() for name, score in result.tested.items()}
        yield place, "results", f"both hold {result.name}, with different results: remove one", counts
        if result.training is not None:
            error = f"were trained on different stories of {result.training.on}"
            yield result.name, "trained on", error, result.training.sha256
        for subset, score in result.tested.items():
            error = f"were tested on different stories of {subset}"
            yield result.name, "rows", error, score.rows
            yield result.name, "stories", error, score.sha256
