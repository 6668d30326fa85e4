"""Whether a theory holds: what `clutrr.check_theory` and `clutrr info THEORY` say, and the card of a data set."""

import inspect
from typing import Any

from clutrr._arguments import LocationLike, public
from clutrr._io.locations import is_location, parse_location
from clutrr._lexicon import World
from clutrr._worlds import load_world
from clutrr.errors import ArgumentError, WorldError, short
from clutrr.theory import WORLDS, Theory, find_theory, theory_names
from clutrr.theory.checking import TheoryCheck, check
from clutrr.theory.models import ModelTheory
from clutrr.theory.registry import THEORIES


@public
def check_theory(theory: LocationLike | World | Theory | Any) -> TheoryCheck:
    """Return whether a theory holds what stories and proofs take for granted: `print` it.

    A theory given by models is compared with its things by brute force, in seconds.

    - theory: its name, or a `Theory` or its class; or a world of it, by name or as a folder

    >>> check_theory("order").holds
    True
    """
    if isinstance(theory, World):
        return check(theory.theory, theory.labels)
    if isinstance(theory, Theory):
        return _check_alone(type(theory), theory)
    if inspect.isclass(theory) and issubclass(theory, Theory):
        return _check_alone(theory)
    if not is_location(theory):
        raise ArgumentError(
            f"expected a name, a Theory or a World, not {type(theory).__name__}", setting="theory"
        )
    name = str(theory)
    if name in WORLDS or parse_location(theory).is_dir():
        world = load_world(parse_location(theory) if name not in WORLDS else name)
        return check(world.theory, world.labels)
    if name in theory_names():
        return _check_alone(find_theory(name))
    known = ", ".join(dict.fromkeys([*theory_names(), *WORLDS]))
    raise WorldError(f"there is no theory {short(name)}: neither a folder nor one of {known}")


def is_theory(what: Any) -> bool:
    """Return whether this is the folder of a world, or, where nothing lies at it, the name of a theory or world."""
    if not is_location(what):
        return False
    place = parse_location(what)
    if place.exists():
        return (place / "relations.yaml").is_file() and (place / "templates.yaml").is_file()
    return str(what) in WORLDS or str(what) in theory_names()


def theory_notes(world: World) -> list[str]:
    """Return what the card of a data set says of a theory that does not come with the package."""
    if is_ours(type(world.theory)):
        return []
    found = check(world.theory, world.labels)
    name = f"theory `{found.theory}`, which is not part of clutrr,"
    if found.holds:
        return [f"The {name} was checked by `clutrr info`, and holds"]
    return [
        f"The {name} {'fails a check' if one.holds is False else 'could not be checked in full'} "
        f"({one.name}): {one.about.rstrip('.')}"
        for one in found.checks
        if not one.holds
    ]


def _check_alone(kind: type[Theory], theory: Theory | None = None) -> TheoryCheck:
    """Return what is found out about a theory without a world, whose kinds are their own words."""
    if issubclass(kind, ModelTheory):
        return check(theory or kind())
    if kind.name in WORLDS and is_ours(kind):
        return check_theory(kind.name)
    raise ArgumentError(
        f"what {kind.name} means depends on its words: give a world of this theory",
        setting="theory",
    )


def is_ours(kind: type[Theory]) -> bool:
    """Return whether a theory comes with the package, whose tests check it."""
    return kind.name in THEORIES and kind is find_theory(kind.name)
