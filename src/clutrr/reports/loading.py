"""Experiments read: from a folder, from several folders that hold parts of one, or from a file.

    OUT/matrix.yaml              its settings in full
    OUT/inputs.json              checksums of the files it is made from
    OUT/audit.json               look-ups and ceilings, if the stories were audited
    OUT/cells/NAME/result.json   a finished training each (see `scoring.result`)

Trainings without a result are missing. That is not an error: they may still be running. Files and folders of
version 0.2 are read too.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib.resources.abc import Traversable
from pathlib import PurePath
from typing import Any, cast

from clutrr.errors import ConfigError, DataError, short
from clutrr.experiment.learnt import Learnt
from clutrr.experiment.matrix import CONTENT_OF, INPUTS, MATRIX, distinct, seeds_text
from clutrr.files import Where, files_in, load_json, read_json
from clutrr.limits import CELLS, RAISE, limit
from clutrr.reports.experiment import Experiment, Lookups
from clutrr.scoring.result import Result, training_name
from clutrr.yamls import read_yaml

_SHARED = ("epochs", "batch", "learning_rate")  # by all parts of one experiment, beside the stories


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
        stories = {when: content["stories"].get(when, {}) for when in ("trained on", "tested on")}
        rows = [_with_checksums(row, stories["trained on"], stories["tested on"]) for row in _rows(content)]
        results = [_belonging(Result.from_json(row), found) for row in rows]
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
    return replace(experiment, results=tuple(found[key] for key in experiment.trainings() if key in found))


def _rows(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the results of a file; version 0.2 had a cell for each subset, with right answers by seed."""
    if "results" in content:
        return list(content["results"])
    made = {name: how for how in content["made"] for name in how["trainings"]}
    found: dict[tuple[str, str, int], dict[str, Any]] = {}
    for cell in content["cells"]:
        for seed, right in cell["right"].items():
            model, train, number = key = (cell["model"], cell["train"], int(seed))
            how = made.get(training_name(model, train, number), {"device": "", "versions": {}})
            known = {"device": how["device"], "versions": how["versions"], "command": content["commands"][-1]}
            row = {"model": model, "train": train, "seed": number, **known, "tested": {}}
            found.setdefault(key, row)["tested"][cell["test"]] = {"rows": cell["stories"], "right": right}
    return list(found.values())


def _with_checksums(
    row: Mapping[str, Any], trained_on: Mapping[str, str], tested_on: Mapping[str, str]
) -> dict[str, Any]:
    """Return a result as a file has it, with the checksums of its stories."""
    tested = {name: {"sha256": tested_on.get(name, ""), **one} for name, one in row["tested"].items()}
    return {"data": {"sha256": trained_on.get(row["train"], "")}, **row, "tested": tested}


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
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or " ".join(str(error).split())
        raise DataError(f"{path}: cannot be read: {reason}") from None


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
    train = one.settings["train"]
    settings = {
        **one.settings,
        "models": list(dict.fromkeys((*one.models, *other.models))),
        "seeds": seeds_text(sorted({*one.seeds, *other.seeds})),
        "train": [*train, *(lengths for lengths in other.settings["train"] if lengths not in train)],
    }
    joined = Experiment(
        settings,
        (),
        {**other.lookups, **one.lookups},
        one.verdicts or other.verdicts,
        {**other.inputs, **one.inputs},
        (*one.places, *other.places),
    )
    return _with_results(joined, (*other.results, *one.results))


def _check_agreement(parts: Iterable[Experiment]) -> None:
    """Refuse what several parts, or several results, know and know differently."""
    seen: dict[tuple[str, str], tuple[str, object]] = {}

    def agree(who: str, what: str, error: str, value: object) -> None:
        first, before = seen.setdefault((what, error), (who, value)) if value else (who, value)
        if before != value:
            raise DataError(f"{first} and {who} {error}")

    for part in parts:
        place = str(part.places[0])
        for name, checksum in part.inputs.items():
            agree(place, "inputs", f"are made from different files: {name}", checksum)
        for result in part.results:
            counts = {name: score.counts() for name, score in result.tested.items()}
            agree(place, "results", f"both hold {result.name}, with different results: remove one", counts)
            if result.training is not None:
                error = f"were trained on different stories of {result.training.on}"
                agree(result.name, "trained on", error, result.training.sha256)
            for subset, score in result.tested.items():
                error = f"were tested on different stories of {subset}"
                agree(result.name, "rows", error, score.rows)
                agree(result.name, "stories", error, score.sha256)
