"""Results read, whatever wrote them, as one experiment:

- the folder of `clutrr reproduce`, or several that hold parts of one experiment
- the folder of a run that was evaluated, or tested in an experiment; or a file of its answers
- the folder of a report, of `clutrr report --to` or `clutrr score --to`, or the `table.json` in it
- one result, as JSON: `result.json` of a run, or what `clutrr score --json` prints

An experiment is made from these files:

    OUT/matrix.yaml              its settings in full
    OUT/inputs.json              checksums of the files it is made from
    OUT/audit.json               look-ups and ceilings, if the stories were audited
    OUT/cells/NAME/result.json   a finished training each (see `_score.result`)

Trainings without a result are missing. That is not an error: they may still be running.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.resources.abc import Traversable
from pathlib import PurePath
from typing import Any, cast

from clutrr._io.files import files_in
from clutrr._io.limits import CELLS, RAISE, limit
from clutrr._io.locations import Location
from clutrr._io.records import load_json, read_json
from clutrr._io.yamls import read_yaml
from clutrr._report.experiment import Experiment, Lookups
from clutrr._score.paired import Paired
from clutrr._score.predictions import PREDICTIONS, named, read_result
from clutrr._score.result import RECORD, RESULT, Result, load_result
from clutrr._train.learnt import Learnt
from clutrr._train.matrix import CONTENT_OF, INPUTS, MATRIX, distinct, seeds_text
from clutrr.errors import Call, ConfigError, DataError, Hint, plain, short

TABLE = "table.json"  # in the folder of a report: the results
_SHARED = ("epochs", "batch", "learning_rate")  # by all parts of one experiment, beside the stories


def load_experiment(*paths: Location) -> Experiment:
    """Return the results of folders and files, together.

    Parts of an experiment are put together; everything else stands side by side, or, beside an experiment,
    is added to its table.
    """
    parts = [_load(path) for path in paths]
    planned = [part for part in parts if part.planned]
    others = [part for part in parts if not part.planned]
    if not planned:
        others = _with_names_of_their_own(others)
        whole = _side_by_side(others)
    else:
        whole = planned[0]
        for part in planned[1:]:
            whole = _joined(whole, part)
        if others:
            more = (result for part in others for result in part.results)
            places = (place for part in others for place in part.places)
            whole = replace(
                _with_results(whole, (*more, *whole.results)), places=(*whole.places, *places)
            )
    _check_agreement([*planned, *others], bool(planned))
    return whole


def _load(path: Location) -> Experiment:
    if not path.is_dir():
        return _of_answers(path) if path.suffix == ".parquet" else _of_file(path)
    if (path / MATRIX).exists():
        return _of_folder(path)
    if (path / TABLE).exists():
        return _of_file(path / TABLE)
    return _of_run(path)


def _of_run(folder: Location) -> Experiment:
    """Return the result of a run: of its last evaluation, or of the experiment that it is part of."""
    evaluated, in_experiment = read_result(folder / PREDICTIONS), load_result(folder)
    if in_experiment is not None and (
        evaluated is None or evaluated.tested == in_experiment.tested
    ):
        return _alone(in_experiment, folder)
    if evaluated is not None:
        return _alone(evaluated, folder)
    if (folder / RECORD).exists():
        raise DataError(
            "a run that was not evaluated yet",
            place=folder,
            hint=Hint("evaluate it: {}", (Call("evaluate", ("RUN", "DATA")),)),
        )
    raise DataError(
        "not the folder of an experiment, of an evaluated run or of a report "
        f"(it has no {MATRIX}, {PREDICTIONS}, {RESULT} or {TABLE})",
        place=folder,
    )


def _of_answers(file: Location) -> Experiment:
    result = read_result(file)
    if result is None:
        raise DataError(
            "holds no result",
            place=file,
            hint=Hint("score answers of any model: {}", (Call("score", ("DATA", "ANSWERS")),)),
        )
    return _alone(result, file)


def _alone(result: Result, place: Location) -> Experiment:
    """Return one result as an experiment."""
    return Experiment((replace(result, file=plain(str(place))),), places=(place,))


def _of_folder(folder: Location) -> Experiment:
    path = folder / MATRIX
    settings = read_yaml(cast("Traversable", path), DataError)
    lookups, verdicts = _audit(folder / "audit.json")
    inputs = load_json(folder / INPUTS)
    # By name: where the files are differs from machine to machine.
    names = distinct([PurePath(name.removeprefix(CONTENT_OF)).name for name in inputs])
    known = dict(zip(names, inputs.values(), strict=True))
    with _reading(path, "the settings of an experiment"):
        found = _checked(Experiment((), settings, lookups, verdicts, known, (folder,)))
    results = []
    for name in files_in(folder / "cells"):
        if not re.fullmatch("[^/]+/result.json", name):
            continue
        file = folder / "cells" / name
        content = _content(file)
        with _reading(file, "the result of a training"):
            results.append(_belonging(Result.from_json(content), found))
    return _with_results(found, results)


def _of_file(path: Location) -> Experiment:
    content = _content(path)
    with _reading(path, "the file of an experiment"):
        if "tested" in content:
            return _alone(Result.from_json(content), path)
        if "settings" not in content or content["settings"]:
            planned = _of_matrix(content, path)
            others = map(Result.from_json, content.get("others", ()))
            return _with_results(planned, (*planned.results, *others))
        results = tuple(map(Result.from_json, content["results"]))
        if not results or not all(result.tested for result in results):
            raise ValueError("it has no results")
        return Experiment(
            results,
            lookups=_lookups(content["lookups"]),
            places=(path,),
            pairs=dict(map(_pair, content.get("pairs", ()))),
            fitted_on=tuple(map(int, content.get("fitted_on", ()))),
        )


def _pair(content: Mapping[str, Any]) -> tuple[tuple[str, str], Paired]:
    first, second = content["models"]
    return (str(first), str(second)), Paired.from_json(content)


def _of_matrix(content: Mapping[str, Any], path: Location) -> Experiment:
    """Return the experiment that a matrix planned."""
    found = _checked(
        Experiment(
            (),
            content["settings"],
            _lookups(content["lookups"]),
            tuple(map(str, content.get("verdicts", ()))),
            dict(content["inputs"]),
            (path,),
        )
    )
    stories = {when: content["stories"].get(when, {}) for when in ("trained on", "tested on")}
    rows = [
        _with_checksums(row, stories["trained on"], stories["tested on"])
        for row in content["results"]
    ]
    results = [_belonging(Result.from_json(row), found) for row in rows]
    if len({result.key for result in results}) < len(results):
        raise ValueError("one of its results is there twice")
    return _with_results(found, results)


def _checked(found: Experiment) -> Experiment:
    """Return the same, if its settings say which trainings there are, and not too many."""
    settings = found.settings
    if not isinstance(settings, Mapping) or not settings["models"] or not settings["train"]:
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
    """Return the experiment with these results: its own in the order of its trainings, then any others."""
    found = {result.key: result for result in results}
    planned = [key for key in experiment.trainings() if key in found]
    return replace(
        experiment, results=tuple(found[key] for key in dict.fromkeys((*planned, *found)))
    )


def _with_checksums(
    row: Mapping[str, Any], trained_on: Mapping[str, str], tested_on: Mapping[str, str]
) -> dict[str, Any]:
    """Return a result as a file has it, with the checksums of its stories."""
    tested = {
        name: {"sha256": tested_on.get(name, ""), **one} for name, one in row["tested"].items()
    }
    return {"data": {"sha256": trained_on.get(row["train"], "")}, **row, "tested": tested}


def _audit(path: Location) -> tuple[Lookups, tuple[str, ...]]:
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


def _content(path: Location) -> Any:
    try:
        return read_json(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or " ".join(str(error).split())
        raise DataError(f"cannot be read: {reason}", place=path) from None


@contextmanager
def _reading(path: Location, what: str) -> Iterator[None]:
    """One line for whatever is wrong with the content of a file."""
    try:
        yield
    except KeyError as error:
        raise DataError(
            f"not {what} (it has no {short(str(error.args[0]), quote=False)})", place=path
        ) from None
    except (
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        OverflowError,
        ConfigError,
    ) as error:
        raise DataError(f"not {what} ({short(str(error), quote=False)})", place=path) from None


# Joining


def _joined(one: Experiment, other: Experiment) -> Experiment:
    """Return both together: each may hold some of the models, training sets and seeds."""
    for name in ("presets", *_SHARED):
        here, there = (
            {**part.settings, "presets": part.presets}.get(name) for part in (one, other)
        )
        if here != there:
            places = f"{one.places[0]} and {other.places[0]}"
            raise DataError(
                f"{places} are different experiments: {name} is {short(here)} and {short(there)}"
            )
    train = one.settings["train"]
    settings = {
        **one.settings,
        "models": list(dict.fromkeys((*one.models, *other.models))),
        "seeds": seeds_text(sorted({*one.seeds, *other.seeds})),
        "train": [
            *train,
            *(lengths for lengths in other.settings["train"] if lengths not in train),
        ],
    }
    joined = Experiment(
        (),
        settings,
        {**other.lookups, **one.lookups},
        one.verdicts or other.verdicts,
        {**other.inputs, **one.inputs},
        (*one.places, *other.places),
    )
    return _with_results(joined, (*other.results, *one.results))


def _with_names_of_their_own(parts: Sequence[Experiment]) -> list[Experiment]:
    """Return the same, with runs named by their folders, and files of answers as `clutrr score` names them."""
    alone = [part.places[0] for part in parts if _is_named_by_its_place(part)]
    names = {path: name for name, path in named(alone).items()}
    return [
        replace(part, results=(replace(part.results[0], model=names[part.places[0]]),))
        if _is_named_by_its_place(part)
        else part
        for part in parts
    ]


def _is_named_by_its_place(part: Experiment) -> bool:
    return len(part.results) == 1 and part.places[0].suffix != ".json"


def _side_by_side(parts: Sequence[Experiment]) -> Experiment:
    """Return all results, each model once."""
    results = {result.model: result for part in parts for result in part.results}
    lookups: dict[tuple[str, str], Mapping[str, float]] = {}
    pairs: dict[tuple[str, str], Paired] = {}
    for part in parts:
        lookups |= part.lookups
        pairs |= part.pairs
    return Experiment(
        tuple(results.values()),
        lookups=lookups,
        places=tuple(place for part in parts for place in part.places),
        pairs=pairs,
        fitted_on=tuple(sorted({k for part in parts for k in part.fitted_on})),
    )


def _check_agreement(parts: Iterable[Experiment], planned: bool) -> None:
    """Refuse what several parts, or several results, know and know differently.

    planned: whether they are of one experiment, so that all were trained on the same stories.
    """
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
            name = result.name if planned else result.model
            error = f"both hold {name}, with different results: remove one"
            agree(place, "results", error, counts)
            if planned and result.training is not None:
                error = f"were trained on different stories of {result.training.on}"
                agree(result.name, "trained on", error, result.training.sha256)
            for subset, score in result.tested.items():
                error = f"were tested on different stories of {subset}"
                # A language model need not have been asked all questions.
                agree(name, "rows", error, score.rows if result.training else 0)
                agree(name, "stories", error, score.sha256)
