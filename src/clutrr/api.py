"""The functions that Python users call, and that the commands call: the same nouns, the same defaults.

Settings that are not named in a signature, and all defaults, are in `clutrr.settings`.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

from clutrr.errors import ConfigError, extras_named
from clutrr.settings import (
    ASK,
    AUDIT,
    DATASET,
    OPENAI,
    TRAIN,
    WORLD,
    AskSettings,
    AuditSettings,
    DatasetSettings,
    PromptSettings,
    StorySettings,
    TrainSettings,
)
from clutrr.storage import Where, where

if TYPE_CHECKING:
    from clutrr.ask import Outcome
    from clutrr.auditor import Audit
    from clutrr.data import Dataset
    from clutrr.experiment.evaluate import Answers
    from clutrr.experiment.job import Progress
    from clutrr.experiment.run import Run
    from clutrr.generator import Config
    from clutrr.prompts import Prompt
    from clutrr.puzzle import Puzzle
    from clutrr.scoring import Result
    from clutrr.solver import Solution
    from clutrr.world import World

_Place = str | Where
_WorldLike: TypeAlias = "str | Path | World"
_DataLike: TypeAlias = "str | Where | Dataset"


def generate(
    preset: str | None = DATASET["preset"],
    k: int = 3,
    size: int = 1000,
    seed: int = DATASET["seed"],
    *,
    split: str = "train",
    world: "_WorldLike" = WORLD,
    **settings: Unpack[StorySettings],
) -> "Sequence[Puzzle]":
    """Return puzzles of one subset, as a sequence that is made a block at a time.

    With the same seed, `clutrr generate` writes the same puzzles; a larger size only adds to them.
    settings: of the stories, see `StorySettings`.

    >>> puzzles = generate(preset="sound", k=4, size=100, seed=7)
    >>> len(puzzles), puzzles[0].query, puzzles[0].target
    (100, ('Gertrude', 'Lamar'), 'brother')
    """
    from clutrr.generator import SPLITS
    from clutrr.generator import puzzles as made

    _check_names(settings, StorySettings)
    if split not in SPLITS:
        raise ConfigError(f"split: {split!r} is not one of {', '.join(SPLITS)}")
    if size < 0:
        raise ConfigError(f"size: {size} is below 0")
    sizes = DatasetSettings(preset=preset, k=(k,), train=max(size, 1), test=max(size, 1), seed=seed)
    return made(_config({**DATASET, **settings, **sizes}), _loaded(world), split, size)


def generate_folder(
    out: _Place,
    *,
    world: "_WorldLike" = WORLD,
    tick: Callable[[int], None] = lambda stories: None,
    note: Callable[[str], None] = lambda text: None,
    **settings: Unpack[DatasetSettings],
) -> dict[str, Any]:
    """Write a data set of several subsets as a folder, and return its manifest.

    - tick: called with how many more stories are written
    - note: called with each remark on the subsets, before anything is written
    - settings: see `DatasetSettings`

    >>> manifest = generate_folder("pairs", k=(2,), train=20, test=5)
    >>> manifest["subsets"]["M2"]["train"]["rows"]
    20
    """
    from clutrr.generator.folder import Job, crew_of
    from clutrr.generator.folder import generate_folder as write_folder
    from clutrr.workers import open_crew

    _check_names(settings, DatasetSettings)
    chosen: DatasetSettings = {**DATASET, **settings}
    if chosen["cluster"] is not None and chosen["workers"] is not None:
        raise ConfigError("--workers and --cluster: give only one of them")
    named = str(world) if isinstance(world, Path) else world
    job = Job(where(out), _config(chosen), named, chosen["format"], chosen["workers"], chosen["force"])
    with open_crew(chosen["cluster"], lambda: crew_of(job)) as crew:
        return write_folder(job, tick, note, crew)


def read(path: _Place, *, world: "_WorldLike | None" = None) -> "Sequence[Puzzle]":
    """Return the puzzles of a file or folder: any format that is known, gzipped or not.

    world: the one to read it with, if the data does not carry its own.

    >>> write(generate(k=2, size=3), "three.jsonl")
    3
    >>> [puzzle.k for puzzle in read("three.jsonl")]
    [2, 2, 2]
    """
    return list(_opened(path, world).puzzles())


def write(
    puzzles: "Sequence[Puzzle]",
    out: _Place,
    *,
    world: "_WorldLike" = WORLD,
    to: str | None = None,
    force: bool = False,
) -> int:
    """Write puzzles to a file (.parquet, .csv, .jsonl) or to a folder that carries its world.

    Returns how many there were. world: the world of their stories. to: another format, as for
    `clutrr convert --to`.

    >>> write(generate(k=2, size=3), "three.parquet")
    3
    """
    from clutrr.data.convert import Target, convert
    from clutrr.data.dataset import dataset_of

    return convert(dataset_of(puzzles, _loaded(world)), Target.of(where(out), to), force)


def solve(
    story: str, query: tuple[str, str], world: "_WorldLike" = WORLD, assume: str | None = None
) -> "Solution":
    """Return what the second entity of the query can be to the first, with a proof: `print` it.

    assume: which scenes are possible (docs/assumptions.md); None for the theory's default.

    >>> solve("Bob is Ann's son. Carl is Bob's brother.", ("Ann", "Carl")).answer
    'son'
    """
    from clutrr.solver import solve_story

    first, second = query
    return solve_story(story, (first, second), _loaded(world), assume)


def audit(
    data: "_DataLike",
    *,
    world: "_WorldLike | None" = None,
    tick: Callable[[int], None] = lambda rows: None,
    **settings: Unpack[AuditSettings],
) -> "Audit":
    """Examine a data set: soundness, balance, leaks, shortcuts, ceilings.

    tick: called with how many more rows are judged. settings: see `AuditSettings`.

    >>> write(generate(k=2, size=50), "fifty")
    50
    >>> audit("fifty").subsets["M2"]["train"].soundness["tree"]["proved"]
    100.0
    """
    from clutrr.auditor import audit as examine
    from clutrr.auditor.export import FindingsFile
    from clutrr.workers import Here, open_crew

    _check_names(settings, AuditSettings)
    chosen: AuditSettings = {**AUDIT, **settings}
    rows = None if chosen["rows"] is None else where(chosen["rows"])
    opened = _opened(data, world)
    assume = chosen["assume"] and opened.world.theory.assumption(chosen["assume"]).name
    with open_crew(chosen["cluster"], Here) as crew, FindingsFile.maybe(rows) as file:
        return examine(opened, chosen["facts"], tick, assume, chosen["train_on"], file.add, crew=crew)


def train(
    data: _Place,
    run: _Place,
    *,
    world: "_WorldLike | None" = None,
    show: "Callable[[Progress], None]" = lambda progress: None,
    **settings: Unpack[TrainSettings],
) -> "Run":
    """Train a model on the training stories of some lengths, and return the record of the run.

    Called again, it continues a training that was killed. show: called while it trains. settings: see
    `TrainSettings`.

    >>> write(generate(k=2, size=20), "twenty")
    20
    >>> train("twenty", "run", model="gnn", k=2, epochs=1, device="cpu").finished
    True
    """
    _check_names(settings, TrainSettings)
    chosen: dict[str, Any] = {**TRAIN, **settings}
    with extras_named():
        from clutrr.experiment.config import TrainConfig, choose_device
        from clutrr.experiment.job import TrainJob
        from clutrr.experiment.job import train as run_training

        k, device, force = chosen.pop("k"), chosen.pop("device"), chosen.pop("force")
        config = TrainConfig(k=(k,) if isinstance(k, int) else tuple(k), **chosen)
        job = TrainJob(where(data), where(run), config, choose_device(device), force, world)
        return run_training(job, show)


def evaluate(
    run: _Place,
    data: _Place,
    *,
    split: str = "test",
    device: str = TRAIN["device"],
    seed: int = TRAIN["seed"],
    world: "_WorldLike | None" = None,
    trust: bool = False,
) -> "Sequence[Answers]":
    """Return what a trained model answers, by subset: `accuracy` in percent, `interval`, `answers`.

    trust: whether to run the program in the run's folder, if the model is not one of ours.

    >>> write(generate(k=2, size=20, split="test"), "tested")
    20
    >>> [(part.subset, part.n) for part in evaluate("run", "tested", device="cpu")]
    [('M2', 20)]
    """
    with extras_named():
        from clutrr.experiment.config import choose_device
        from clutrr.experiment.evaluate import evaluate as test
        from clutrr.experiment.run import load_run

        on = choose_device(device)
        trained, made_from, model = load_run(where(run), trust)
        return test(model, made_from, trained.vocabulary, _opened(data, world).split(split), on, seed)


def score(
    data: "_DataLike",
    answers: _Place | Mapping[str, str],
    *,
    split: str | None = None,
    world: "_WorldLike | None" = None,
) -> "Result":
    """Score anybody's answers: a file as for `clutrr score`, or answers by id.

    >>> puzzles = generate(k=2, size=10)
    >>> write(puzzles, "ten")
    10
    >>> score("ten", {puzzle.id: puzzle.target for puzzle in puzzles}).total.accuracy
    100.0
    """
    from clutrr.scoring import Answer, Predictions, read_predictions
    from clutrr.scoring import score as scored

    if isinstance(answers, Mapping):
        given = {("", number): (Answer(text),) for number, text in answers.items()}
        return scored(_opened(data, world), Predictions(Path("answers"), given), split)
    return scored(_opened(data, world), read_predictions(where(answers)), split)


def prompts(
    data: "_DataLike",
    *,
    split: str = "test",
    limit: int | None = None,
    world: "_WorldLike | None" = None,
    **settings: Unpack[PromptSettings],
) -> "Iterator[Prompt]":
    """Yield the questions of a data set as messages for a language model.

    limit: at most this many, spread evenly over the subsets. settings: see `PromptSettings`.

    >>> next(prompts("tested")).answer in {puzzle.target for puzzle in read("tested")}
    True
    """
    from clutrr.prompts import PromptConfig, prompter_for, prompts_of

    _check_names(settings, PromptSettings)
    opened = _opened(data, world)
    return prompts_of(opened, prompter_for(opened, PromptConfig(**settings)), split, limit)


def ask(
    data: "_DataLike",
    out: str | Path,
    model: str,
    *,
    split: str = "test",
    limit: int | None = None,
    show: "Callable[[Outcome], None]" = lambda outcome: None,
    **settings: Unpack[AskSettings],
) -> "tuple[Outcome, Result]":
    """Put the questions of a data set to a language model; return what was done, and the scores.

    Every reply is appended to `out` as it arrives; what that file holds is not asked again. A stopped run
    raises KeyboardInterrupt when the requests under way have ended.

    - model: as the service names it
    - limit: at most this many questions, spread evenly over the subsets
    - show: called after every reply
    - settings: see `AskSettings`
    """
    from clutrr.ask import Asking, Endpoint, Sampling
    from clutrr.ask import ask as put
    from clutrr.prompts import PromptConfig, prompter_for, prompts_of
    from clutrr.scoring import read_predictions
    from clutrr.scoring import score as scored
    from clutrr.workers.choose import say_aside

    _check_names(settings, AskSettings)
    chosen: AskSettings = {**ASK, **settings}
    base_url = chosen["base_url"] or os.environ.get("OPENAI_BASE_URL") or OPENAI
    key = chosen["key"] or os.environ.get("OPENAI_API_KEY", "").strip() or None
    if key is None and base_url == OPENAI:
        raise ConfigError(
            "set the environment variable OPENAI_API_KEY to your key, or name a service: --base-url"
        )
    sampling = Sampling(chosen["temperature"], chosen["effort"], chosen["max_tokens"])
    endpoint = Endpoint(base_url, model, key, sampling, chosen["timeout"])
    asking = Asking(endpoint, chosen["n"], chosen["concurrency"], chosen["retries"])
    opened = _opened(data, None)
    config = PromptConfig(chosen["form"], chosen["direct"], chosen["shots"], chosen["omit"])
    questions = list(prompts_of(opened, prompter_for(opened, config), split, limit))
    outcome = put(questions, Path(out), asking, show, say_aside)
    if outcome.stopped:
        raise KeyboardInterrupt
    among = {(question.subset, question.id) for question in questions}
    return outcome, scored(opened, read_predictions(Path(out)), split, among=among)


def _check_names(given: Mapping[str, Any], settings: type) -> None:
    """Refuse settings that do not exist, as Python refuses unknown arguments."""
    known = settings.__annotations__
    for name in given:
        if name not in known:
            raise TypeError(f"{name!r} is not a setting; the settings are {', '.join(known)}")


def _config(chosen: DatasetSettings) -> "Config":
    """Return the generator's config for these settings."""
    from clutrr.generator import Config

    content: dict[str, Any] = {**chosen, "k": tuple(chosen["k"]), "disjoint": tuple(chosen["disjoint"])}
    for name in ("noise", "format", "workers", "cluster", "force"):
        del content[name]
    return Config(**content | {"scene": _scene(chosen["scene"])}, **_noise(chosen["noise"]))


def _noise(noise: Mapping[str, int]) -> dict[str, Any]:
    """Return the facts off the route as fields of the generator's config."""
    from clutrr.puzzle import ROLES

    for role in noise:
        if role not in ROLES[1:]:
            raise ConfigError(f"noise: {role!r} is not one of {', '.join(ROLES[1:])}")
    return dict(noise)


def _scene(scene: Mapping[str, int | tuple[int, int]]) -> str:
    """Return the settings of scenes as the generator's config has them: "levels=3,children=2-4"."""
    spans = {name: (value, value) if isinstance(value, int) else value for name, value in scene.items()}
    texts = (f"{least}" if least == most else f"{least}-{most}" for least, most in spans.values())
    return ",".join(f"{name}={text}" for name, text in zip(spans, texts, strict=True))


def _loaded(world: "_WorldLike") -> "World":
    from clutrr.world import World, load_world

    return world if isinstance(world, World) else load_world(world)


def _opened(data: "_DataLike", world: "_WorldLike | None") -> "Dataset":
    from clutrr.data import Dataset, open_dataset

    return data if isinstance(data, Dataset) else open_dataset(data, world)
