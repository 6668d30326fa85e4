"""The experiment as data: which models are trained on which stories of which lengths, and tested on which.

A matrix is a small YAML file that people can read and edit. A cell is one training of it.

    about: One line on what it is for.
    data:                     # stories to generate, by any setting of `clutrr generate`; a folder; or a list
      preset: sound
      train: 4000
      seed: 41
    train: [3, 4, 1-3]        # the training sets; without it, each length of `data` alone
    test: {k: "2-10,20"}      # settings that differ from those of `data`, or a folder
    styles:                   # other settings, such as `world`: each style is trained on alone and tested on,
      plain: {}               # and what is trained on the first is tested on all of the same world
      noise: {irrelevant: 2}
    models: [composer, gnn]
    seeds: 3                  # how many, or which: 3-5
    epochs: 60                # and batch, learning_rate, encoder

Settings that are left out are those of `clutrr generate` and `clutrr train`. Paths are relative to the file.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, cast

import yaml

from clutrr._config import check_types, read_numbers
from clutrr._generate import Config
from clutrr._io.locations import Location, parse_location
from clutrr._io.yamls import read_yaml
from clutrr._measure import written
from clutrr._score.result import model_name, training_name
from clutrr._train.config import TrainConfig, reads_with_encoder, subset_name
from clutrr._worlds import BUILTIN
from clutrr.errors import ConfigError, Give, Hint, WorldError, short
from clutrr.theory import WORLDS

# In the folder of an experiment: what it is, and checksums of the files that it is made from, each named as
# what it is the content of.
MATRIX, INPUTS, CONTENT_OF = "matrix.yaml", "inputs.json", "content of "
_SHIPPED = resources.files("clutrr._train") / "matrices"
_MOST_SEEDS = 1000
_TRAINING = ("epochs", "batch", "learning_rate", "encoder")
_KEYS = ("about", "data", "wording", "train", "test", "styles", "models", "seeds", *_TRAINING)
_STORIES = (*(field.name for field in fields(Config)), "world")
_EVERY_STYLE = ("k", "train", "test")  # what no style changes


@dataclass(frozen=True)
class Generated:
    """Stories to generate."""

    config: Config
    world: str = "builtin:kinship"

    def __post_init__(self) -> None:
        check_types(self)


Source = Generated | str  # a text: the folder of stories that exist already


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
        return training_name(self.model, self.train, self.seed)


def training_set(k: Sequence[int], style: str = "") -> str:
    """Return the name of a training set: M3, M1-3, `prose M1-3`."""
    return f"{style} {subset_name(k)}".strip()


@dataclass(frozen=True)
class Matrix:
    """The stories, the models to train on each set of lengths, and how long.

    - data: the stories to train on, all of them together
    - train: a training set each, as lengths
    - test: the stories to test on; none for the test stories of `data`
    - how: how every model is trained; its model, lengths and seed are those of the cell, and only a model
      that reads with an encoder gets one
    - styles: settings that differ from those of `data` and `test`, by name. A model is trained on each style
      alone and tested on it; trained on the first, it is tested on all of the same world
    - wording: files whose wording is learnt, and used for all stories that are generated
    """

    data: tuple[Source, ...]
    train: tuple[tuple[int, ...], ...]
    test: Source | None = None
    models: tuple[str, ...] = ("lstm", "gnn", "gnn-attention")
    seeds: tuple[int, ...] = (0,)
    how: TrainConfig = field(default_factory=TrainConfig)
    styles: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    wording: str = ""
    about: str = ""

    def __post_init__(self) -> None:
        check_types(self)
        for name in ("data", "models", "seeds", "train"):
            values = getattr(self, name)
            if not values:
                raise ConfigError("expected at least one entry", setting=name)
            if len({model_name(str(value)) for value in values}) < len(values):
                raise ConfigError("an entry appears twice", setting=name)
        several, folders = len(self.data) > 1, len(self.generated) < len(self.data)
        if several and folders:
            raise ConfigError(
                "a folder cannot be combined with other data",
                setting="data",
                hint="put several data sets into one folder",
            )
        if several and self.test is None:
            raise ConfigError(
                "say what to test on, since there are several data sets to train on", setting="test"
            )
        if len({source.world for source in self.generated}) > 1:
            raise ConfigError(
                "data sets that are trained on together must have the same world", setting="data"
            )
        there = {k for source in self.generated for k in source.config.k}
        if missing := [k for ks in self.train for k in ks if there and k not in there]:
            raise ConfigError(
                f"{missing[0]} is not among the lengths of the data, {written(there)}",
                setting="train",
            )
        if self.styles and (folders or isinstance(self.test, str)):
            raise ConfigError(
                "they need generated data sets, to train and to test on", setting="styles"
            )
        for name in self.styles:
            if not re.fullmatch(r"\w+(-\w+)*", name):
                raise ConfigError("is not a word", setting="styles", value=name)
            with at_place(f"styles: {name}"):
                self.data_in(name), self.tested_in(name)

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
        if not style or isinstance(source, str):
            return source
        settings = dict(self.styles[style])
        world = settings.pop("world", source.world)
        return Generated(replace(source.config, **settings), world)

    @property
    def style_names(self) -> tuple[str, ...]:
        """The styles by name; a single one without a name if there are no styles."""
        return tuple(self.styles) or ("",)

    def tests_style(self, trained: str, tested: str) -> bool:
        """Return whether a model that is trained on a style is tested on another."""
        worlds = {self.styles.get(style, {}).get("world") for style in (trained, tested)}
        return trained == tested or (trained == self.style_names[0] and len(worlds) == 1)

    def cells(self) -> Iterator[Cell]:
        for seed in self.seeds:
            for model in self.models:
                for style in self.style_names:
                    for k in self.train:
                        yield Cell(model, k, seed, style)

    def training(self, cell: Cell) -> TrainConfig:
        """Return how a cell is trained."""
        encoder = self.how.encoder if reads_with_encoder(cell.model) else ""
        return replace(self.how, model=cell.model, k=cell.k, seed=cell.seed, encoder=encoder)

    def changed(
        self,
        models: Sequence[str] | None = None,
        seeds: int | str | None = None,
        data: str | Location | None = None,
        encoder: str | None = None,
        epochs: int | None = None,
        train: int | None = None,
        test: int | None = None,
    ) -> "Matrix":
        """Return the same with other settings; paths are relative to the current folder.

        epochs: of each training. train, test: how many stories of each length are generated.
        data: files to test on; trained on as well if the data was a folder, else on stories in their wording.
        """
        here, new = parse_location("."), self
        if data is not None:
            path = _path(str(data), here)
            if self.generated:
                new = replace(new, data=_without_tests(self.data), test=path, wording=path)
            else:
                new = replace(new, data=(path,), test=None)
        if models is not None:
            new = replace(new, models=tuple(_model(name, here) for name in models))
        if seeds is not None:
            number = (
                int(seeds) if isinstance(seeds, str) and re.fullmatch(r"\d{1,9}", seeds) else seeds
            )
            new = replace(new, seeds=seeds_of(number))
        if encoder is not None:
            new = replace(new, how=replace(new.how, encoder=_path(encoder, here)))
        if epochs is not None:
            new = replace(new, how=replace(new.how, epochs=epochs))
        if train is not None:
            new = replace(new, data=tuple(_sized(source, "train", train) for source in new.data))
        if test is not None and new.test is not None:
            new = replace(new, test=_sized(new.test, "test", test))
        elif test is not None:
            new = replace(new, data=tuple(_sized(source, "test", test) for source in new.data))
        return new


def _sized(source: Source, setting: str, stories: int) -> Source:
    """Return stories to generate, so many of each length. setting: train or test."""
    if isinstance(source, str):
        raise ConfigError("the stories are in a folder, and are not generated", setting=setting)
    config = source.config
    sized = replace(config, train=stories) if setting == "train" else replace(config, test=stories)
    return replace(source, config=sized)


def _without_tests(data: Iterable[Source]) -> tuple[Source, ...]:
    """Return the stories to train on where others are tested on."""
    return tuple(
        s if isinstance(s, str) else replace(s, config=replace(s.config, test=0)) for s in data
    )


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


def find_matrix(named: str, programs: bool = False) -> Matrix:
    """Return a matrix by its name (`builtin:` may go before it), or of a file (such as `./composer`).

    - programs: whether its models may be programs, as in FILE.py:NAME. A file may come from anybody.
    """
    if (name := named.removeprefix(BUILTIN)) in shipped():
        if name == named and parse_location(name).is_file():
            raise ConfigError(
                f"{name} could mean two: write ./{name} for the file, or {BUILTIN}{name} for ours",
                setting="matrix",
            )
        return load_matrix(_SHIPPED / f"{name}.yaml")
    path = parse_location(named)
    if not path.exists():
        raise ConfigError(
            f"{named} is neither a file nor one of {', '.join(shipped())}; "
            "a checkout has others, as in experiments/composer.yaml",
            setting="matrix",
        )
    found = load_matrix(path, path.absolute().parent)
    for model in found.models if not programs else ():
        if ".py:" in model:
            raise ConfigError(
                f"its model {short(model)} is a program",
                place=path,
                hint=Hint("read it, and name it to run it: {}", (Give("models"),)),
            )
    return found


def load_matrix(path: Traversable | Location, folder: Location | None = None) -> Matrix:
    """Return the matrix of a file. folder: what its paths are relative to; None for nothing."""
    content = read_yaml(cast("Traversable", path), ConfigError)
    with at_place(str(path)):
        return matrix_of(content, folder)


def matrix_text(matrix: Matrix) -> str:
    """Return the file of a matrix, with everything spelt out."""
    data = [_source_content(source) for source in matrix.data]
    content = {
        "about": matrix.about,
        "data": data[0] if len(data) == 1 else data,
        "wording": matrix.wording,
        "train": [ks if len(ks) > 1 else ks[0] for ks in matrix.train],
        "test": "" if matrix.test is None else _source_content(matrix.test, "train"),
        "styles": matrix.styles,
        "models": matrix.models,
        "seeds": seeds_text(matrix.seeds),
        **{name: getattr(matrix.how, name) for name in _TRAINING},
    }
    known = {name: value for name, value in content.items() if value not in ("", [], {})}
    plain = json.loads(json.dumps(known))  # with lists for tuples
    return yaml.safe_dump(plain, sort_keys=False, default_flow_style=None)


def _source_content(source: Source, *left_out: str) -> Any:
    if isinstance(source, str):
        return source
    known = {name: value for name, value in source.config.to_dict().items() if value is not None}
    return {**{n: value for n, value in known.items() if n not in left_out}, "world": source.world}


def _path(named: Any, folder: Location | None) -> Any:
    """Return where a file is, if it is in this folder; else as it was named."""
    if not named or not isinstance(named, str) or folder is None or "://" in named:
        return named
    there = folder / named
    return str(there.absolute()) if there.exists() else named


def _model(named: str, folder: Location | None) -> str:
    """Return a model by name; a user's own with the path of its file."""
    file, mark, name = named.rpartition(".py:")
    return _path(f"{file}.py", folder) + f":{name}" if mark else named


