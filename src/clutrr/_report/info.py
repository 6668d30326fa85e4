"""What something is, in a screenful: a data set, a training, an experiment or a file of answers."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clutrr._arguments import public
from clutrr._books.load import BookInfo, book_info, is_book, open_book
from clutrr._check_theory import check_theory, is_theory
from clutrr._data import Dataset
from clutrr._data.about import Info, describe
from clutrr._data.given import DataLike, WorldLike, open_data
from clutrr._display import Shown
from clutrr._io.locations import Location, is_location, parse_location
from clutrr._io.records import load_json
from clutrr._report.experiment import Experiment
from clutrr._report.loading import load_experiment
from clutrr._score.predictions import PREDICTIONS, read_result
from clutrr._score.result import CHECKPOINT, RECORD, RESULT, Result, load_result
from clutrr._train.matrix import MATRIX
from clutrr.errors import DataError
from clutrr.theory.checking import TheoryCheck

if TYPE_CHECKING:
    from clutrr._train.learnt import Learnt

_EXPLAINED = ("composer", "algebra")  # models that can say what they learnt
_FIGURES = ("format", "rows", "subsets", "roles", "labels", "checksum", "frozen", "damage", "bytes")


@dataclass(frozen=True, repr=False)
class DataInfo(Shown):
    """A data set, counted.

    - data: the data set, with notes of what could not be read
    - figures: its format, size, subsets, roles of facts and labels, a sample, and damaged files
    """

    data: Dataset
    figures: Info

    @property
    def caption(self) -> str:
        return f"{self.data.path}: {self.figures.format}, {self.figures.rows:,} puzzles"

    def rows(self) -> Iterator[list[str]]:
        splits = list(dict.fromkeys(one for by in self.figures.subsets.values() for one in by))
        yield ["subset", *splits]
        for name, sizes in self.figures.subsets.items():
            yield [name, *(f"{sizes.get(split, 0):,}" for split in splits)]

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        opened = self.data
        figures = {name: getattr(self.figures, name) for name in _FIGURES}
        about = {"world": opened.about_world, "assume": opened.assume, "files": len(opened.files)}
        return {**figures, **about, **opened.notes.to_json()}


@dataclass(frozen=True, repr=False)
class RunInfo(Shown):
    """A training.

    - run: its folder
    - record: how it was trained
    - tested: what it answered in its experiment, if it is part of one
    - evaluated: what it answered when `evaluate` was last called
    - learnt: what a composer believes, beside what is true in its world
    """

    run: Location
    record: Mapping[str, Any]
    tested: Result | None
    evaluated: Result | None
    learnt: "Learnt | None"

    @property
    def caption(self) -> str:
        config = self.record["config"]
        lengths = ", ".join(f"M{k}" for k in config["k"])
        return f"{self.run}: {config['model']}, trained on {lengths} with seed {config['seed']}"

    def rows(self) -> Iterator[list[str]]:
        yield ["epoch", "loss", "right, %"]
        for number, epoch in enumerate(self.record["epochs"], 1):
            yield [str(number), f"{epoch['loss']:.4f}", f"{epoch['accuracy']:.1f}"]

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        found = {name: value for name, value in self.record.items() if name != "vocabulary"}
        if self.evaluated is not None:
            found["evaluated"] = self.evaluated.to_json()
        if self.learnt is not None:
            found["learnt"] = self.learnt.to_json()
        return found


@public
def info(
    what: DataLike,
    *,
    world: WorldLike | None = None,
    skip_bad: bool = False,
    tick: Callable[[int], None] = lambda rows: None,
) -> DataInfo | RunInfo | Experiment | Result | TheoryCheck | BookInfo:
    """Return what something is: a data set, the folder of a training, an experiment, or a file of answers.

    Of a theory it is whether it holds (`check_theory`).

    - what: data of any kind; the path or URL of a run, an experiment, its table.json, or answers; the name
      of a theory or of a world, or the folder of a world
    - world: the one to read data with, if it does not carry its own
    - skip_bad: whether to leave out rows and files that cannot be read, and list them
    - tick: called with how many more puzzles are read

    >>> from clutrr import generate
    >>> info(generate(k=2, size=3)).figures.rows
    3
    """
    if is_book(what):
        return book_info(open_book(what))
    if is_location(what):
        place = parse_location(what)
        if any((place / name).is_file() for name in (CHECKPOINT, RECORD, RESULT)):
            return _run_info(place)
        is_table = place.suffix == ".json" and {"results", "tested"} & set(load_json(place))
        if is_table or (place / MATRIX).is_file():
            found = load_experiment(place)
            return found if found.planned or len(found.results) > 1 else found.results[0]
        if place.is_file() and (result := read_result(place)) is not None:
            return result
        if is_theory(what):
            return check_theory(what)
    opened = open_data(what, world, skip_bad=skip_bad, name="what")
    return DataInfo(opened, describe(opened, tick))


def _run_info(run: Location) -> RunInfo:
    record: dict[str, Any] = load_json(run / RESULT) or load_json(run / RECORD)
    if not {"config", "epochs"} <= set(record):
        raise DataError(
            f"not the folder of a run (it has no whole {RECORD} or {RESULT})", place=run
        )
    explained = str(record["config"]["model"]).startswith(_EXPLAINED)
    return RunInfo(
        run,
        record,
        load_result(run),
        read_result(run / PREDICTIONS),
        _learnt(run) if explained else None,
    )


def _learnt(run: Location) -> "Learnt | None":
    """Return what a composer believes."""
    from clutrr._train.inspect import inspect_composer  # torch is needed for these alone
    from clutrr._train.run import load_run, world_of

    loaded = load_run(run)
    return inspect_composer(loaded.run, loaded.model, world_of(run))
