"""The assumptions and the presets of kinship.

What holds in every family of `open` holds in every family of `tree`, since `tree` has fewer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from clutrr.theory.spec import Assumption, Preset

_OPEN = (
    "Everybody has exactly one mother and one father, who are married to each other, and at most one spouse. "
    "Spouses are a woman and a man. Nobody is their own ancestor, and nobody marries a blood relative. "
    "Different names are different people. There may be people whom the story does not mention. "
    "Somebody's sex is known only from what the story says."
)
_TREE = (
    "No marriage links two families that are already linked, directly or through other families: "
    "for example, two brothers never marry two sisters."
)

TREE = Assumption(
    "tree", "no marriage links two families that are already linked", f"{_OPEN} {_TREE}"
)
OPEN = Assumption("open", "a marriage may link two families that are already linked", _OPEN)
ASSUMPTIONS = (TREE, OPEN)


# The patterns of the published v0.1 files and their shares in percent, measured on 1000 rows each.
_PUBLISHED = {
    3: (
        (("child", "SO", "child"), "grand", 37.0),
        (("SO", "child", "SO"), "in-law", 25.8),
        (("child", "sibling", "sibling"), "child", 18.8),
        (("SO", "child", "sibling"), "child", 18.4),
    ),
    4: (
        (("SO", "child", "SO", "child"), "grand", 50.6),
        (("SO", "child", "sibling", "sibling"), "child", 27.5),
        (("child", "SO", "child", "sibling"), "grand", 21.9),
    ),
    5: (
        (("SO", "child", "SO", "child", "sibling"), "grand", 52.0),
        (("child", "SO", "child", "sibling", "sibling"), "grand", 48.0),
    ),
    6: ((("SO", "child", "SO", "child", "sibling", "sibling"), "grand", 100.0),),
}


@dataclass(frozen=True)
class KinshipPreset(Preset):
    """A preset of kinship.

    - siblings: among whom the relation holds, "all" or the "last" generation
    - patterns: the only patterns to use for each k, each with its target and share; None for all
    """

    siblings: str = "all"
    patterns: Mapping[int, tuple[tuple[tuple[str, ...], str, float], ...]] | None = None

    @classmethod
    def of(cls, preset: Preset) -> Self:
        """Return the preset itself, or a plain one as a preset of all siblings and patterns."""
        return preset if isinstance(preset, cls) else cls(**vars(preset))


PRESETS = (
    KinshipPreset(
        "sound",
        "questions with exactly one possible answer, every label equally often",
        keeps="determined",
        order="shuffled",
        assume="tree",
        balanced=True,
    ),
    KinshipPreset(
        "strict",
        "questions whose answer holds in every family that fits the story, every label equally often",
        keeps="entailed",
        order="shuffled",
        assume="open",
        balanced=True,
    ),
    KinshipPreset(
        "mixed",
        "questions with exactly one possible answer, every label equally often, and questions with "
        "several, whose target is that it cannot be told",
        keeps="mixed",
        order="shuffled",
        assume="open",
        balanced=True,
    ),
    KinshipPreset(
        "described",
        "the benchmark that the paper describes: every path whose ends are related",
        keeps="all",
        order="inserted",
        assume="tree",
    ),
    KinshipPreset(
        "published",
        "the few patterns of the published v0.1 files, in their shares",
        keeps="all",
        order="path",
        assume="tree",
        siblings="last",
        patterns=_PUBLISHED,
    ),
)