def matrix_of(content: Any, folder: Location | None = Path()) -> Matrix:
    """Return the matrix that the content of a file describes. folder: what its paths are relative to."""
    if not isinstance(content, Mapping):
        raise ConfigError(f"expected a mapping of {', '.join(_KEYS)}")
    _check_names(content, _KEYS)
    train = None
    if "train" in content:
        with at_place("train"):
            train = training_sets(content["train"])
    with at_place("data"):
        lengths = Config.k if train is None else tuple(sorted({k for ks in train for k in ks}))
        data = _several(content.get("data", {}))
        sources = tuple(
            _source(one, Generated(Config(k=lengths)), _STORIES, folder) for one in data
        )
    if train is None:
        if not sources or isinstance(sources[0], str):
            raise ConfigError("say which lengths to train on, such as [3, 4, 1-3]", setting="train")
        train = tuple((k,) for k in sources[0].config.k)
    test = None
    if "test" in content:
        with at_place("test"):
            known = [name for name in _STORIES if name != "train"]
            like = (
                sources[0] if sources and isinstance(sources[0], Generated) else Generated(Config())
            )
            test = _source(content["test"], like, known, folder, train=0)
        sources = _without_tests(sources)
    with at_place("styles"):
        styles = _styles(content.get("styles", {}))
    models = _several(content.get("models", Matrix.models))
    if not all(isinstance(model, str) for model in models):
        raise ConfigError(
            "a matrix has names: save a model of your own, and name it FILE.py:NAME",
            setting="models",
        )
    training = {name: content[name] for name in _TRAINING if name in content}
    return Matrix(
        sources,
        train,
        test,
        tuple(_model(name, folder) for name in models),
        seeds_of(content.get("seeds", 1)),
        TrainConfig(**{**training, "encoder": _path(content.get("encoder", ""), folder)}),
        styles,
        _path(content.get("wording", ""), folder),
        content.get("about", ""),
    )


