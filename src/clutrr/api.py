"""The functions that Python users call, and that the commands call: the same nouns, the same defaults.

Wherever data is asked for, it may be a path or URL, puzzles, an open data set, or a frame (of pandas, polars,
pyarrow, `datasets`) with the columns of a format that is read.

Settings that a signature does not name are fields of a config: `clutrr.config.Config`, `PromptConfig`,
`AskConfig`, or `clutrr.experiment.config.TrainConfig`. So are their defaults. Several values may be given as
on the command line: k=3, (2, 3) or "2-3"; noise={"irrelevant": 2} or "irrelevant=2".
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clutrr.config import (
    DEFAULT_WORLD,
    OPENAI,
    SPLITS,
    AskConfig,
    Config,
    PromptConfig,
    read_numbers,
    read_pairs,
    read_words,
)
from clutrr.errors import ConfigError, short
from clutrr.files import Where, is_place, where
from clutrr.given import Columns, DataLike, PuzzleSequence, WorldLike, open_data

if TYPE_CHECKING:
    from clutrr.ask.run import Outcome
    from clutrr.auditor import Audit
    from clutrr.auditor.rows import Examined
    from clutrr.experiment.evaluate import Evaluation
    from clutrr.experiment.run import Run
    from clutrr.generator import Stream
    from clutrr.models import Blueprint
    from clutrr.prompts.prompter import Prompt
    from clutrr.reports.experiment import Experiment
    from clutrr.scoring.predictions import Predictions
    from clutrr.scoring.result import Result

_Place = str | Where
_SAMPLING = ("n", "temperature", "top-p", "seed", "max-tokens", "effort")  # what shapes a reply


def generate(
    preset: str | None = Config.preset,
    k: int | str | Sequence[int] = 3,
    size: int = 1000,
    seed: int = Config.seed,
    *,
    split: str | Sequence[str] = "train",
    world: "WorldLike" = DEFAULT_WORLD,
    **settings: Any,
) -> PuzzleSequence:
    """Return puzzles, as a sequence that is made a block at a time and knows its world and assumption.

    With the same seed, `clutrr generate` writes the same puzzles; a larger size only adds to them.

    - size: puzzles of each length and split
    - split: `train`, `test`, or both: ("train", "test")
    - settings: further fields of `Config`, and `noise`: facts off the route, by role

    >>> puzzles = generate(preset="sound", k=4, size=100, seed=7)
    >>> len(puzzles), puzzles[0].query, puzzles[0].target
    (100, ('Gertrude', 'Lamar'), 'brother')
    """
    from clutrr.generator import Generator, Puzzles
    from clutrr.world import load_world

    splits = (split,) if isinstance(split, str) else tuple(split)
    for name in splits:
        if name not in SPLITS:
            raise ConfigError(f"split: {name!r} is not one of {', '.join(SPLITS)}")
    if not isinstance(size, int) or size < 0:
        raise ConfigError(f"size: {size!r} is not a whole number of at least 0")
    stories = max(size, 1)
    config = _config(preset=preset, k=k, train=stories, test=stories, seed=seed, **settings)
    told = load_world(world)
    made = Generator(config, told)
    parts = [Puzzles(made, name, length, size) for length in config.k for name in splits]
    return PuzzleSequence(parts, told, made.config.assume)


def stream(
    preset: str | None = Config.preset,
    k: int | str | Sequence[int] = Config.k,
    seed: int = Config.seed,
    *,
    split: str = "train",
    world: "WorldLike" = DEFAULT_WORLD,
    **settings: Any,
) -> "Stream":
    """Return puzzles without end: item i is a pure function of the settings, the seed and i.

    Items of each length, and then of each number of routes, take turns.

    - settings: further fields of `Config`, and `noise`, as for `generate`

    >>> stream(k=(2, 5), seed=7)[1_000_000].k
    2
    """
    from clutrr.generator import Stream
    from clutrr.world import load_world

    if unknown := {"train", "test"} & settings.keys():
        raise TypeError(f"stream() got an unexpected keyword argument {min(unknown)!r}")
    return Stream(_config(preset=preset, k=k, seed=seed, **settings), load_world(world), split)


def generate_folder(
    out: _Place,
    *,
    world: "WorldLike" = DEFAULT_WORLD,
    format: str = "parquet",  # noqa: A002  as the command has it
    cluster: str | None = None,
    tick: Callable[[int], None] = lambda stories: None,
    note: Callable[[str], None] = lambda text: None,
    **settings: Any,
) -> dict[str, Any]:
    """Write a data set of several subsets as a folder, and return its manifest.

    - tick: called with how many more stories are written
    - note: called with each remark on the subsets, before anything is written
    - settings: fields of `Config`; `noise`: facts off the route, by role; `workers`: how many processes;
      `force`: whether to replace what is there

    >>> generate_folder("pairs", k=2, train=20, test=5)["subsets"]["M2"]["train"]["rows"]
    20
    """
    from clutrr.generator.folder import Job, crew_of
    from clutrr.generator.folder import generate_folder as write_folder
    from clutrr.workers import open_crew

    workers, force = settings.pop("workers", None), settings.pop("force", False)
    if cluster is not None and workers is not None:
        raise ConfigError("workers, cluster: give only one of them")
    named = str(world) if isinstance(world, Path) else world
    job = Job(where(out), _config(**settings), named, format, workers, force)
    with open_crew(cluster, crew_of(job)) as crew:
        return write_folder(job, tick, note, crew)


def read(data: DataLike, *, world: "WorldLike | None" = None, columns: "Columns" = None) -> PuzzleSequence:
    """Return the puzzles of a file or folder, of any format that is known, gzipped or not; or of a frame.

    Rows of your own may also be given as such: dictionaries, or a frame of pandas or polars.

    - world: the one to read it with, if the data does not carry its own
    - columns: where what is in them, "story=text,query=a+b,target=label", or the same as a dictionary

    >>> write(generate(k=2, size=3), "three.jsonl")
    3
    >>> [puzzle.k for puzzle in read("three.jsonl")]
    [2, 2, 2]
    """
    opened = open_data(data, world, columns)
    return PuzzleSequence([list(opened.puzzles())], opened.world, opened.assume)


def write(
    puzzles: DataLike,
    out: _Place,
    *,
    world: "WorldLike | None" = None,
    assume: str | None = None,
    to: str | None = None,
    force: bool = False,
) -> int:
    """Write puzzles to a file (.parquet, .csv, .jsonl) or to a folder that carries its world and assumption.

    Returns how many there were. world, assume: what puzzles are told in and were made under, where they do
    not know it: what `generate` and `read` return does. to: another format, as for `clutrr convert --to`.

    >>> write(generate(k=2, size=3), "three.parquet")
    3
    """
    from clutrr.data.convert import Target, convert

    opened = open_data(puzzles, world)
    if assume is not None:
        opened = replace(opened, assume=opened.world.theory.assumption(assume).name)
    return convert(opened, Target.of(where(out), to), force)


def audit(
    data: "DataLike",
    *,
    world: "WorldLike | None" = None,
    facts: bool = False,
    rows: _Place | None = None,
    cluster: str | None = None,
    tick: Callable[[int], None] = lambda rows: None,
    **settings: Any,
) -> "Audit":
    """Examine a data set: soundness, balance, leaks, shortcuts, ceilings.

    - facts: whether to trust the facts column where the text was not seen to state it
    - rows: a .parquet or .jsonl file for the finding of each row
    - tick: called with how many more rows are judged
    - settings: `assume`: instead of the data's own assumption, or each in turn; `train_on`: lengths of the
      training rows to fit on, instead of all

    >>> audit(generate(k=2, size=50)).subsets["M2"]["train"].soundness["tree"]["proved"]
    100.0
    """
    from clutrr.auditor import audit as examine
    from clutrr.auditor.findings import findings_file
    from clutrr.workers import Here, open_crew

    opened = open_data(data, world)
    if settings.get("assume") is not None:
        settings["assume"] = opened.world.theory.assumption(settings["assume"]).name
    if settings.get("train_on") is not None:
        settings["train_on"] = read_numbers(settings["train_on"], "train_on")
    file = nullcontext() if rows is None else findings_file(where(rows))
    with open_crew(cluster, Here()) as crew, file as add:

        def each(subset: str, split: str, one: "Examined") -> None:
            if add is not None:
                add(subset, split, one)
            tick(1)

        return examine(opened, facts, each=each, crew=crew, **settings)


def train(
    data: DataLike,
    run: _Place,
    *,
    world: "WorldLike | None" = None,
    device: str = "auto",
    force: bool = False,
    show: "Callable[[Run, int, int], None]" = lambda run, done, total: None,
    **settings: Any,
) -> "Run":
    """Train a model on the training stories of some lengths, and return the record of the run.

    Called again, it continues a training that was killed.

    - force: whether to replace another training
    - show: called after each step with the run so far, the stories done, and all that there are to do
    - settings: fields of `TrainConfig`; model: a name, `FILE.py:NAME`, or a `Recipe` (docs/own-model.md),
      which `evaluate` needs again

    >>> train(generate(k=2, size=20), "run", model="gnn", k=2, epochs=1, device="cpu").finished
    True
    """
    from clutrr.experiment.config import TrainConfig, choose_device
    from clutrr.experiment.job import TrainJob
    from clutrr.experiment.job import train as run_training

    named, given = _model(settings.pop("model", TrainConfig.model))
    lengths = read_numbers(settings.pop("k", TrainConfig.k), "k")
    config = TrainConfig(named, lengths, **settings)
    opened = open_data(data, world)
    return run_training(TrainJob(opened, where(run), config, choose_device(device), force, given), show)


def evaluate(
    run: _Place,
    data: DataLike,
    *,
    model: "Blueprint | None" = None,
    split: str = "test",
    device: str = "auto",
    world: "WorldLike | None" = None,
    trust: bool = False,
) -> "Evaluation":
    """Return what a trained model answers, by subset: `accuracy` in percent, `score.interval`, `answers`.

    model: what it was trained with, if that was an object. trust: whether to run the program in the run's
    folder, if the model is not one of ours.

    >>> [(part.subset, part.n) for part in evaluate("run", generate(k=2, size=20), split="train")]
    [('M2', 20)]
    """
    from clutrr.experiment.config import choose_device
    from clutrr.experiment.evaluate import Evaluation, result_of
    from clutrr.experiment.evaluate import evaluate as test
    from clutrr.experiment.run import load_run, naming_own_model

    on = choose_device(device)
    trained, made_from, ready = load_run(where(run), trust, model)
    opened = open_data(data, world)
    with naming_own_model(trained.config.model):
        answers = test(ready, made_from, trained.vocabulary, opened.split(split), on)
    about = {"data": str(opened.path), "split": split, "world": opened.world.name}
    return Evaluation(answers, trained, replace(result_of(trained, answers, trained.device), questions=about))


def score(
    data: "DataLike",
    answers: Any,
    *,
    split: str | None = None,
    steps: bool = False,
    to: _Place | None = None,
    world: "WorldLike | None" = None,
    command: str = "",
) -> Any:
    """Score anybody's answers: a file as for `clutrr score`, answers by id, or a frame of both.

    Returns the `Result`; of a list of such answers a `Comparison`: several models side by side.

    - split: train, test or all; by default test, or all without one
    - steps: whether to judge what replies claim on their way, too
    - to: a folder for a report: table, curves over length and page
    - command: to be recorded

    >>> puzzles = generate(k=2, size=10)
    >>> score(puzzles, {puzzle.id: puzzle.target for puzzle in puzzles}).total.accuracy
    100.0
    """
    from clutrr.reports.comparison import compare, with_lookups

    several, opened = isinstance(answers, list | tuple), open_data(data, world)
    given = [_answers(one, number) for number, one in enumerate(answers if several else [answers])]
    found = compare(opened, given, split, steps, command)
    if to is not None:
        from clutrr.reports.write import write_comparison

        found = with_lookups(found, opened)
        write_comparison(found, where(to))
    return found if several else found.results[0]


def _answers(given: Any, number: int) -> "Predictions":
    from clutrr.scoring.predictions import Answer, Predictions, read_predictions

    if {"id", "answer"} <= set(getattr(given, "columns", ())):
        given = dict(zip(given["id"], given["answer"], strict=True))
    if isinstance(given, Mapping):
        by_id = {("", str(name)): (Answer(str(text)),) for name, text in given.items()}
        return Predictions(Path(f"answers-{number + 1}" if number else "answers"), by_id)
    if is_place(given):
        return read_predictions(where(given))
    told = f"a path, answers by id, or a frame with id and answer, not {type(given).__name__}"
    raise TypeError(f"answers: expected {told}")


def reproduce(
    out: _Place,
    matrix: str | Mapping[str, Any] = "builtin:quick",
    *,
    device: str = "auto",
    cluster: str | None = None,
    say: Callable[[str], None] = lambda text: None,
    each: "Callable[[Result], None]" = lambda result: None,
    **changes: Any,
) -> "Experiment":
    """Run an experiment, and return it with its results; what is there already is not done again.

    If trainings fail, the others are finished first; `report` shows them.

    - matrix: a name or a file as for `clutrr reproduce`, or its content (docs/matrix-files.md)
    - say, each: called with what is going on, and with each result
    - changes: `models`, `seeds`, `data`, `encoder` instead of those of the matrix; `command`: to be recorded
    """
    from clutrr.experiment.matrix import at_place, find_matrix, matrix_of
    from clutrr.experiment.reproduce import check_inputs
    from clutrr.experiment.reproduce import reproduce as run
    from clutrr.workers import open_crew
    from clutrr.world.load import BUILTIN

    command, named = changes.pop("command", ""), changes.get("models") is not None
    if named:
        changes["models"] = read_words(changes["models"], "models")
    start = find_matrix(matrix, named) if isinstance(matrix, str) else matrix_of(matrix)
    wanted = start.changed(**changes)
    with at_place("" if not isinstance(matrix, str) or matrix.startswith(BUILTIN) else matrix):
        check_inputs(wanted)
    if wanted.about:
        say(wanted.about)
    with open_crew(cluster, None, say) as crew:
        for result in run(wanted, where(out), device, say, crew, command):
            each(result)
    return report(out)


def report(place: _Place, *more: _Place, to: _Place | None = None) -> "Experiment":
    """Return the experiment of a folder or file, or of several that hold parts of one.

    to: a folder to write its report into: table, figures and page.
    """
    from clutrr.reports.loading import load_experiment
    from clutrr.reports.write import write_report

    found = load_experiment(*map(where, (place, *more)))
    if to is not None:
        write_report(found, where(to))
    return found


def prompts(
    data: "DataLike", *, split: str = "test", limit: int | None = None, **settings: Any
) -> "Iterator[Prompt]":
    """Yield the questions of a data set as messages for a language model.

    limit: at most this many, spread evenly over the subsets. settings: fields of `PromptConfig`.

    >>> next(prompts(generate(k=2, size=1, split="test"))).answer
    'granddaughter'
    """
    from clutrr.prompts.prompter import prompter_for, prompts_of

    opened, omit = open_data(data), read_words(settings.pop("omit", ()), "omit")
    return prompts_of(opened, prompter_for(opened, PromptConfig(**settings, omit=omit)), split, limit)


def ask(
    data: "DataLike",
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
    - settings: fields of `AskConfig` and `PromptConfig`; base_url is $OPENAI_BASE_URL if none is given.
      sampling: those of `AskConfig` that shape a reply, as one text: "n=5,temperature=0.7"
    """
    from clutrr.ask.endpoint import Endpoint
    from clutrr.ask.run import ask as put
    from clutrr.scoring.predictions import read_predictions
    from clutrr.scoring.predictions import score as scored
    from clutrr.workers import say_aside

    sampling = read_pairs(settings.pop("sampling", None), "sampling")
    for name in sampling:
        if name not in _SAMPLING:
            raise ConfigError(f"sampling: {name!r} is not one of {', '.join(_SAMPLING)}")
    settings |= {name.replace("-", "_"): value for name, value in sampling.items()}
    about = {one.name: settings.pop(one.name) for one in fields(PromptConfig) if one.name in settings}
    base_url = settings.pop("base_url", None) or os.environ.get("OPENAI_BASE_URL") or OPENAI
    config = AskConfig(model, base_url, **settings)
    opened = open_data(data)
    key = os.environ.get("OPENAI_API_KEY", "").strip() or None
    if key is None and base_url == OPENAI:
        raise ConfigError(
            "set the environment variable OPENAI_API_KEY to your key, or name a service: --base-url"
        )
    questions = list(prompts(opened, split=split, limit=limit, **about))
    outcome = put(questions, Path(out), Endpoint(config, key), show, say_aside)
    if outcome.stopped:
        raise KeyboardInterrupt
    return outcome, scored(opened, read_predictions(Path(out)), split)


