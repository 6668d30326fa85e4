"""The experiment as data: which models are trained on which stories of which lengths, and tested on which.

A matrix is a small YAML file that people can read and edit: see `matrix_file`. A cell is one training of it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from clutrr.errors import ConfigError, short
from clutrr.experiment.config import TrainConfig, reads_with_encoder, subset_name
from clutrr.generator import Config
from clutrr.measure import written
from clutrr.scoring.result import training_name
from clutrr.world.load import BUILTIN, builtin_worlds

T = TypeVar("T", int, float)
_MOST_SEEDS = 1000
_BY_MODEL = ("epochs", "batch", "learning_rate")  # settings that may be one for each model


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
class TrainingSet:
    """Stories of these lengths, told in one style if there are several."""

    k: tuple[int, ...]
    style: str = ""

    @property
    def name(self) -> str:
        return f"{self.style} {subset_name(self.k)}".strip()

    @property
    def own(self) -> tuple[str, ...]:
        """The subsets tested on that are of its lengths and style."""
        return tuple(f"{self.style} M{k}".strip() for k in self.k)


@dataclass(frozen=True)
class Cell:
    """One training: of a model, on stories of these lengths."""

    model: str
    k: tuple[int, ...]
    seed: int
    style: str = ""

    @property
    def train(self) -> str:
        return TrainingSet(self.k, self.style).name

    @property
    def name(self) -> str:
        """Of its folder."""
        return training_name(*self.key)

    @property
    def key(self) -> tuple[str, str, int]:
        """As of a result: the model, the training set and the seed."""
        return self.model, self.train, self.seed


@dataclass(frozen=True)
class Matrix:
    """The stories, the models to train on each set of lengths, and how long.

    data: the stories to train on, all of them together. train: a training set each, as lengths. test: the
    stories to test on; none for the test stories of `data`. styles: ways to tell the stories, by name, as
    settings that differ from those of `data` and `test`. A model is trained on each style alone and tested
    on it; trained on the first, it is tested on all of them. epochs, batch, learning_rate: a number, or
    one for each model; for models without one, as in TrainConfig. encoder: what the model `pairs` reads with.
    prepare: commands that make the folder that `data` names; they are shown, never run.
    """

    data: tuple[Source, ...]
    train: tuple[tuple[int, ...], ...]
    test: tuple[Source, ...] = ()
    models: tuple[str, ...] = ("lstm", "gnn", "gnn-attention")
    seeds: tuple[int, ...] = (0,)
    epochs: int | Mapping[str, int] = TrainConfig.epochs
    batch: int | Mapping[str, int] = TrainConfig.batch
    learning_rate: float | Mapping[str, float] = TrainConfig.learning_rate
    encoder: str = ""
    about: str = ""
    styles: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    prepare: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        for name, values in (("models", self.models), ("seeds", self.seeds), ("train", self.train)):
            if not values:
                raise ConfigError(f"{name}: expected at least one entry")
            if len(set(values)) < len(values):
                raise ConfigError(f"{name}: an entry appears twice")
        for name in _BY_MODEL:
            value = getattr(self, name)
            if isinstance(value, Mapping) and (others := [m for m in value if m not in self.models]):
                listed = ", ".join(self.models)
                raise ConfigError(f"{name}: {short(others[0])} is not one of the models {listed}")
        self._check_data()
        self._check_styles()
        for cell in self.cells():
            self.training(cell)

    def _check_data(self) -> None:
        if not self.data:
            raise ConfigError("data: expected at least one entry")
        if len(self.data) > 1 and not self.test:
            raise ConfigError("test: say what to test on, since there are several data sets to train on")
        if len(self.data) > 1 and len(self.generated) < len(self.data):
            raise ConfigError(
                "data: a folder cannot be combined with other data; put several data sets into one folder"
            )
        if len({source.world for source in self.generated}) > 1:
            raise ConfigError("data: data sets that are trained on together must have the same world")
        made = [source for source in (*self.data, *self.test) if isinstance(source, Generated)]
        if len({source.wording for source in made}) > 1:
            raise ConfigError("data, test: name one wording only; all generated stories are told in it")
        there = {k for source in self.generated for k in source.config.k}
        if missing := [k for ks in self.train for k in ks if there and k not in there]:
            raise ConfigError(f"train: {missing[0]} is not among the lengths of the data, {written(there)}")

    def _check_styles(self) -> None:
        if not self.styles:
            return
        if len(self.styles) < 2:
            raise ConfigError("styles: name at least two; the settings of a single one belong in data")
        for name in self.styles:
            if not re.fullmatch(r"\w+(-\w+)*", name):
                raise ConfigError(f"styles: {name!r} is not a word")
        sources = (*self.data, *self.test)
        if len(self.data) > 1 or len(self.test) > 1 or not all(isinstance(s, Generated) for s in sources):
            raise ConfigError("styles: they need exactly one generated data set, and at most one to test on")
        for name in self.styles:
            try:
                self.data_in(name), self.tested_in(name)
            except ConfigError as error:
                raise ConfigError(f"styles: {name}: {error}") from None

    @property
    def generated(self) -> list[Generated]:
        """The stories to train on that have to be made."""
        return [source for source in self.data if isinstance(source, Generated)]

    @property
    def tested(self) -> tuple[Source, ...]:
        """The stories to test on."""
        return self.test or self.data

    def data_in(self, style: str) -> tuple[Source, ...]:
        """The stories to train on, told in this style."""
        return tuple(self._styled(source, style) for source in self.data)

    def tested_in(self, style: str) -> tuple[Source, ...]:
        """The stories to test on, told in this style."""
        return tuple(self._styled(source, style) for source in self.tested)

    def _styled(self, source: Source, style: str) -> Source:
        if not style or isinstance(source, Folder):
            return source
        return replace(source, config=replace(source.config, **self.styles[style]))

    @property
    def style_names(self) -> tuple[str, ...]:
        """The styles by name; a single one without a name if there are no styles."""
        return tuple(self.styles) or ("",)

    @property
    def training_sets(self) -> tuple[TrainingSet, ...]:
        return tuple(TrainingSet(k, style) for style in self.style_names for k in self.train)

    @property
    def trained_on(self) -> tuple[str, ...]:
        """The training sets, by name."""
        return tuple(trained.name for trained in self.training_sets)

    def tests_style(self, trained: str, tested: str) -> bool:
        """Whether a model that is trained on a style is tested on another."""
        return trained in (tested, self.style_names[0])

    @property
    def tested_on(self) -> tuple[str, ...]:
        """The subsets to test on, by name, as far as they are known without looking at the stories."""
        return tuple(
            f"{style or label} M{k}".strip()
            for style in self.style_names
            for source, label in zip(self.tested_in(style), labels(self.tested), strict=True)
            for k in (source.config.k if isinstance(source, Generated) else source.k or ())
        )

    @property
    def wording(self) -> str | None:
        """The files whose wording is learnt."""
        return next((source.wording for source in self.generated), None)

    @property
    def presets(self) -> frozenset[str | None]:
        """Of the stories trained on; None stands for a folder."""
        return frozenset(s.config.preset if isinstance(s, Generated) else None for s in self.data)

    def cells(self) -> Iterator[Cell]:
        for seed in self.seeds:
            for model in self.models:
                for trained in self.training_sets:
                    yield Cell(model, trained.k, seed, trained.style)

    def training(self, cell: Cell) -> TrainConfig:
        return TrainConfig(
            cell.model,
            cell.k,
            cell.seed,
            epochs=of_model(self.epochs, cell.model, TrainConfig.epochs),
            batch=of_model(self.batch, cell.model, TrainConfig.batch),
            learning_rate=of_model(self.learning_rate, cell.model, TrainConfig.learning_rate),
            encoder=self.encoder if reads_with_encoder(cell.model) else "",
        )

    def on_models(self, models: tuple[str, ...]) -> "Matrix":
        """The same with these models; settings by model are those of the models that remain."""

        def of(value: Any) -> Any:
            if not isinstance(value, Mapping):
                return value
            return {model: setting for model, setting in value.items() if model in models}

        settings = {name: of(getattr(self, name)) for name in _BY_MODEL}
        return replace(self, models=models, **settings)

    def on_files(self, path: str) -> "Matrix":
        """The same on given files: tested on them, and trained on them if the data was a folder, or else on
        stories in their wording."""
        if not self.generated:
            same = Path(path).name in {Path(s.path).name for s in self.data if isinstance(s, Folder)}
            return replace(self, data=(Folder(path),), test=(), prepare=self.prepare if same else ())
        data = tuple(Generated(replace(source.config, test=0), wording=path) for source in self.generated)
        return replace(self, data=data, test=(Folder(path),))

    def anywhere(self) -> "Matrix":
        """The same for all places that its files may have, which differ from machine to machine."""

        def moved(source: Source) -> Source:
            if isinstance(source, Folder):
                return replace(source, path="files")
            if source.wording is not None:
                return replace(source, wording="files")
            if source.world.removeprefix(BUILTIN) in builtin_worlds():
                return source
            return replace(source, world=f"./{Path(source.world).name}")

        data, test = (tuple(map(moved, sources)) for sources in (self.data, self.test))
        return replace(self, data=data, test=test, encoder="")

    def smaller_than(self, full: "Matrix") -> list[str]:
        """What this experiment has less of than another that generates its stories, in words."""
        sizes: dict[str, Callable[[Matrix], list[int]]] = {
            "training stories a subset": lambda m: [s.config.train for s in m.generated],
            "test stories a subset": lambda m: [s.config.test for s in m.tested if isinstance(s, Generated)],
            "distractors a person": lambda m: [s.config.distractors for s in m.generated],
            "epochs": lambda m: [m.training(cell).epochs for cell in m.cells()],
        }
        least = {what: (min(of(self), default=None), min(of(full))) for what, of in sizes.items()}
        return [
            f"{what}: {here} instead of {there}"
            for what, (here, there) in least.items()
            if here is not None and here < there
        ]


def labels(sources: Sequence[Source]) -> list[str]:
    """A name for each of several data sets; none if there is only one."""
    if len(sources) == 1:
        return [""]
    return distinct(
        [s.config.preset or s.world if isinstance(s, Generated) else Path(s.path).name for s in sources]
    )


def distinct(names: Sequence[str]) -> list[str]:
    """The names, with a number after each that occurs several times."""
    return [
        name if names.count(name) == 1 else f"{name}-{names[: i + 1].count(name)}"
        for i, name in enumerate(names)
    ]


def of_model(value: T | Mapping[str, T], model: str, otherwise: T) -> T:
    """The setting for a model, which may be one for all or one for each."""
    return value.get(model, otherwise) if isinstance(value, Mapping) else value


def first_seeds(count: int) -> tuple[int, ...]:
    if not 1 <= count <= _MOST_SEEDS:
        raise ConfigError(f"{count} is not a number of seeds from 1 to {_MOST_SEEDS}")
    return tuple(range(count))