def seeds_of(value: Any) -> tuple[int, ...]:
    """Return the seeds of `3`, the first three, or of `3-5`, these."""
    if isinstance(value, int) and not isinstance(value, bool):
        if not 1 <= value <= _MOST_SEEDS:
            reason = f"is not a number of seeds from 1 to {_MOST_SEEDS}"
            raise ConfigError(reason, setting="seeds", value=value)
        return tuple(range(value))
    return read_numbers(value, "seeds")


def seeds_text(seeds: Sequence[int]) -> int | str:
    """Return the same as a file says it."""
    if list(seeds) == list(range(len(seeds))):
        return len(seeds)
    return written(seeds) if len(seeds) > 1 else f"{seeds[0]}-{seeds[0]}"


def training_sets(value: Any) -> tuple[tuple[int, ...], ...]:
    """`[3, 4, [1, 2, 3], 1-4]`: a list of lengths, each a number or several that are trained on together."""
    if not isinstance(value, list) or not value:
        raise ConfigError(f"{short(value)} is not a list of training sets, such as [3, 4, 1-3]")
    return tuple(tuple(sorted(set(read_numbers(each, "")))) for each in value)


def _source(
    value: Any, like: Generated, known: Iterable[str], folder: Location | None, **fixed: Any
) -> Source:
    """Stories by a folder's name, or by settings; those left out are fixed, or as in `like`."""
    if isinstance(value, str):
        return str(_path(value, folder))
    if not isinstance(value, Mapping):
        raise ConfigError(f"{short(value)} is neither a folder nor settings such as preset: sound")
    given = _settings(value, known)
    world = given.pop("world", like.world)
    if world not in WORLDS:
        world = _path(world, folder)
    return Generated(replace(like.config, **given, **fixed), world)


