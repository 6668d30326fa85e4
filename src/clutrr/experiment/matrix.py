"""The experiment as data: which models are trained on which stories of which lengths, and tested on which.

A matrix is a small YAML file that people can read and edit. A cell is one training of it.

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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, cast, get_args, get_origin, get_type_hints

import yaml

from clutrr.errors import ConfigError, WorldError, short
from clutrr.experiment.config import TrainConfig, reads_with_encoder, subset_name
from clutrr.files import Where, read_json, where
from clutrr.generator import Config
from clutrr.measure import numbers, written
from clutrr.scoring.result import training_name
from clutrr.world.load import BUILTIN, builtin_worlds
from clutrr.yamls import read_yaml

# In the folder of an experiment: what it is, and checksums of the files that it is made from, each named as
# what it is the content of.
MATRIX, INPUTS, CONTENT_OF = "matrix.yaml", "inputs.json", "content of "
_SHIPPED = resources.files("clutrr.experiment") / "matrices"
_MOST_SEEDS = 1000
# How a model is trained: settings with their types. All but the encoder may be one for each model.
_TRAINING = {"epochs": int, "batch": int, "learning_rate": float, "encoder": str}
_KEYS = ("data", "train", "test", "styles", "models", "seeds", *_TRAINING, "about", "prepare")
_CONFIG = get_type_hints(Config)
_BESIDE = {"world": str, "wording": str | None}  # what stories depend on beside the config
_BOTH_STYLES = ("k", "train", "test")  # a style does not change how many stories of which lengths there are


@dataclass(frozen=True)
class Generated:
    """Stories to generate. wording: files whose wording is learnt and used, instead of a world."""

    config: Config
    world: str = "builtin:kinship"
    wording: str | None = None


@dataclass(frozen=True)
class Folder:
    """Stories that exist already. k: only those of these lengths; none for all."""

    path: str
    k: tuple[int, ...] | None = None


Source = Generated | Folder


@dataclass(frozen=True)
class Cell:
    """One training: of a model, on stories of these lengths, told in one style if there are several."""

    model: str
    k: tuple[int, ...]
    seed: int
    style: str = ""

    @property
    def train(self) -> str:
        """The name of the training set."""
        return training_set(self.k, self.style)

    @property
    def name(self) -> str:
        """The name of its folder."""
        return training_name(*self.key)

    @property
    def key(self) -> tuple[str, str, int]:
        """The model, the training set and the seed, as of a result."""
        return self.model, self.train, self.seed


def training_set(k: Sequence[int], style: str = "") -> str:
    """Return the name of a training set: M3, M1-3, `prose M1-3`."""
    return f"{style} {subset_name(k)}".strip()


@dataclass(frozen=True)
class Matrix:
    """The stories, the models to train on each set of lengths, and how long.

    - data: the stories to train on, all of them together
    - train: a training set each, as lengths
    - test: the stories to test on; none for the test stories of `data`
    - settings: epochs, batch, learning_rate, each a number or one for each model; encoder: what the model
      `pairs` reads with. What is left out is as in TrainConfig
    - styles: ways to tell the stories, by name, as settings that differ from those of `data` and `test`. A
      model is trained on each style alone and tested on it; trained on the first, it is tested on all
    - prepare: commands that make the folder that `data` names; they are shown, never run
    """

    data: tuple[Source, ...]
    train: tuple[tuple[int, ...], ...]
    test: Source | None = None
    models: tuple[str, ...] = ("lstm", "gnn", "gnn-attention")
    seeds: tuple[int, ...] = (0,)
    settings: Mapping[str, Any] = field(default_factory=dict)
    about: str = ""
    styles: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    prepare: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        every = {name: self.settings.get(name, getattr(TrainConfig, name)) for name in _TRAINING}
        object.__setattr__(self, "settings", every)
        for name in ("models", "seeds", "train"):
            values = getattr(self, name)
            if not values:
                raise ConfigError(f"{name}: expected at least one entry")
            if len(set(values)) < len(values):
                raise ConfigError(f"{name}: an entry appears twice")
        for name, value in every.items():
            if isinstance(value, Mapping) and (others := [m for m in value if m not in self.models]):
                listed = ", ".join(self.models)
                raise ConfigError(f"{name}: {short(others[0])} is not one of the models {listed}")
        self._check_data()
        if self.styles:
            self._check_styles()
        for cell in self.cells():
            self.training(cell)

    def _check_data(self) -> None:
        if len(self.data) > 1 and self.test is None:
            raise ConfigError("test: say what to test on, since there are several data sets to train on")
        if len(self.data) > 1 and len(self.generated) < len(self.data):
            raise ConfigError(
                "data: a folder cannot be combined with other data; put several data sets into one folder"
            )
        if len({source.world for source in self.generated}) > 1:
            raise ConfigError("data: data sets that are trained on together must have the same world")
        if len({s.wording for s in self.sources if isinstance(s, Generated)}) > 1:
            raise ConfigError("data, test: name one wording only; all generated stories are told in it")
        there = {k for source in self.generated for k in source.config.k}
        if missing := [k for ks in self.train for k in ks if there and k not in there]:
            raise ConfigError(f"train: {missing[0]} is not among the lengths of the data, {written(there)}")

    def _check_styles(self) -> None:
        if len(self.styles) < 2:
            raise ConfigError("styles: name at least two; the settings of a single one belong in data")
        if len(self.data) > 1 or not all(isinstance(source, Generated) for source in self.sources):
            raise ConfigError("styles: they need exactly one generated data set, and at most one to test on")
        for name in self.styles:
            if not re.fullmatch(r"\w+(-\w+)*", name):
                raise ConfigError(f"styles: {name!r} is not a word")
            with at_place(f"styles: {name}"):
                self.data_in(name), self.tested_in(name)

    @property
    def sources(self) -> tuple[Source, ...]:
        """The stories to train on, and those to test on if they are others."""
        return self.data if self.test is None else (*self.data, self.test)

    @property
    def generated(self) -> list[Generated]:
        """The stories to train on that have to be made."""
        return [source for source in self.data if isinstance(source, Generated)]

    def data_in(self, style: str) -> tuple[Source, ...]:
        """Return the stories to train on, told in this style."""
        return tuple(self._styled(source, style) for source in self.data)

    def tested_in(self, style: str) -> Source:
        """Return the stories to test on, told in this style."""
        return self._styled(self.data[0] if self.test is None else self.test, style)

    def _styled(self, source: Source, style: str) -> Source:
        if not style or isinstance(source, Folder):
            return source
        return replace(source, config=replace(source.config, **self.styles[style]))

    @property
    def style_names(self) -> tuple[str, ...]:
        """The styles by name; a single one without a name if there are no styles."""
        return tuple(self.styles) or ("",)

    def tests_style(self, trained: str, tested: str) -> bool:
        """Return whether a model that is trained on a style is tested on another."""
        return trained in (tested, self.style_names[0])

    @property
    def trained_on(self) -> tuple[str, ...]:
        """The training sets, by name."""
        return tuple(training_set(k, style) for style in self.style_names for k in self.train)

    @property
    def tested_on(self) -> tuple[str, ...]:
        """The subsets to test on, by name, as far as they are known without looking at the stories."""
        source = self.tested_in("")
        lengths = source.config.k if isinstance(source, Generated) else source.k or ()
        return tuple(f"{style} M{k}".strip() for style in self.style_names for k in lengths)

    @property
    def wording(self) -> str | None:
        """The files whose wording is learnt."""
        return next((source.wording for source in self.generated), None)

    @property
    def presets(self) -> frozenset[str | None]:
        """The presets of the stories trained on; None stands for a folder."""
        return frozenset(s.config.preset if isinstance(s, Generated) else None for s in self.data)

    def cells(self) -> Iterator[Cell]:
        for seed in self.seeds:
            for model in self.models:
                for style in self.style_names:
                    for k in self.train:
                        yield Cell(model, k, seed, style)

    def training(self, cell: Cell) -> TrainConfig:
        """Return how a cell is trained."""
        chosen = {
            name: value.get(cell.model, getattr(TrainConfig, name)) if isinstance(value, Mapping) else value
            for name, value in self.settings.items()
            if name != "encoder" or reads_with_encoder(cell.model)
        }
        return TrainConfig(cell.model, cell.k, cell.seed, **chosen)

    def on_models(self, models: tuple[str, ...]) -> "Matrix":
        """Return the same with these models; settings by model are those of the models that remain."""
        settings = {
            name: {m: one for m, one in value.items() if m in models} if isinstance(value, Mapping) else value
            for name, value in self.settings.items()
        }
        return replace(self, models=models, settings=settings)

    def on_files(self, path: str) -> "Matrix":
        """Return the same on given files: tested on them, and trained on them if the data was a folder, or
        else on stories in their wording."""
        if not self.generated:
            same = Path(path).name in {Path(s.path).name for s in self.data if isinstance(s, Folder)}
            return replace(self, data=(Folder(path),), test=None, prepare=self.prepare if same else ())
        data = tuple(Generated(replace(source.config, test=0), wording=path) for source in self.generated)
        return replace(self, data=data, test=Folder(path))

    def anywhere(self) -> "Matrix":
        """Return the same for all places that its files may have, which differ from machine to machine."""

        def moved(source: Source) -> Source:
            if isinstance(source, Folder):
                return replace(source, path="files")
            if source.wording is not None:
                return replace(source, wording="files")
            if source.world.removeprefix(BUILTIN) in builtin_worlds():
                return source
            return replace(source, world=f"./{Path(source.world).name}")

        data, test = tuple(map(moved, self.data)), self.test and moved(self.test)
        return replace(self, data=data, test=test, settings={**self.settings, "encoder": ""})

    def smaller_than(self, full: "Matrix") -> list[str]:
        """Return what this experiment has less of than another that generates its stories, in words."""
        sizes: dict[str, Callable[[Matrix], list[int]]] = {
            "training stories a subset": lambda m: [s.config.train for s in m.generated],
            "test stories a subset": lambda m: [
                s.config.test for s in (m.tested_in(""),) if isinstance(s, Generated)
            ],
            "distractors a person": lambda m: [s.config.distractors for s in m.generated],
            "epochs": lambda m: [m.training(cell).epochs for cell in m.cells()],
        }
        least = {what: (min(of(self), default=None), min(of(full))) for what, of in sizes.items()}
        return [
            f"{what}: {here} instead of {there}"
            for what, (here, there) in least.items()
            if here is not None and here < there
        ]


def distinct(names: Sequence[str]) -> list[str]:
    """Return the names, with a number after each that occurs several times."""
    return [
        name if names.count(name) == 1 else f"{name}-{names[: i + 1].count(name)}"
        for i, name in enumerate(names)
    ]


# Files


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


def matrix_text(matrix: Matrix) -> str:
    return yaml.safe_dump(matrix_content(matrix), sort_keys=False, default_flow_style=None)


def matrix_content(matrix: Matrix) -> dict[str, Any]:
    """Return what its file says, with everything spelt out."""
    data = [_source_content(source) for source in matrix.data]
    first = matrix.seeds[0]
    which = written(matrix.seeds) if len(matrix.seeds) > 1 else f"{first}-{first}"
    content = {
        "about": matrix.about,
        "data": data[0] if len(data) == 1 else data,
        "train": [list(ks) if len(ks) > 1 else ks[0] for ks in matrix.train],
        "test": "" if matrix.test is None else _source_content(matrix.test, "train"),
        "styles": {name: _plain(settings) for name, settings in matrix.styles.items()},
        "models": list(matrix.models),
        "seeds": len(matrix.seeds) if matrix.seeds == tuple(range(len(matrix.seeds))) else which,
        **matrix.settings,
        "prepare": list(matrix.prepare),
    }
    return {name: value for name, value in content.items() if value not in ("", [], {})}


def _plain(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as YAML has them."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in settings.items()}


def _source_content(source: Source, *left_out: str) -> Any:
    if isinstance(source, Folder):
        return source.path if source.k is None else {"folder": source.path, "k": written(source.k)}
    known = {name: value for name, value in source.config.to_dict().items() if value is not None}
    named = {"world": source.world} if source.wording is None else {"wording": source.wording}
    return {**{name: value for name, value in known.items() if name not in left_out}, **named}


def matrix_of(content: Any) -> Matrix:
    """Return the matrix that a file describes."""
    if not isinstance(content, Mapping):
        raise ConfigError(f"expected a mapping of {', '.join(_KEYS)}")
    _check_names(content, _KEYS)
    train = None
    if "train" in content:
        with at_place("train"):
            train = _training_sets(content["train"])
    with at_place("data"):
        lengths = Config.k if train is None else tuple(sorted({k for ks in train for k in ks}))
        data = _data(content.get("data", {}), Generated(Config(k=lengths)))
    if train is None:
        if not isinstance(data[0], Generated):
            raise ConfigError("train: say which lengths to train on, such as [3, 4, [1, 2, 3]]")
        train = tuple((k,) for k in data[0].config.k)
    test = None
    if "test" in content:
        with at_place("test"):
            test = _test(content["test"], data[0])
        # The test stories of `data` are not used.
        data = tuple(
            replace(s, config=replace(s.config, test=0)) if isinstance(s, Generated) else s for s in data
        )
    with at_place("styles"):
        styles = _styles(content.get("styles", {}))
    plain = {"models": tuple[str, ...], "about": str, "prepare": tuple[str, ...]}
    return Matrix(
        data,
        train,
        test,
        seeds=seeds_of(content.get("seeds", 1)),
        settings={name: _by_model(content[name], name) for name in _TRAINING if name in content},
        styles=styles,
        **_settings({name: value for name, value in content.items() if name in plain}, plain),
    )


def seeds_of(value: Any) -> tuple[int, ...]:
    """Return the seeds of `3`, the first three, or of `3-5`, these."""
    with at_place("seeds"):
        if isinstance(value, int) and not isinstance(value, bool):
            if not 1 <= value <= _MOST_SEEDS:
                raise ConfigError(f"{value} is not a number of seeds from 1 to {_MOST_SEEDS}")
            return tuple(range(value))
        found: tuple[int, ...] = _typed(value, tuple[int, ...])
        return found


def _by_model(value: Any, name: str) -> Any:
    """Return how models are trained: one value, or one by model."""
    with at_place(name):
        if name != "encoder" and isinstance(value, Mapping):
            return _settings(value, dict.fromkeys(value, _TRAINING[name]))
        return _typed(value, _TRAINING[name])


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


def _data(value: Any, like: Generated) -> tuple[Source, ...]:
    """One data set, or a list of them."""
    if value == []:
        raise ConfigError("expected at least one entry")
    return tuple(_source(each, like) for each in (value if isinstance(value, list) else [value]))


def _test(value: Any, like: Source) -> Source:
    """Lengths of stories like those of the data; or a folder, or stories with other settings."""
    if isinstance(value, Mapping) or not re.fullmatch(r"[\d\s,\[\]-]+", str(value)):
        return _source(value, like, tested=True)
    if isinstance(like, Folder):
        return replace(like, k=_lengths(value))
    return replace(like, config=replace(like.config, k=_lengths(value), train=0))


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
    given = _settings(_as_now(value), {"folder": str, **known, **_BESIDE})
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
    known = {name: hint for name, hint in _CONFIG.items() if name not in _BOTH_STYLES}
    found = {}
    for name, settings in value.items():
        with at_place(short(name, quote=False)):
            if not isinstance(settings, Mapping):
                raise ConfigError(f"{short(settings)} is not a mapping of settings such as style: prose")
            found[name] = _settings(_as_now(settings), known)
    return found


def _as_now(settings: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return settings of stories, which version 0.2 may have written, as today's files have them."""
    found = dict(settings)
    if "scene" not in found:
        sizes = {name: found.pop(name) for name in ("levels", "children") if name in found}
        spans = {name: _span(value) for name, value in sizes.items() if value is not None}
        unusual = [f"{name}={span}" for name, span in spans.items() if (name, span) != ("children", "3")]
        found |= {"scene": ",".join(unusual)} if unusual else {}
    if isinstance(found.get("disjoint"), list):  # 0.2 listed what train and test never share
        found["disjoint"] = [what for what in found["disjoint"] if what != "families"]
    return found


def _span(value: Any) -> str:
    """`[2, 4]` as `2-4`, `[3, 3]` and 3 as `3`."""
    ends = list(dict.fromkeys(map(str, value if isinstance(value, list) else [value])))
    return "-".join(ends)


def _settings(value: Mapping[Any, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings, each of its type."""
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
    """Return the value as this type: plain, a tuple of it, or none instead."""
    kind, *others = get_args(hint) or (hint,)
    if get_origin(hint) is tuple:
        return tuple(_typed(each, kind) for each in _several(value, kind))
    if value is None and type(None) in others:
        return None
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        words = {int: "a whole number", float: "a number", str: "a word", bool: "yes or no"}
        raise ConfigError(f"{short(value)} is not {words[kind]}")
    return value


def _several(value: Any, kind: type) -> Sequence[Any]:
    """Return the entries of a list, of a range of numbers such as 3-6, or of a single value."""
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
