"""Puzzles of a preset and length, as a sequence or as a folder."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, overload

from clutrr._arguments import LocationLike, with_settings
from clutrr._config import DEFAULT_WORLD, Config, read_numbers, read_pairs, read_words
from clutrr._data import FORMATS, PuzzleSequence
from clutrr._data.frozen import frozen_set
from clutrr._data.gedcom import read_gedcom
from clutrr._data.given import WorldLike
from clutrr._generate.blocks import Generator, Puzzles
from clutrr._generate.folder import Job, executor_for, generate_folder
from clutrr._generate.frozen import puzzles_of
from clutrr._generate.nonce import with_invented_words
from clutrr._generate.stream import Stream
from clutrr._generate.tables import TableQuestions, table_questions, write_tables
from clutrr._io.executors import open_executor
from clutrr._io.locations import parse_location
from clutrr._lexicon import World
from clutrr._puzzle import NOISE, SPLITS
from clutrr._worlds import load_world
from clutrr.errors import ConfigError, Give, Hint

Numbers = int | str | Sequence[int]
_SIZE = 1000
_NAMED = {"preset", "k", "seed", "train", "test", "families"}  # as arguments
_SETTINGS = (*(one.name for one in fields(Config) if one.name not in _NAMED), "noise")


@overload
def generate(
    preset: str | None = Config.preset,
    k: Numbers = Config.k,
    size: int = _SIZE,
    seed: int = Config.seed,
    *,
    split: str | Sequence[str] = SPLITS[0],
    world: WorldLike = DEFAULT_WORLD,
    nonce: int | None = None,
    from_: LocationLike | None = None,
    table: None = None,
    out: None = None,
    set: str | None = None,
    **settings: Any,
) -> PuzzleSequence: ...
@overload
def generate(
    preset: str | None = Config.preset,
    k: Numbers = Config.k,
    *,
    seed: int = Config.seed,
    world: WorldLike = DEFAULT_WORLD,
    nonce: int | None = None,
    from_: LocationLike | None = None,
    table: str | None = None,
    out: LocationLike,
    train: int = Config.train,
    test: int = Config.test,
    format: str = FORMATS[0],
    set: str | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    force: bool = False,
    tick: Callable[[int], None] = ...,
    note: Callable[[str], None] = ...,
    **settings: Any,
) -> dict[str, Any]: ...
@overload
def generate(
    *,
    table: str,
    world: WorldLike = DEFAULT_WORLD,
    nonce: int | None = None,
    assume: str | None = None,
) -> TableQuestions: ...
@with_settings(*_SETTINGS)
def generate(
    preset: str | None = Config.preset,
    k: Numbers = Config.k,
    size: int | None = None,
    seed: int = Config.seed,
    *,
    split: str | Sequence[str] | None = None,
    world: WorldLike = DEFAULT_WORLD,
    nonce: int | None = None,
    from_: LocationLike | None = None,
    table: str | None = None,
    out: LocationLike | None = None,
    train: int | None = None,
    test: int | None = None,
    format: str | None = None,  # noqa: A002  as the command has it
    set: str | None = None,  # noqa: A002  as the command has it
    workers: int | None = None,
    cluster: str | None = None,
    force: bool = False,
    tick: Callable[[int], None] = lambda stories: None,
    note: Callable[[str], None] = lambda text: None,
    **settings: Any,
) -> PuzzleSequence | TableQuestions | dict[str, Any]:
    """Return puzzles, as a sequence that is made a block at a time and knows its world and assumption.

    With `out`, write them to a folder instead, as `clutrr generate` does, and return its manifest. The puzzles
    of a seed are the same; a larger size only adds to them.

    - preset: strict, mixed or described; in kinship also sound and published; None for the theory's first
    - k: facts of each route: 4, "3-6", range(3, 7) or a list; (2, 6) is two lengths, 2 and 6
    - size: puzzles of each length and split, 1000 by default
    - split: train (the default), test, or both: ("train", "test")
    - world: a name, a folder or a `World`
    - nonce: a seed: relations have invented words, which prompts explain
    - `from_`: a family file (GEDCOM), whose families are the scenes, under other names
    - table: composition, converse or neighbours: instead of stories, a question for each cell of that table
    - out: a folder or its URL, for puzzles of both splits
    - train, test: puzzles of each length in the folder, by default 4000 and 1000
    - format: of the files in the folder: parquet (the default), csv or jsonl
    - set: a frozen test set by name, such as clutrr-2026-kinship, which fixes all other settings
    - workers: how many processes write the folder
    - cluster: the address of a Dask scheduler, whose workers write it
    - force: whether to replace what is there
    - tick: called with how many more puzzles are written
    - note: called with each remark on the subsets, before anything is written
    - settings: `routes`, `scene`, `distractors`, `noise` (or each of its roles), `order`, `style`, `brackets`, `assume`,
      `undetermined` and `disjoint`, as for `clutrr generate`; several values as there, or as Python has
      them: noise={"irrelevant": 2}, disjoint=("names", "patterns")

    >>> puzzles = generate(preset="sound", k=4, size=100, seed=7)
    >>> len(puzzles), puzzles[0].query, puzzles[0].target
    (100, ('Gertrude', 'Lamar'), 'brother')
    >>> generate(k=2, out="pairs", train=20, test=5)["subsets"]["M2"]["train"]["rows"]
    20
    """
    of_folder = {"train": train, "test": test, "format": format, "workers": workers}
    of_folder |= {"cluster": cluster, "force": force or None}
    told = {"preset": preset, "k": k, "seed": seed, **settings}
    frozen = None
    if set is not None:
        frozen = frozen_set(set)
        alone = {**told, "size": size, "split": split, "train": train, "test": test, "nonce": nonce}
        alone["from_"] = from_
        _check_alone(alone, world)
        told = dict(frozen.settings)
        world = told.pop("world")
        train, test, size, split = 0, told.pop("size"), None, None
        if out is None:
            _refuse(of_folder, "it is for a folder", Hint("name one: {}", (Give("out"),)))
            return puzzles_of(frozen)
    if nonce is not None:
        world = _invented(world, nonce)
    if table is not None:
        of_stories = {"size": size, "split": split, "from_": from_}
        return _table(table, world, out, force, {**told, **of_stories})
    if from_ is not None:
        told["families"] = _families_of(from_, note)
    if out is None:
        _refuse(of_folder, "it is for a folder", Hint("name one: {}", (Give("out"),)))
        return _sequence(_SIZE if size is None else size, split or SPLITS[0], world, told)
    both = Hint("give {} and {}", (Give("train"), Give("test")))
    _refuse({"size": size, "split": split}, "a folder has two splits", both)
    if cluster is not None and workers is not None:
        raise ConfigError("give only one of them", setting="workers, cluster")
    config = config_of(
        **told,
        train=Config.train if train is None else train,
        test=Config.test if test is None else test,
    )
    named = str(world) if isinstance(world, Path) else world
    job = Job(parse_location(out), config, named, format or FORMATS[0], workers, force, frozen)
    with open_executor(cluster, executor_for(job)) as executor:
        return generate_folder(job, tick, note, executor)


@with_settings(*_SETTINGS)
def stream(
    preset: str | None = Config.preset,
    k: Numbers = Config.k,
    seed: int = Config.seed,
    *,
    split: str = SPLITS[0],
    world: WorldLike = DEFAULT_WORLD,
    nonce: int | None = None,
    from_: LocationLike | None = None,
    **settings: Any,
) -> Stream:
    """Return puzzles without end: item i is a pure function of the settings, the seed and i.

    Items of each length, and then of each number of routes, take turns.

    - nonce: a seed: relations have invented words
    - `from_`: a family file (GEDCOM), whose families are the scenes
    - settings: as for `generate`

    >>> stream(k=(2, 5), seed=7)[1_000_000].k
    2
    """
    if from_ is not None:
        settings["families"] = _families_of(from_)
    config = config_of(preset=preset, k=k, seed=seed, **settings)
    told = load_world(world) if nonce is None else _invented(world, nonce)
    return Stream(config, told, split)


def _table(
    table: str,
    world: WorldLike,
    out: LocationLike | None,
    force: bool,
    told: Mapping[str, Any],
) -> TableQuestions | dict[str, Any]:
    """Return the questions about a table, or write them. told: settings, of which only `assume` applies."""
    usual = {one.name: one.default for one in fields(Config)}
    for name, value in told.items():
        read = read_numbers(value, name) if name in ("k", "routes") else value
        if name != "assume" and read not in (None, "", (), usual.get(name)):
            raise ConfigError("a table has none", setting=name, hint="leave it out")
    found = load_world(world)
    assume = found.theory.assumption(told.get("assume")).name
    questions = table_questions(found, table, assume)
    if out is None:
        return questions
    return write_tables(questions, parse_location(out), assume, force)


def _families_of(file: LocationLike, note: Callable[[str], None] = lambda text: None) -> str:
    """Return the families of a file, as a config has them. note: told how many they are, and what is left out."""
    found = read_gedcom(parse_location(file))
    note(found.note)
    return found.text


def _invented(world: WorldLike, nonce: int) -> World:
    """Return the world with invented words for its relations."""
    if nonce < 0:
        raise ConfigError("is below 0", setting="nonce", value=nonce)
    return with_invented_words(load_world(world), nonce)


def config_of(noise: str | Mapping[str, int] | None = None, **settings: Any) -> Config:
    """Return the config of settings as users give them. noise: facts off the route, by role."""
    by_role = read_pairs(noise, "noise")
    for role in by_role:
        if role not in NOISE:
            raise ConfigError(f"is not one of {', '.join(NOISE)}", setting="noise", value=role)
    for name in {"k", "routes"} & settings.keys():
        settings[name] = read_numbers(settings[name], name)
    if "disjoint" in settings:
        settings["disjoint"] = read_words(settings["disjoint"], "disjoint")
    if isinstance(scene := settings.get("scene") or "", Mapping):
        scene = ",".join(f"{name}={value}" for name, value in scene.items())
    return Config(**settings | by_role | {"scene": scene})


def _sequence(
    size: int, split: str | Sequence[str], world: WorldLike, settings: Mapping[str, Any]
) -> PuzzleSequence:
    """Return so many puzzles of each length and split."""
    splits = read_words(split, "split")
    for name in splits:
        if name not in SPLITS:
            raise ConfigError(f"is not one of {', '.join(SPLITS)}", setting="split", value=name)
    if size < 0:
        raise ConfigError("is not a whole number of at least 0", setting="size", value=size)
    stories = max(size, 1)
    config = config_of(**settings, train=stories, test=stories)
    told = load_world(world)
    made = Generator(config, told)
    parts = [Puzzles(made, name, length, size) for length in config.k for name in splits]
    return PuzzleSequence(parts, told, made.config.assume)


def _check_alone(given: Mapping[str, Any], world: WorldLike) -> None:
    """Refuse settings beside a frozen set, which fixes them; those that are as usual may be named."""
    usual = {one.name: one.default for one in fields(Config)}
    for name, value in {**given, "world": world}.items():
        read = read_numbers(value, name) if name in ("k", "routes") else value
        if read not in (None, (), DEFAULT_WORLD if name == "world" else usual.get(name)):
            raise ConfigError("a frozen set fixes it", setting=name, hint="leave it out")


def _refuse(given: Mapping[str, Any], why: str, hint: Hint) -> None:
    """Refuse arguments that do not apply."""
    for name, value in given.items():
        if value is not None:
            raise ConfigError(why, setting=name, hint=hint)
