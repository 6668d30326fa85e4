"""What to generate: presets, and a config that is checked when it is made."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from clutrr.errors import ConfigError
from clutrr.family import people_in
from clutrr.story import ORDERS, STYLES
from clutrr.world import World
from clutrr.world.assumptions import Assumption

SPLITS = ("train", "test")
DISJOINT = ("families", "patterns", "wordings", "names")  # what can be kept to one split; families always are
_MOST = 100  # levels, children, facts on a path


@dataclass(frozen=True)
class Preset:
    """A benchmark by name.

    order: of the sentences, unless another is asked for. siblings: among whom the relation holds,
    "all" or the "last" generation. patterns: the only patterns to use for each k, each with its
    target and share; none for all. determined: only questions with one possible answer; entailed: only
    those whose answer holds in every family that fits. mixed: questions with one possible answer, and
    others. assume: the families that are possible, unless another assumption is asked for.
    balanced: every label equally often.
    """

    name: str
    about: str
    order: str
    siblings: str
    determined: bool = False
    entailed: bool = False
    mixed: bool = False
    assume: Assumption = Assumption.TREE
    balanced: bool = False
    patterns: Mapping[int, tuple[tuple[tuple[str, ...], str, float], ...]] | None = None


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

PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            "sound",
            "questions with exactly one possible answer, every label equally often",
            order="shuffled",
            siblings="all",
            determined=True,
            balanced=True,
        ),
        Preset(
            "strict",
            "questions whose answer holds in every family that fits the story, every label equally often",
            order="shuffled",
            siblings="all",
            determined=True,
            entailed=True,
            assume=Assumption.OPEN,
            balanced=True,
        ),
        Preset(
            "mixed",
            "questions with exactly one possible answer, every label equally often, and questions with "
            "several, whose target is that it cannot be told",
            order="shuffled",
            siblings="all",
            determined=True,
            mixed=True,
            assume=Assumption.OPEN,
            balanced=True,
        ),
        Preset(
            "described",
            "the benchmark that the paper describes: every path whose ends are related",
            order="inserted",
            siblings="all",
        ),
        Preset(
            "published",
            "the few patterns of the published v0.1 files, in their shares",
            order="path",
            siblings="last",
            patterns=_PUBLISHED,
        ),
    )
}


@dataclass(frozen=True)
class Config:
    """Everything that the content of a data set depends on, besides the world."""

    preset: str = "sound"
    k: tuple[int, ...] = (3, 4, 5, 6)
    train: int = 4000
    test: int = 1000
    seed: int = 0
    levels: int | None = None  # None: as many as the paths need, at least 3
    children: tuple[int, int] = (3, 3)
    distractors: int = 8
    order: str | None = None  # None: the preset's
    assume: str | None = None  # None: the preset's
    undetermined: float | None = None  # the share of questions that cannot be told; None: half of `mixed`
    supporting: int = 0  # facts of each role beside the path, see `noise`
    irrelevant: int = 0
    disconnected: int = 0
    style: str = "sentences"
    brackets: bool = True  # around people and values
    disjoint: tuple[str, ...] = ("families",)  # what train and test do not share

    def __post_init__(self) -> None:
        _one_of("preset", self.preset, PRESETS)
        if not self.k or list(self.k) != sorted(set(self.k)) or min(self.k) < 1:
            raise ConfigError(f"k: {_listed(self.k)} is not a list of whole numbers of at least 1")
        patterns = PRESETS[self.preset].patterns
        if patterns is not None and not set(self.k) <= set(patterns):
            raise ConfigError(
                f"k: preset {self.preset} has k = {_listed(patterns)} only, not {_listed(self.k)}"
            )
        for name in ("train", "test", "seed", "distractors", "supporting", "irrelevant", "disconnected"):
            if getattr(self, name) < 0:
                raise ConfigError(f"{name}: {getattr(self, name)} is below 0")
        if self.train + self.test == 0:
            raise ConfigError("train, test: both are 0, so there is nothing to generate")
        if self.levels is not None and self.levels < 1:
            raise ConfigError(f"levels: {self.levels}, but a family has at least 1 level below its head")
        if max(self.levels or 0, *self.children) > _MOST:
            raise ConfigError(f"levels, children: more than {_MOST} make families too large")
        if max(self.k) > _MOST:
            raise ConfigError(f"k: {max(self.k)} is above {_MOST}, more than any family allows")
        fewest, most = self.children
        if fewest < 1:
            raise ConfigError(f"children: {fewest}, but a couple has at least 1 child")
        if fewest > most:
            raise ConfigError(f"children: the minimum {fewest} is above the maximum {most}")
        if self.order is not None:
            _one_of("order", self.order, ORDERS)
        if self.assume is not None:
            Assumption.named(self.assume)
        self._check_undetermined()
        _one_of("style", self.style, STYLES)
        if self.style != "prose" and not self.brackets:
            raise ConfigError("brackets: only prose can do without them; add --style prose")
        if self.supporting % 2 and min(self.k) == 1:
            raise ConfigError(
                f"supporting: {self.supporting} is odd, but another way around the one fact of M1 "
                "takes two facts; ask for an even number"
            )
        if (self.supporting or self.irrelevant) and self.untold:
            raise ConfigError(
                "supporting, irrelevant: such facts may settle an open question; with preset mixed, ask for "
                "disconnected ones, or for --undetermined 0"
            )
        for name in self.disjoint:
            _one_of("disjoint", name, DISJOINT)
        if "families" not in self.disjoint or len(set(self.disjoint)) < len(self.disjoint):
            raise ConfigError(
                f"disjoint: {', '.join(self.disjoint)}: families must be named, and nothing twice"
            )

    def _check_undetermined(self) -> None:
        mixed = PRESETS[self.preset].mixed
        if self.undetermined is not None:
            if not mixed:
                raise ConfigError(f"undetermined: only preset mixed has such questions, not {self.preset}")
            if not 0 <= self.undetermined <= 1:
                raise ConfigError(f"undetermined: {self.undetermined:g} is not a share from 0 to 1")
        if mixed and self.untold and min(self.k) < 2:
            raise ConfigError("k: preset mixed starts at k = 2: one fact alone is its own answer")

    def size(self, split: str) -> int:
        return self.train if split == "train" else self.test

    @property
    def benchmark(self) -> Preset:
        """The preset, with the changes that this config makes to it."""
        preset = PRESETS[self.preset]
        return preset if self.order is None else replace(preset, order=self.order)

    @property
    def assumption(self) -> Assumption:
        """The families that are possible."""
        return Assumption.named(self.assume) if self.assume is not None else PRESETS[self.preset].assume

    @property
    def untold(self) -> float:
        """The share of questions that cannot be told."""
        if not PRESETS[self.preset].mixed:
            return 0.0
        return 0.5 if self.undetermined is None else self.undetermined

    @property
    def noise(self) -> int:
        """How many facts a story has beside the path."""
        return self.supporting + self.irrelevant + self.disconnected

    def levels_for(self, k: int) -> int:
        """The levels of the families for paths of k edges: those asked for, or 3, or more if a
        family would have fewer than 5 k people; with children between two numbers, at their mean."""
        if self.levels is not None:
            return self.levels
        levels = 3
        while people_in(levels, sum(self.children) / 2) < 5 * k:
            levels += 1
        return levels

    def check_world(self, world: World) -> None:
        """Check what depends on the world."""
        if self.distractors > len(world.attributes):
            raise ConfigError(
                f"distractors: {self.distractors}, but world {world.name!r} has "
                f"{len(world.attributes)} attributes"
            )
        if self.style == "prose" and world.prose is None:
            raise ConfigError(f"style: world {world.name!r} has no prose.yaml; use --style sentences")
        names = sum(map(len, world.names))
        for k in self.k:
            levels = self.levels_for(k)
            most = people_in(levels, self.children[1])
            if most <= k:
                raise ConfigError(
                    f"k: a path of {k} edges needs {k + 1} people; a family of {levels} levels "
                    f"with {self.children[1]} children a couple has {most:.0f}"
                )
            self._check_noise(k, people_in(levels, self.children[1]))
            if people_in(levels, sum(self.children) / 2) > names:
                raise ConfigError(
                    f"k, levels: paths of {k} edges in families of {levels} levels with "
                    f"{sum(self.children) / 2:g} children a couple need more names than the {names} "
                    f"of world {world.name!r}"
                )

    def _check_noise(self, k: int, people: float) -> None:
        joined = k + 1 + self.supporting // 2 + self.irrelevant
        if joined > people or self.disconnected >= people:
            raise ConfigError(
                f"supporting, irrelevant, disconnected: the facts of M{k} need {joined} people of one family "
                f"and {self.disconnected + 1} of another, but families have {people:.0f}; ask for fewer"
            )

    def to_dict(self) -> dict[str, Any]:
        return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}


def _one_of(name: str, value: str, known: Any) -> None:
    if value not in known:
        raise ConfigError(f"{name}: {value!r} is not one of {', '.join(known)}")


def _listed(numbers: Any) -> str:
    return ", ".join(map(str, numbers)) or "nothing"