def _styles(value: Any) -> dict[str, dict[str, Any]]:
    """Settings of stories, by the name of the style."""
    known = [name for name in _STORIES if name not in _EVERY_STYLE]
    if not isinstance(value, Mapping) or not all(
        isinstance(one, Mapping) for one in value.values()
    ):
        raise ConfigError(
            f"{short(value)} is not a mapping of settings by style, such as plain: {{}}"
        )
    found = {}
    for name, settings in value.items():
        with at_place(short(name, quote=False)):
            found[name] = _settings(settings, known)
    return found


def _settings(value: Mapping[Any, Any], known: Iterable[str]) -> dict[str, Any]:
    """Return settings of `Config`, which checks them; with those of several values as it has them."""
    _check_names(value, known)
    lists = {name: read_numbers(value[name], name) for name in ("k", "routes") if name in value}
    if "disjoint" in value:
        lists["disjoint"] = tuple(_several(value["disjoint"]))
    return {**value, **lists}


def _check_names(value: Mapping[Any, Any], known: Iterable[str]) -> None:
    for key in value:
        if key not in known:
            raise ConfigError(
                f"there is no setting {short(key)}; the settings are {', '.join(known)}"
            )


def _several(value: Any) -> Sequence[Any]:
    """Return the entries of a list, or a single value as one."""
    return value if isinstance(value, list | tuple) else [value]


@contextmanager
def at_place(place: str) -> Iterator[None]:
    """Put the place before the message of any error that occurs inside."""
    try:
        yield
    except (ConfigError, WorldError) as error:
        raise error.at(place) from None
