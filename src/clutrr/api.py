"""The functions that Python users call, and that the commands call: the same nouns, the same defaults.

Settings that a signature does not name are fields of a config: `clutrr.config.Config`, `PromptConfig`,
`AskConfig`, or `clutrr.experiment.config.TrainConfig`. So are their defaults.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from clutrr.config import DEFAULT_WORLD, OPENAI, SPLITS, AskConfig, Config, PromptConfig
from clutrr.errors import ConfigError, extras_named
from clutrr.files import Where, where
from clutrr.measure import numbers

if TYPE_CHECKING:
    from clutrr.ask import Outcome
    from clutrr.auditor import Audit
    from clutrr.auditor.rows import Row
    from clutrr.data import Dataset
    from clutrr.data.asked import Columns
    from clutrr.experiment.evaluate import Answers
    from clutrr.experiment.job import Progress
    from clutrr.experiment.run import Run
    from clutrr.prompts import Prompt
    from clutrr.puzzle import Puzzle
    from clutrr.scoring import Result
    from clutrr.scoring.steps import Reasoning
    from clutrr.solver import Solution
    from clutrr.world import World

_Place = str | Where
_WorldLike: TypeAlias = "str | Path | World"
_DataLike: TypeAlias = "str | Where | Dataset"


def generate(
    preset: str | None = Config.preset,
    k: int = 3,
    size: int = 1000,
    seed: int = Config.seed,
    *,
    split: str = "train",
    world: "_WorldLike" = DEFAULT_WORLD,
    **settings: Any,
) -> "Sequence[Puzzle]":
    """Return puzzles of one subset, as a sequence that is made a block at a time.

    With the same seed, `clutrr generate` writes the same puzzles; a larger size only adds to them.
    settings: further fields of `Config`, and `noise`: facts off the route, by role. routes may be a number,
    several, or "1-3".

    >>> puzzles = generate(preset="sound", k=4, size=100, seed=7)
    >>> len(puzzles), puzzles[0].query, puzzles[0].target
    (100, ('Gertrude', 'Lamar'), 'brother')
    """
    from clutrr.generator import puzzles

    if split not in SPLITS:
        raise ConfigError(f"split: {split!r} is not one of {', '.join(SPLITS)}")
    if size < 0:
        raise ConfigError(f"size: {size} is below 0")
    stories = max(size, 1)
    config = _config(preset=preset, k=(k,), train=stories, test=stories, seed=seed, **settings)
    return puzzles(config, _loaded(world), split, size)


def generate_folder(
    out: _Place,
    *,
    world: "_WorldLike" = DEFAULT_WORLD,
    format: str = "parquet",  # noqa: A002  as the command has it
    cluster: str | None = None,
    tick: Callable[[int], None] = lambda stories: None,
    note: Callable[[str], None] = lambda text: None,
    **settings: Any,
) -> dict[str, Any]:
    """Write a data set of several subsets as a folder, and return its manifest.

    - format: `parquet`, `csv` or `jsonl`
    - cluster: the address of a Dask scheduler, or `local:N`
    - tick: called with how many more stories are written
    - note: called with each remark on the subsets, before anything is written
    - settings: fields of `Config`; `noise`: facts off the route, by role; `workers`: how many processes;
      `force`: whether to replace what is there

    >>> manifest = generate_folder("pairs", k=(2,), train=20, test=5)
    >>> manifest["subsets"]["M2"]["train"]["rows"]
    20
    """
    from clutrr.generator.folder import Job, crew_of
    from clutrr.generator.folder import generate_folder as write_folder
    from clutrr.workers import open_crew

    workers, force = settings.pop("workers", None), settings.pop("force", False)
    if cluster is not None and workers is not None:
        raise ConfigError("--workers and --cluster: give only one of them")
    named = str(world) if isinstance(world, Path) else world
    job = Job(where(out), _config(**settings), named, format, workers, force)
    with open_crew(cluster, crew_of(job)) as crew:
        return write_folder(job, tick, note, crew)


def read(
    data: Any, *, world: "_WorldLike | None" = None, columns: "Columns | None" = None
) -> "Sequence[Puzzle]":
    """Return the puzzles of a file or folder: any format that is known, gzipped or not.

    Rows of your own may also be given as such: dictionaries, or a frame of pandas or polars.

    - world: the one to read it with, if the data does not carry its own
    - columns: where what is in them, {"story": ["text"], "query": ["a", "b"], "target": ["label"]}

    >>> write(generate(k=2, size=3), "three.jsonl")
    3
    >>> [puzzle.k for puzzle in read("three.jsonl")]
    [2, 2, 2]
    """
    return list(_opened(data, world, columns).puzzles())


def write(
    puzzles: "Sequence[Puzzle]",
    out: _Place,
    *,
    world: "_WorldLike" = DEFAULT_WORLD,
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
    story: str, query: tuple[str, str], world: "_WorldLike" = DEFAULT_WORLD, assume: str | None = None
) -> "Solution":
    """Return what the second entity of the query can be to the first, with a proof: `print` it.

    assume: which scenes are possible (docs/assumptions.md); None for the theory's default.

    >>> solve("Bob is Ann's son. Carl is Bob's brother.", ("Ann", "Carl")).answer
    'son'
    """
    from clutrr.solver import solve_story

    first, second = query
    return solve_story(story, (first, second), _loaded(world), assume)


def verify(
    reply: str, puzzle: "Puzzle", world: "_WorldLike | None" = None, assume: str | None = None
) -> "Reasoning":
    """Return every claim that a reply makes about two entities of the story, each judged: `print` it.

    - world: of the story; None for the built-in world that has its relations
    - assume: which scenes are possible; None for the theory's default

    >>> puzzle = generate(preset="strict", k=2, size=1, distractors=0)[0]
    >>> print(verify("Russell is Alyssa's husband, so Sara is Alyssa's mother.", puzzle))
    1. Russell is Alyssa's husband: stated
    2. Sara is Alyssa's mother: contradicted
    Wrong first: Sara is Alyssa's mother.
    """
    from clutrr.scoring.steps import StepJudge, judge_for

    if world is not None:
        return StepJudge(_loaded(world), assume).judge(reply, puzzle)
    return judge_for(frozenset(fact.relation for fact in puzzle.facts), assume).judge(reply, puzzle)


def audit(
    data: "_DataLike",
    *,
    world: "_WorldLike | None" = None,
    facts: bool = False,
    rows: _Place | None = None,
    cluster: str | None = None,
    tick: Callable[[int], None] = lambda rows: None,
    **settings: Any,
) -> "Audit":
    """Examine a data set: soundness, balance, leaks, shortcuts, ceilings.

    - facts: whether to trust the facts column where the text was not seen to state it
    - rows: a .parquet or .jsonl file for the finding of each row
    - cluster: the address of a Dask scheduler, or `local:N`
    - tick: called with how many more rows are judged
    - settings: `assume`: instead of the data's own assumption, or each in turn; `train_on`: lengths of the
      training rows to fit on, instead of all

    >>> write(generate(k=2, size=50), "fifty")
    50
    >>> audit("fifty").subsets["M2"]["train"].soundness["tree"]["proved"]
    100.0
    """
    from clutrr.auditor import audit as examine
    from clutrr.auditor.findings import findings_file
    from clutrr.workers import Here, open_crew

    opened = _opened(data, world)
    if settings.get("assume") is not None:
        settings["assume"] = opened.world.theory.assumption(settings["assume"]).name
    file = nullcontext() if rows is None else findings_file(where(rows))
    with open_crew(cluster, Here()) as crew, file as add:

        def each(subset: str, split: str, row: "Row") -> None:
            if add is not None:
                add(subset, split, row)
            tick(1)

        return examine(opened, facts, each=each, crew=crew, **settings)


def train(
    data: _Place,
    run: _Place,
    *,
    world: "_WorldLike | None" = None,
    device: str = "auto",
    force: bool = False,
    show: "Callable[[Progress], None]" = lambda progress: None,
    **settings: Any,
) -> "Run":
    """Train a model on the training stories of some lengths, and return the record of the run.

    Called again, it continues a training that was killed.

    - device: `auto`, `cpu` or `cuda`
    - force: whether to replace another training
    - show: called while it trains
    - settings: fields of `TrainConfig`; k may be one number

    >>> write(generate(k=2, size=20), "twenty")
    20
    >>> train("twenty", "run", model="gnn", k=2, epochs=1, device="cpu").finished
    True
    """
    with extras_named():
        from clutrr.experiment.config import TrainConfig, choose_device
        from clutrr.experiment.job import TrainJob
        from clutrr.experiment.job import train as run_training

        k = settings.pop("k", TrainConfig.k)
        config = TrainConfig(k=(k,) if isinstance(k, int) else tuple(k), **settings)
        job = TrainJob(where(data), where(run), config, choose_device(device), force, world)
        return run_training(job, show)


def evaluate(
    run: _Place,
    data: _Place,
    *,
    split: str = "test",
    device: str = "auto",
    seed: int = 0,
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
    steps: bool = False,
    world: "_WorldLike | None" = None,
) -> "Result":
    """Score anybody's answers: a file as for `clutrr score`, or answers by id.

    - split: train, test or all; by default test, or all without one
    - steps: whether to judge what replies claim on their way, too

    >>> puzzles = generate(k=2, size=10)
    >>> write(puzzles, "ten")
    10
    >>> score("ten", {puzzle.id: puzzle.target for puzzle in puzzles}).total.accuracy
    100.0
    """
    from clutrr.scoring import Answer, Predictions, read_predictions
    from clutrr.scoring import score as scored

    if isinstance(answers, Mapping):
        by_id = {("", number): (Answer(text),) for number, text in answers.items()}
        given = Predictions(Path("answers"), by_id)
    else:
        given = read_predictions(where(answers))
    return scored(_opened(data, world), given, split, steps=steps)


def prompts(
    data: "_DataLike", *, split: str = "test", limit: int | None = None, **settings: Any
) -> "Iterator[Prompt]":
    """Yield the questions of a data set as messages for a language model.

    limit: at most this many, spread evenly over the subsets. settings: fields of `PromptConfig`.

    >>> next(prompts("tested")).answer in {puzzle.target for puzzle in read("tested")}
    True
    """
    from clutrr.prompts import prompter_for, prompts_of

    opened = _opened(data)
    return prompts_of(opened, prompter_for(opened, PromptConfig(**settings)), split, limit)


def ask(
    data: "_DataLike",
    out: str | Path,
    model: str,
    *,
    split: str = "test",
    limit: int | None = None,
    show: "Callable[[Outcome], None]" = lambda outcome: None,
    **settings: Any,
) -> "tuple[Outcome, Result]":
    """Put the questions of a data set to a language model; return what was done, and the scores.

    Every reply is appended to `out` as it arrives; what that file holds is not asked again. A stopped run
    raises KeyboardInterrupt when the requests under way have ended. The key is $OPENAI_API_KEY.

    - model: as the service names it
    - limit: at most this many questions, spread evenly over the subsets
    - show: called after every reply
    - settings: fields of `AskConfig` and `PromptConfig`; base_url is $OPENAI_BASE_URL if none is given
    """
    from clutrr.ask import Endpoint
    from clutrr.ask import ask as put
    from clutrr.scoring import read_predictions
    from clutrr.scoring import score as scored
    from clutrr.workers import say_aside

    about = {one.name: settings.pop(one.name) for one in fields(PromptConfig) if one.name in settings}
    base_url = settings.pop("base_url", None) or os.environ.get("OPENAI_BASE_URL") or OPENAI
    config = AskConfig(model, base_url, **settings)
    key = os.environ.get("OPENAI_API_KEY", "").strip() or None
    if key is None and base_url == OPENAI:
        raise ConfigError(
            "set the environment variable OPENAI_API_KEY to your key, or name a service: --base-url"
        )
    opened = _opened(data)
    questions = list(prompts(opened, split=split, limit=limit, **about))
    outcome = put(questions, Path(out), Endpoint(config, key), show, say_aside)
    if outcome.stopped:
        raise KeyboardInterrupt
    among = {(question.subset, question.id) for question in questions}
    return outcome, scored(opened, read_predictions(Path(out)), split, among=among)


def _config(noise: Mapping[str, int] | None = None, **settings: Any) -> Config:
    """Return the generator's config. noise: facts off the route, by role."""
    from clutrr.puzzle import ROLES

    for role in noise or ():
        if role not in ROLES[1:]:
            raise ConfigError(f"noise: {role!r} is not one of {', '.join(ROLES[1:])}")
    for name in {"k", "routes"} & settings.keys():
        given = settings[name]
        settings[name] = numbers(str(given), name) if isinstance(given, int | str) else tuple(given)
    if "disjoint" in settings:
        settings["disjoint"] = tuple(settings["disjoint"])
    return Config(**settings | dict(noise or {}))


def _loaded(world: "_WorldLike") -> "World":
    from clutrr.world import World, load_world

    return world if isinstance(world, World) else load_world(world)


def _opened(data: Any, world: "_WorldLike | None" = None, columns: "Columns | None" = None) -> "Dataset":
    from clutrr.data import Dataset, open_dataset
    from clutrr.data.dataset import dataset_of_rows

    if isinstance(data, Dataset):
        return data
    if isinstance(data, str | os.PathLike) or hasattr(data, "open"):
        return open_dataset(data, world, columns=columns)
    return dataset_of_rows(data, None if world is None else _loaded(world), columns)
