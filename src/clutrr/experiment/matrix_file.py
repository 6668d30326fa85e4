"""A matrix as a YAML file: reading, with errors that name their place, and writing.

    about: One line on what it is for.
    data:                     # stories to generate, by any setting of `clutrr generate`; a folder; or a list
      preset: sound
      train: 4000
      seed: 41
    train: [3, 4, [1, 2, 3]]  # the training sets; without it, each length of `data` alone
    test: 2-10,20             # lengths, a folder, or settings that differ from those of `data`
    styles:                   # ways to tell those stories: each is trained on alone and tested on, and what
      plain: {}               # is trained on the first is tested on all
      noise: {irrelevant: 2}
    models: [composer, gnn]
    seeds: 3                  # how many, or which: 3-5
    epochs: 60
    learning_rate: {gnn: 0.003}
    prepare: clutrr convert   # commands that make the folder that `data` names; shown, never run

Settings that are left out are those of `clutrr generate` and `clutrr train`.
"""

import re
from collections import abc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, cast, get_args, get_origin, get_type_hints

import yaml

from clutrr.errors import ConfigError, WorldError, short
from clutrr.experiment.matrix import Folder, Generated, Matrix, Source, first_seeds
from clutrr.experiment.settings_v02 import today
from clutrr.files import Where, read_json, where
from clutrr.generator import Config
from clutrr.measure import numbers, written
from clutrr.world.load import BUILTIN
from clutrr.yamls import read_yaml

# In the folder of an experiment: what it is, and checksums of the files that it is made from, each named as
# what it is the content of.
MATRIX, INPUTS, CONTENT_OF = "matrix.yaml", "inputs.json", "content of "
_KEYS = tuple(field.name for field in fields(Matrix))
_TYPES = get_type_hints(Matrix)
_READ_BY_TYPE = ("models", "epochs", "batch", "learning_rate", "encoder", "about", "prepare")
_CONFIG = get_type_hints(Config)
# What a style may change: not how many stories of which lengths there are.
_IN_STYLES = {name: hint for name, hint in _CONFIG.items() if name not in ("k", "train", "test")}
_BESIDE = {"world": str, "wording": str | None}  # what stories depend on beside the config
_SHIPPED = resources.files("clutrr.experiment") / "matrices"