def _config(noise: "str | Mapping[str, int] | None" = None, **settings: Any) -> Config:
    """Return the generator's config. noise: facts off the route, by role."""
    from clutrr.puzzle import ROLES

    by_role = read_pairs(noise, "noise")
    for role in by_role:
        if role not in ROLES[1:]:
            raise ConfigError(f"noise: {role!r} is not one of {', '.join(ROLES[1:])}")
    for name in {"k", "routes"} & settings.keys():
        settings[name] = read_numbers(settings[name], name)
    if "disjoint" in settings:
        settings["disjoint"] = read_words(settings["disjoint"], "disjoint")
    if isinstance(scene := settings.get("scene") or "", Mapping):
        scene = ",".join(f"{name}={value}" for name, value in scene.items())
    return Config(**settings | by_role | {"scene": scene})


def _model(given: Any) -> "tuple[str, Blueprint | None]":
    """Return the name of a model, and the object, if it is one."""
    if isinstance(given, str):
        return given, None
    from clutrr.experiment.run import OBJECT
    from clutrr.models import Blueprint, Keep, Recipe

    if not isinstance(given, Blueprint):
        raise TypeError(f"model: expected a name or a Recipe of three parts, not {short(given)}")
    part: Any = type(given)
    if isinstance(given, Recipe):
        part = given.reader if given.processor is Keep else given.processor
    return OBJECT + getattr(part, "__name__", type(given).__name__), given
