"""The theories and worlds that there are: ours, and the theories that installed packages bring.

A theory of another package is found by an entry point of the group `clutrr.theories`:

    [project.entry-points."clutrr.theories"]
    clubs = "clubs_theory:Clubs"

A world of one's own is a folder, and is named by its path.
"""

from importlib import import_module

from clutrr.errors import WorldError, short
from clutrr.theory.theory import Theory

DEFAULT_THEORY = "kinship"  # of a world that names none

# The theories that come with the package, and the classes that implement them.
THEORIES = {
    "kinship": "clutrr.theory.kinship:Kinship",
    "order": "clutrr.theory.order:Order",
    "time": "clutrr.theory.time:Time",
    "regions": "clutrr.theory.regions:Regions",
    "directions": "clutrr.theory.directions:Directions",
}
_GROUP = "clutrr.theories"

# The worlds that data can be in without naming them. Where several fit, the first of these is meant, so
# a world comes before those that have its relations and more.
RECOGNISED = (
    "kinship",
    "kinship-v1",
    "order",
    "time",
    "regions",
    "directions",
    "kinship-de",
    "kinship-fr",
    "kinship-es",
    "kinship-ru",
    "kinship-zh",
    "kinship-tr",
    "order-de",
    "order-fr",
    "order-es",
    "order-zh",
    "directions-de",
    "directions-fr",
    "directions-es",
    "directions-zh",
)

# The worlds that come with the package, folders of `clutrr/_lexicon/worlds`. The last two have words of
# `kinship-v1` with a wider meaning: only who names it means it.
WORLDS = (*RECOGNISED, "kinship-v1-by-marriage", "kinship-full")


def theory_names() -> list[str]:
    """Return the names of all theories: ours, and then those of installed packages."""
    from importlib import metadata

    return [*THEORIES, *sorted({entry.name for entry in metadata.entry_points(group=_GROUP)})]


def find_theory(name: str) -> type[Theory]:
    """Return the theory of this name: ours, or one that an installed package brings."""
    if name in THEORIES:
        module, _, attribute = THEORIES[name].partition(":")
        found: type[Theory] = getattr(import_module(module), attribute)
        return found
    from importlib import metadata

    for entry in metadata.entry_points(group=_GROUP, name=name):
        try:
            loaded: type[Theory] = entry.load()
        except Exception as error:  # a program of somebody else
            raise WorldError(
                f"theory {name}: {entry.value}: {type(error).__name__}: {error}"
            ) from error
        usual = [one for one in ("name", "assumptions", "presets") if not hasattr(loaded, one)]
        if lacks := [*sorted(loaded.__abstractmethods__), *usual]:
            raise WorldError(f"theory {name}: {entry.value} lacks {', '.join(lacks)}")
        return loaded
    known = ", ".join(theory_names())
    raise WorldError(
        f"there is no theory {short(name)}; the theories are {known}; others need installing"
    )
