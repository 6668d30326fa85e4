"""What is to be drawn: a subset and split of a config, in families of certain sizes."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

from clutrr.config import Config
from clutrr.errors import ConfigError, short
from clutrr.theory.kinship.families import people_in
from clutrr.theory.kinship.presets import PRESETS, KinshipPreset
from clutrr.theory.questions import Supply

if TYPE_CHECKING:
    from clutrr.theory.kinship.kinship import Kinship

_SETTING = re.compile(r"(levels|children)=(\d{1,9})(?:-(\d{1,9}))?")
_MOST = 100  # levels, children


@dataclass(frozen=True)
class FamilySettings:
    """The settings of the scenes: families that grow from one couple.

    levels: generations below the head of a family; None for as many as a path needs, at least 3.
    children: of a couple, at least and at most.
    """

    levels: int | None = None
    children: tuple[int, int] = (3, 3)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the settings of a text such as "levels=3,children=2-4". Raises ConfigError."""
        found: dict[str, tuple[int, int]] = {}
        for part in text.split(",") if text.strip() else ():
            match = _SETTING.fullmatch(part.strip())
            if match is None or (match[1] == "levels" and match[3]):
                raise ConfigError(f"scene: {short(part.strip())} is not of the form levels=3 or children=2-4")
            if match[1] in found:
                raise ConfigError(f"scene: {match[1]} is given twice")
            found[match[1]] = int(match[2]), int(match[3] or match[2])
        levels, children = found.get("levels"), found.get("children", cls.children)
        return cls(levels and levels[0], children)

    def __post_init__(self) -> None:
        fewest, most = self.children
        if self.levels is not None and self.levels < 1:
            raise ConfigError(
                f"scene: levels={self.levels}, but a family has at least 1 level below its head"
            )
        if fewest < 1:
            raise ConfigError(f"scene: children={fewest}, but a couple has at least 1 child")
        if fewest > most:
            raise ConfigError(f"scene: children: the minimum {fewest} is above the maximum {most}")
        if max(self.levels or 0, most) > _MOST:
            raise ConfigError(f"scene: more than {_MOST} levels or children make families too large")

    @property
    def regular(self) -> bool:
        """Whether all couples have the same number of children."""
        return self.children[0] == self.children[1]

    @property
    def mean(self) -> float:
        """The mean number of children of a couple."""
        return sum(self.children) / 2

    def levels_for(self, k: int) -> int:
        """Return the levels of the families for paths of k edges.

        Those asked for, or 3, or more if a family would have fewer than 5 k people at the mean number of
        children.
        """
        if self.levels is not None:
            return self.levels
        levels = 3
        while people_in(levels, self.mean) < 5 * k:
            levels += 1
        return levels

    def described(self, k: int) -> str:
        """Return what families of paths of k edges are like, for messages."""
        low, high = self.children
        children = str(low) if low == high else f"{low} to {high}"
        return f"families of {self.levels_for(k)} levels with {children} children a couple"


@dataclass(frozen=True)
class Subset:
    """One subset and split of a config, which is filled in for its world."""

    config: Config
    theory: "Kinship"
    supply: Supply
    k: int
    split: str

    @cached_property
    def preset(self) -> KinshipPreset:
        return next(preset for preset in PRESETS if preset.name == self.config.preset)

    @cached_property
    def families(self) -> FamilySettings:
        return FamilySettings.parse(self.config.scene)

    @property
    def levels(self) -> int:
        return self.families.levels_for(self.k)

    @property
    def determined(self) -> bool:
        """Whether questions must have one possible answer, all or those that are not to have several."""
        return self.preset.keeps != "all"

    @property
    def entailed(self) -> bool:
        return self.preset.keeps == "entailed"

    @property
    def open(self) -> bool:
        """Whether a marriage may link families that are already linked."""
        return self.config.assume == "open"

    @property
    def undetermined(self) -> float:
        """The share of questions with several possible answers."""
        return self.config.undetermined or 0.0

    def check(self) -> None:
        """Check that families can be large enough, and that there are names enough. Raises ConfigError."""
        config, k, (_, most) = self.config, self.k, self.families.children
        people = people_in(self.levels, most)
        if people <= k:
            raise ConfigError(
                f"k: a path of {k} edges needs {k + 1} people; a family of {self.levels} levels "
                f"with {most} children a couple has {people:.0f}"
            )
        joined = k + 1 + config.supporting // 2 + config.irrelevant
        if joined > people or config.disconnected >= people:
            raise ConfigError(
                f"supporting, irrelevant, disconnected: the facts of M{k} need {joined} people of one family "
                f"and {config.disconnected + 1} of another, but families have {people:.0f}; ask for fewer"
            )
        names = sum(self.supply.names)
        if people_in(self.levels, self.families.mean) > names:
            raise ConfigError(
                f"k, levels: paths of {k} edges in families of {self.levels} levels with "
                f"{self.families.mean:g} children a couple need more names than the {names} "
                f"of world {self.supply.world!r}"
            )
