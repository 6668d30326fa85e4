"""Worlds as users name them: ours by name, their own by folder, or not at all."""

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from clutrr._config import DEFAULT_WORLD
from clutrr._io.locations import Location, is_location, parse_location
from clutrr._lexicon import World, builtin_world, read_world
from clutrr._puzzle import CANNOT_BE_TOLD
from clutrr._reading import Understood, reader_of
from clutrr._reading.readable import check_readable
from clutrr.errors import ArgumentError, ConfigError, WorldError, short
from clutrr.theory import WORLDS
from clutrr.theory.registry import RECOGNISED

# Before the name of a world or a matrix: ours, whatever lies in the current folder.
BUILTIN = "builtin:"
_LISTED = 5  # relations in a message


def load_world(world: str | Location | World = DEFAULT_WORLD) -> World:
    """Return the world of this name, or in this folder. `builtin:NAME` is ours, whatever lies here.

    A sentence must have one meaning: what is read back from it must be what it was written for.
    """
    if isinstance(world, World):
        return world
    if not is_location(world):
        raise ArgumentError(
            f"expected a name, a folder or a World, not {type(world).__name__}", setting="world"
        )
    name = str(world).removeprefix(BUILTIN)
    if name in WORLDS:
        if name == world and (Path(name) / "relations.yaml").is_file():
            raise WorldError(
                f"world {name} could mean two: write ./{name} for the folder, or {BUILTIN}{name} for ours"
            )
        return builtin_world(name)
    folder = parse_location(world)
    try:
        found = folder.is_dir()
    except (OSError, ValueError) as error:
        raise WorldError(f"world {short(str(world))}: cannot be read: {error}") from None
    if not found:
        known = ", ".join(WORLDS)
        raise WorldError(
            f"there is no world {short(str(world))}: neither a folder nor one of {known}"
        )
    read = read_world(folder)
    check_readable(read, folder)
    return read


class InferredWorld(NamedTuple):
    """The world that data is in without naming it, and why: "12 of 12 relations are its own"."""

    world: World
    reason: str


class _Fit(NamedTuple):
    """How much of what tells a world is known in one, of how much."""

    known: int
    of: int


Knows = Callable[[str], bool]


def infer_world(
    relations: Collection[str] = (),
    story: str = "",
    *,
    knows: Callable[[World], Knows] | None = None,
    among: Sequence[str] = RECOGNISED,
) -> InferredWorld:
    """Return the built-in world that data is in. Raises ConfigError where nothing tells.

    It is the first that knows all of the relations, or else the one that knows most; where none knows any, the
    one that reads most of the story. Of worlds of one theory that know as much, it is the first.

    - relations: those that the data names
    - story: a text of the data
    - knows: makes what tells whether a world knows a relation, if not by its labels and kinds alone
    - among: the names of the worlds that come into question
    """
    named = sorted(set(relations) - {CANNOT_BE_TOLD, ""})
    knows = knows or _labels_and_kinds
    found = None
    if named:
        fits = (
            _fit_of_relations(world, knows(world), named) for world in map(builtin_world, among)
        )
        found = _best_fit(among, fits, "relations are its own")
    if found is None and story.strip():
        fits = (_fit_of_story(world, story) for world in map(builtin_world, among))
        found = _best_fit(among, fits, "sentences about relations are read")
    if found is not None:
        return found
    if named:
        why = f"no built-in world has the relations {', '.join(map(short, named[:_LISTED]))}"
    elif story.strip():
        why = "no built-in world reads a sentence of the story"
    else:
        why = "nothing tells it"
    raise ConfigError(why, setting="world", hint="name it")


def _labels_and_kinds(world: World) -> Knows:
    """Return what tells whether a world has a label or a kind."""
    return lambda relation: relation in world.meaning or relation in world.index


def _fit_of_relations(world: World, knows: Knows, relations: Sequence[str]) -> _Fit:
    return _Fit(sum(map(knows, relations)), len(relations))


def _fit_of_story(world: World, story: str) -> _Fit:
    """Return how many sentences state something in a world, of those that it takes to state relations."""
    sentences = reader_of(world).read(story).sentences
    stating = sum(bool(sentence.statements) for sentence in sentences)
    unread = sum(sentence.understood is Understood.UNREAD for sentence in sentences)
    return _Fit(stating, stating + unread)


def _best_fit(names: Sequence[str], fits: Iterable[_Fit], what: str) -> InferredWorld | None:
    """Return the first world that fits in full, or else the one that knows most; None if none knows any.

    - names: of the worlds
    - fits: of each; none is asked for beyond the first that fits in full
    - what: is known, for the reason
    """
    most = 0
    best: dict[str, InferredWorld] = {}  # the first of each theory of those that know most
    for name, fit in zip(names, fits, strict=False):
        found = InferredWorld(builtin_world(name), f"{fit.known} of {fit.of} {what}")
        if fit.known and fit.known == fit.of:
            return found
        if fit.known > most:
            most, best = fit.known, {}
        if fit.known and fit.known == most:
            best.setdefault(found.world.theory.name, found)
    if len(best) > 1:
        either = " or ".join(f"{world.name} ({reason})" for world, reason in best.values())
        raise ConfigError(f"it could be {either}", setting="world", hint="name it")
    return next(iter(best.values()), None)