def shipped() -> tuple[str, ...]:
    """Return the names of the matrices that come with the package."""
    names = (file.name for file in _SHIPPED.iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml")))


def find_matrix(named: str) -> Matrix:
    """Return a matrix by its name (`builtin:` may go before it), or of a file (such as `./composer`)."""
    if (name := named.removeprefix(BUILTIN)) in shipped():
        if name == named and where(name).is_file():
            raise ConfigError(
                f"matrix: {name} could mean two: write ./{name} for the file, or {BUILTIN}{name} for ours"
            )
        return load_matrix(_SHIPPED / f"{name}.yaml")
    path = where(named)
    if not path.exists():
        raise ConfigError(f"matrix: {named} is neither a file nor one of {', '.join(shipped())}")
    return load_matrix(path)


def load_matrix(path: Traversable | Where) -> Matrix:
    """Return the matrix of a YAML file; or of a result file, which holds the one that it is the result of."""
    if not path.name.endswith(".json"):
        content = read_yaml(cast("Traversable", path), ConfigError)
        with at_place(str(path)):
            return matrix_of(content)
    with at_place(str(path)):
        try:
            content = read_json(cast("Where", path))
        except (OSError, ValueError) as error:
            raise ConfigError(f"cannot be read: {' '.join(str(error).split())}") from None
        if not isinstance(content, Mapping) or "settings" not in content:
            raise ConfigError("not the result file of an experiment: it has no settings")
        with at_place("settings"):
            return matrix_of(content["settings"])


# Writing


def matrix_text(matrix: Matrix) -> str:
    return yaml.safe_dump(matrix_content(matrix), sort_keys=False, default_flow_style=None)


def matrix_content(matrix: Matrix) -> dict[str, Any]:
    """Return what its file says, with everything spelt out."""
    data = [_source_content(source) for source in matrix.data]
    test = [_source_content(source, tested=True) for source in matrix.test]
    content = {
        "about": matrix.about,
        "data": data[0] if len(data) == 1 else data,
        "train": [list(ks) if len(ks) > 1 else ks[0] for ks in matrix.train],
        "test": test[0] if len(test) == 1 else test,
        "styles": {name: _plain(settings) for name, settings in matrix.styles.items()},
        "models": list(matrix.models),
        "seeds": seeds_text(matrix.seeds),
        **{name: getattr(matrix, name) for name in ("epochs", "batch", "learning_rate")},
        "encoder": matrix.encoder,
        "prepare": list(matrix.prepare),
    }
    return {name: value for name, value in content.items() if value not in ("", [], {})}


def _plain(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as YAML has them."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in settings.items()}


def seeds_text(seeds: tuple[int, ...]) -> int | str:
    """How many, if they are the first; or which. `seeds_of` reads it."""
    if seeds == tuple(range(len(seeds))):
        return len(seeds)
    return f"{seeds[0]}-{seeds[0]}" if len(seeds) == 1 else written(seeds)


def _source_content(source: Source, tested: bool = False) -> Any:
    if isinstance(source, Folder):
        return source.path if source.k is None else {"folder": source.path, "k": written(source.k)}
    left_out = ("train",) if tested else ()
    content = {
        name: value
        for name, value in source.config.to_dict().items()
        if value is not None and name not in left_out
    }
    named = {"world": source.world} if source.wording is None else {"wording": source.wording}
    return {**content, **named}


# Reading


def matrix_of(content: Any) -> Matrix:
    """Return the matrix that a file describes."""
    if not isinstance(content, Mapping):
        raise ConfigError(f"expected a mapping of {', '.join(_KEYS)}")
    _check_names(content, _KEYS)
    settings: dict[str, Any] = {}
    with at_place("train"):
        train = _training_sets(content["train"]) if "train" in content else None
    with at_place("data"):
        lengths = Config.k if train is None else tuple(sorted({k for ks in train for k in ks}))
        data = _sources(content.get("data", {}), Generated(Config(k=lengths)))
    with at_place("test"):
        test = _test(content["test"], data[0]) if "test" in content else ()
    if test:  # the test stories of `data` are not used
        data = tuple(
            replace(s, config=replace(s.config, test=0)) if isinstance(s, Generated) else s for s in data
        )
    with at_place("styles"):
        settings["styles"] = _styles(content.get("styles", {}))
    settings["seeds"] = seeds_of(content.get("seeds", 1))
    for name in _READ_BY_TYPE:
        if name in content:
            with at_place(name):
                settings[name] = _typed(content[name], _TYPES[name])
    if train is None:
        if not isinstance(data[0], Generated):
            raise ConfigError("train: say which lengths to train on, such as [3, 4, [1, 2, 3]]")
        train = tuple((k,) for k in data[0].config.k)
    return Matrix(data, train, test, **settings)


def seeds_of(value: Any) -> tuple[int, ...]:
    """Return the seeds of `3`, the first three, or of `3-5`, these."""
    with at_place("seeds"):
        if isinstance(value, int) and not isinstance(value, bool):
            return first_seeds(value)
        found: tuple[int, ...] = _typed(value, tuple[int, ...])
        return found


def _training_sets(value: Any) -> tuple[tuple[int, ...], ...]:
    """`[3, 4, [1, 2, 3], 1-4]`: a list of lengths, each a number or several that are trained on together."""
    if not isinstance(value, list) or not value:
        raise ConfigError(f"{short(value)} is not a list of training sets, such as [3, 4, [1, 2, 3]]")
    return tuple(_lengths(each) for each in value)


def _lengths(value: Any) -> tuple[int, ...]:
    found: tuple[int, ...] = _typed(value, tuple[int, ...])
    if not found or list(found) != sorted(set(found)) or found[0] < 1:
        raise ConfigError(f"{short(value)} is not a list of ascending lengths, from 1")
    return found


def _test(value: Any, like: Source) -> tuple[Source, ...]:
    """Lengths of stories like those of the data; or folders, or stories with other settings."""
    try:
        lengths = _lengths(value)
    except ConfigError:
        if isinstance(value, str) and re.fullmatch(r"[\d\s,-]+", value):  # it can hardly be a folder
            raise
        return _sources(value, like, tested=True)
    if isinstance(like, Folder):
        return (replace(like, k=lengths),)
    return (replace(like, config=replace(like.config, k=lengths, train=0)),)


def _sources(value: Any, like: Source, tested: bool = False) -> tuple[Source, ...]:
    """One, or a list of them."""
    several = value if isinstance(value, list) else [value]
    if not several:
        raise ConfigError("expected at least one entry")
    return tuple(_source(each, like, tested) for each in several)


def _source(value: Any, like: Source, tested: bool = False) -> Source:
    """Stories by a folder's name, or by settings; settings left out are those of `like`."""
    if isinstance(value, str):
        return Folder(value)
    if not isinstance(value, Mapping):
        raise ConfigError(f"{short(value)} is neither a folder nor settings such as preset: sound")
    if "folder" in value:
        given = _settings(value, {"folder": str, "k": tuple[int, ...]})
        with at_place("k"):
            return Folder(given["folder"], _lengths(given["k"]) if "k" in given else None)
    known = {name: hint for name, hint in _CONFIG.items() if not (tested and name == "train")}
    given = _settings(today(value), {"folder": str, **known, **_BESIDE})
    if given.get("wording") is not None and "world" in given:
        raise ConfigError("world, wording: give only one of them")
    start = like if isinstance(like, Generated) else Generated(Config())
    named = {key: given.pop(key) for key in _BESIDE if key in given}
    if "world" in named:
        named["wording"] = None
    if tested:
        given["train"] = 0
    return replace(start, config=replace(start.config, **given), **named)


def _styles(value: Any) -> dict[str, dict[str, Any]]:
    """Settings of stories, by the name of the style."""
    if not isinstance(value, Mapping):
        raise ConfigError(f"{short(value)} is not a mapping of styles by name, such as plain: {{}}")
    found = {}
    for name, settings in value.items():
        with at_place(short(name, quote=False)):
            if not isinstance(settings, Mapping):
                raise ConfigError(f"{short(settings)} is not a mapping of settings such as style: prose")
            found[name] = _settings(today(settings), _IN_STYLES)
    return found


def _settings(value: Mapping[Any, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Settings, each of its type."""
    _check_names(value, known)
    found = {}
    for key in value:
        with at_place(key):
            found[key] = _typed(value[key], known[key])
    return found


def _check_names(value: Mapping[Any, Any], known: Iterable[str]) -> None:
    for key in value:
        if key not in known:
            raise ConfigError(f"there is no setting {short(key)}; the settings are {', '.join(known)}")


def _typed(value: Any, hint: Any) -> Any:
    """Return the value as this type: plain, a tuple of it, a mapping to it, or one of several types."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is tuple:
        return tuple(_typed(each, inner[0]) for each in _several(value, inner[0]))
    if origin is abc.Mapping:
        found = {}
        for key in value:
            with at_place(key):
                found[key] = _typed(value[key], inner[1])
        return found
    if inner:  # a union
        if value is None and type(None) in inner:
            return None
        mapping = isinstance(value, Mapping)
        fits = [each for each in inner if (get_origin(each) is abc.Mapping) == mapping]
        return _typed(value, next((each for each in fits if each is not type(None)), inner[0]))
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint) or (isinstance(value, bool) and hint is not bool):
        words = {int: "a whole number", float: "a number", str: "a word", bool: "yes or no"}
        raise ConfigError(f"{short(value)} is not {words[hint]}")
    return value


def _several(value: Any, kind: type) -> Sequence[Any]:
    """The entries of a list, of a range of numbers such as 3-6, or of a single value."""
    if kind is int and isinstance(value, str):
        try:
            return numbers(value, "")
        except ConfigError as error:
            raise ConfigError(str(error).removeprefix(": ")) from None
    return value if isinstance(value, list | tuple) else [value]


@contextmanager
def at_place(place: str) -> Iterator[None]:
    """Put the place before the message of any error that occurs inside."""
    try:
        yield
    except (ConfigError, WorldError) as error:
        raise ConfigError(f"{place}: {error}" if place else str(error)) from None
