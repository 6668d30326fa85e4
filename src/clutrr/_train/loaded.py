"""A training opened again: what its model answers, believes and looks at."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import torch
from torch import Tensor

from clutrr._data.given import DataLike, open_data
from clutrr._display import Shown
from clutrr._io.locations import Location
from clutrr._lexicon import World
from clutrr._puzzle import Puzzle
from clutrr._table import to_table
from clutrr.errors import ConfigError
from clutrr.models import Blueprint, Encoded, Model
from clutrr.models.tokens import node_names

if TYPE_CHECKING:
    from clutrr._train.learnt import Learnt
    from clutrr._train.run import Run
    from clutrr.models.compose import Beliefs

_SHOWN = 10  # answers in a notebook


@dataclass(frozen=True)
class Prediction:
    """What a model answers to one puzzle.

    - puzzle: what it was asked
    - probabilities: of all its answers, the likeliest first
    """

    puzzle: Puzzle
    probabilities: Mapping[str, float]

    @property
    def answer(self) -> str:
        """The likeliest."""
        return next(iter(self.probabilities))

    @property
    def right(self) -> bool:
        return self.answer == self.puzzle.target


class Predictions(Shown, Sequence[Prediction]):
    """What a model answers to some puzzles, in their order."""

    def __init__(self, answers: Sequence[Prediction]) -> None:
        self._answers = answers

    def __len__(self) -> int:
        return len(self._answers)

    def __getitem__(self, at: Any) -> Any:
        return self._answers[at]

    @property
    def accuracy(self) -> float:
        """In percent."""
        return 100 * sum(one.right for one in self._answers) / max(len(self), 1)

    @property
    def caption(self) -> str:
        more = f"; the first {_SHOWN}" if len(self) > _SHOWN else ""
        return f"{len(self)} puzzles, {self.accuracy:.1f} % right{more}"

    def rows(self) -> Iterator[list[str]]:
        yield ["id", "pattern", "target", "answer", "probability"]
        for one in self._answers[:_SHOWN]:
            share = f"{one.probabilities[one.answer]:.3f}"
            pattern = "-".join(one.puzzle.pattern)
            yield [one.puzzle.id, pattern, one.puzzle.target, one.answer, share]

    def to_json(self) -> list[dict[str, Any]]:
        """Return a row for each: id, pattern, k, target, answer, probability, right and probabilities."""
        return [
            {
                "id": one.puzzle.id,
                "pattern": "-".join(one.puzzle.pattern),
                "k": one.puzzle.k,
                "target": one.puzzle.target,
                "answer": one.answer,
                "probability": one.probabilities[one.answer],
                "right": one.right,
                "probabilities": dict(one.probabilities),
            }
            for one in self._answers
        ]

    def to_pandas(self) -> Any:
        """Return the same as a frame of pandas."""
        return frame_of(self.to_json())


class _Loaded(NamedTuple):
    """What a run is made of.

    - run: its record: settings, vocabulary, epochs
    - made_from: what encodes stories for the model
    - model: with the weights that were trained
    """

    run: "Run"
    made_from: Blueprint
    model: Model


class LoadedRun(_Loaded):
    """A training, read back: `run, made_from, model = load_run(place)`, or what its methods say.

    - predict: what it answers, with the probabilities of all answers
    - beliefs, learnt: what a composer or `algebra` makes of any two relations
    - attention: how much of each neighbour every entity hears, in models that have attention
    - outputs: what any parts of the model compute, by hooks
    """

    folder: Location | None = None

    def _repr_html_(self) -> str:
        return self.run._repr_html_()

    def predict(self, puzzles: DataLike, *, device: str = "auto") -> Predictions:
        """Return what the model answers: a sequence of `Prediction`.

        - puzzles: a sequence of puzzles, a file or folder, or rows of your own
        """
        asked = self._puzzles(puzzles)
        shares = self._scores(to_table(asked), device) if asked else []
        relations = self.run.vocabulary.relations
        found = []
        for puzzle, row in zip(asked, shares, strict=True):
            each = sorted(zip(relations, row, strict=True), key=lambda pair: -pair[1])
            found.append(Prediction(puzzle, dict(each)))
        return Predictions(found)

    def beliefs(self) -> "Beliefs":
        """Return what is made of any two relations as tensors: `beliefs().two[i, j]`, relations by number.

        The numbers are places in `run.vocabulary.relations`. Raises ConfigError for a model that has no such
        table.
        """
        composer: Any = getattr(self.model, "processor", None)
        if not hasattr(composer, "beliefs"):
            raise ConfigError(
                f"{self.run.config.model} has no table of compositions; composers and algebra have",
                setting="model",
            )
        self.model.eval()
        with torch.inference_mode():
            found: Beliefs = composer.beliefs()
        return found

    def learnt(self, world: World | None = None) -> "Learnt":
        """Return what it makes of sentences and of any two relations, beside what is true.

        - world: None for the one that it was trained in
        """
        from clutrr._train.inspect import inspect_composer
        from clutrr._train.run import world_of

        self.beliefs()  # or say why not
        if world is None:
            if self.folder is None:
                raise ConfigError("is not known; name it", setting="world")
            world = world_of(self.folder)
        found = inspect_composer(self.run, self.model, world)
        assert found is not None
        return found

    def attention(self, puzzles: DataLike) -> list[list[dict[str, dict[str, float]]]]:
        """Return, for each puzzle and round, how much every entity hears of each neighbour, by names.

        The shares of an entity's neighbours add up to 1. Raises ConfigError for a model without attention.
        """
        asked = self._puzzles(puzzles)
        part: Any = getattr(self.model, "processor", None)
        if getattr(part, "attended", None) is None:
            raise ConfigError(f"{self.run.config.model} has no attention", setting="model")
        table = to_table(asked)
        encoded: Any = self.made_from.encode(table, self.run.vocabulary)
        names, neighbours = node_names(table), encoded.graph.neighbours.tolist()
        linked = (encoded.graph.sentences[..., 0] > 0).tolist()
        rounds = [shares.tolist() for shares in self._hooked(encoded, ["processor.attended"])[0]]
        found = []
        for story, names_here in enumerate(names):
            each = [
                {
                    name: {
                        names_here[other]: share
                        for other, share, there in zip(
                            neighbours[story][i], shares[story][i], linked[story][i], strict=True
                        )
                        if there
                    }
                    for i, name in enumerate(names_here)
                }
                for shares in rounds
            ]
            found.append(each)
        return found

    def outputs(self, puzzles: DataLike, *parts: str) -> dict[str, list[Any]]:
        """Return what parts of the model compute for these puzzles, each as often as it is called.

        - puzzles: together one batch
        - parts: names as in `model.named_modules()`, such as "reader" or "processor.cell"
        """
        known = dict(self.model.named_modules())
        if unknown := [part for part in parts if part not in known or not part]:
            there = ", ".join(name for name in known if name)
            raise ConfigError(f"there is no {unknown[0]!r}; there are {there}", setting="parts")
        encoded = self.made_from.encode(to_table(self._puzzles(puzzles)), self.run.vocabulary)
        return dict(zip(parts, self._hooked(encoded, parts), strict=True))

    def _hooked(self, encoded: Encoded, parts: Sequence[str]) -> list[list[Any]]:
        """Return what each part computes for all stories, in one batch on the model's device."""
        from clutrr._train.loop import one_thread

        device = next(self.model.parameters()).device
        known = dict(self.model.named_modules())
        heard: list[list[Any]] = [[] for _ in parts]

        def listener(into: list[Any]) -> Any:
            return lambda module, given, output: into.append(output)

        stories = encoded.to(device)
        generator = torch.Generator(device).manual_seed(0)
        self.model.eval()
        with ExitStack() as stack:
            for part, into in zip(parts, heard, strict=True):
                handle = known[part].register_forward_hook(listener(into))
                stack.callback(handle.remove)
            stack.enter_context(torch.inference_mode())
            stack.enter_context(one_thread())
            self.model(stories.batch(torch.arange(len(stories), device=device), generator))
        return heard

    def _scores(self, table: pa.Table, device: str) -> list[list[float]]:
        """Return the probabilities of all answers, as `evaluate` works them out."""
        from clutrr._train.config import choose_device, seed_of
        from clutrr._train.loop import answer, one_thread

        on = choose_device(device)
        encoded = self.made_from.encode(table, self.run.vocabulary)
        generator = torch.Generator(on).manual_seed(seed_of(0, "answer"))
        with one_thread():
            shares: Tensor = answer(self.model.to(on), encoded.to(on), generator)
        found: list[list[float]] = shares.cpu().tolist()
        return found

    def _puzzles(self, puzzles: DataLike) -> list[Puzzle]:
        if isinstance(puzzles, Puzzle):
            return [puzzles]
        return list(open_data(puzzles, name="puzzles").puzzles())


def confusion_rows(confusion: Counter[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return how often each target was given each answer, the most frequent first."""
    return [
        {"target": target, "answer": given, "times": times, "right": target == given}
        for (target, given), times in confusion.most_common()
    ]


def pattern_rows(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return how many questions of each pattern there are, and how many were answered wrongly: these first."""
    asked: Counter[str] = Counter(str(row["pattern"]) for row in rows)
    wrong = Counter(str(row["pattern"]) for row in rows if not row["right"])
    order = sorted(asked, key=lambda pattern: (-wrong[pattern], pattern))
    return [
        {"pattern": one, "asked": asked[one], "wrong": wrong[one], "share": wrong[one] / asked[one]}
        for one in order
    ]


def frame_of(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return rows as a frame of pandas, which users install themselves."""
    try:
        import pandas
    except ImportError as error:
        raise ConfigError("pandas is not installed", hint="pip install pandas") from error
    return pandas.DataFrame(rows)
