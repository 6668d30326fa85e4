"""What is to be drawn: a subset and split, its families, and which patterns it may use."""

import hashlib
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from clutrr._puzzle import CANNOT_BE_TOLD, SPLITS
from clutrr.errors import ConfigError
from clutrr.theory.kinship.drawing.chains import Chains
from clutrr.theory.kinship.drawing.families import (
    Shape,
    enumerate_patterns,
    names_needed,
    people_in,
    regular,
)
from clutrr.theory.kinship.drawing.placements import EntailedPatterns
from clutrr.theory.kinship.drawing.told import ToldFamilies
from clutrr.theory.kinship.presets import KinshipPreset
from clutrr.theory.kinship.steps import Steps
from clutrr.theory.spec import QuestionSpec, Supply

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
                raise ConfigError(
                    "is not of the form levels=3 or children=2-4",
                    setting="scene",
                    value=part.strip(),
                )
            if match[1] in found:
                raise ConfigError(f"{match[1]} is given twice", setting="scene")
            found[match[1]] = int(match[2]), int(match[3] or match[2])
        levels, children = found.get("levels"), found.get("children", cls.children)
        return cls(levels and levels[0], children)

    def __post_init__(self) -> None:
        fewest, most = self.children
        levels = 1 if self.levels is None else self.levels
        for name, number in (("levels", levels), ("children", fewest), ("children", most)):
            if not 1 <= number <= _MOST:
                raise ConfigError(f"{name}={number} is not from 1 to {_MOST}", setting="scene")
        if fewest > most:
            raise ConfigError(
                f"children: the minimum {fewest} is above the maximum {most}", setting="scene"
            )

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

    def settings(self, k: int) -> dict[str, str]:
        """Return the settings of the families of paths of k edges."""
        low, high = self.children
        return {
            "levels": str(self.levels_for(k)),
            "children": str(low) if self.regular else f"{low}-{high}",
        }

    def described(self, k: int) -> str:
        """Return what families of paths of k edges are like, for messages."""
        return "families of {levels} levels with {children} children a couple".format(
            **self.settings(k)
        )


@dataclass(frozen=True)
class Subset:
    """One subset and split.

    - spec: what its questions shall be
    - supply: what the world has for them
    - ways: those of each kind
    - chains: what the ends of a chain of these kinds can be to each other
    - entailing: the patterns that entail their answer
    """

    spec: QuestionSpec
    supply: Supply
    ways: tuple[tuple[Steps, ...], ...]
    chains: Chains
    entailing: EntailedPatterns

    @property
    def k(self) -> int:
        return self.spec.k

    @cached_property
    def preset(self) -> KinshipPreset:
        return KinshipPreset.of(self.spec.preset)

    @cached_property
    def families(self) -> FamilySettings | ToldFamilies:
        if self.spec.families:
            return ToldFamilies.parse(self.spec.families)
        return FamilySettings.parse(self.spec.scene)

    @cached_property
    def largest(self) -> Shape:
        """The largest family that there can be."""
        if isinstance(self.families, ToldFamilies):
            return max(self.families.shapes, key=lambda shape: shape.people)
        return regular(self.levels, self.families.children[1])

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
        return self.spec.assume == "open"

    @property
    def undetermined(self) -> float:
        """The share of questions with several possible answers."""
        return self.spec.undetermined

    def check(self) -> None:
        """Check that families can be large enough, and that there are names enough. Raises ConfigError."""
        spec, k, families = self.spec, self.k, self.families
        if isinstance(families, ToldFamilies):
            people = usual = float(families.people)
        else:
            people = people_in(self.levels, families.children[1])
            usual = people_in(self.levels, families.mean)
        joined = k + 1 + spec.supporting // 2 + spec.irrelevant
        if joined > people or spec.disconnected >= people:
            raise ConfigError(
                f"the facts of M{k} need {joined} people of one family "
                f"and {spec.disconnected + 1} of another, but {families.described(k)} have "
                f"{people:.0f} at most; ask for fewer facts",
                setting="k, noise",
            )
        needed = math.ceil(usual)
        if needed > sum(self.supply.names):
            raise names_needed(needed, self.supply, "k, scene")


_REMEMBERED = 300_000  # patterns whose verdict is kept
_LISTED_EDGES = (
    4  # up to this length a family's patterns are listed to divide them between the splits
)

Kinds = npt.NDArray[np.int8]
Bools = npt.NDArray[np.bool_]
Pattern = tuple[int, ...]


class PatternRule:
    """Tells which patterns may be used in a subset and split."""

    def __init__(self, subset: Subset) -> None:
        self._subset, self._chains = subset, subset.chains
        self._side = self._sides() if subset.spec.disjoint_patterns else None
        # After a word for both genders that of the queried person is not known: no question ends in one.
        words = [kind.words for kind in subset.supply.labels.kinds]
        self._vague = np.array([subset.k > 1 and len(set(of)) == 1 for of in words])
        remembered = lru_cache(_REMEMBERED)
        self._answered = remembered(self.answered)
        self._doubted = remembered(lambda pattern: self._chains.undetermined(pattern, subset.open))

    @property
    def keeps_entailed(self) -> bool:
        """Whether all patterns of the automaton may be used, which entail their answer in trees."""
        return self._side is None and not self._chains.double and not self._vague.any()

    @property
    def _linked(self) -> bool:
        """Whether more may be possible under `open` than in trees, where there is one answer.

        What is entailed in trees is entailed in any family, unless two people can be two kinds to each other.
        """
        return self._subset.open and (not self._subset.entailed or self._chains.double)

    def answered(self, pattern: Pattern) -> bool:
        """Return whether only one kind is possible (nothing else either, if the preset wants it entailed).

        The pattern comes from a family in which its ends are related, so at least one kind is possible.
        """
        ends = self._chains.ends(pattern)
        if len(ends - {None}) != 1 or (self._subset.entailed and None in ends):
            return False
        return not (self._linked and self._chains.linked_otherwise(pattern))

    def keep(self, kinds: Kinds) -> Bools:
        """Return which of the patterns, one per row, may be used."""
        kept = self._asked(kinds)
        if self._subset.determined:
            kept[kept] = _each(kinds[kept], self._answered)
        return kept

    def keep_undetermined(self, kinds: Kinds, forms: Kinds | None = None) -> Bools:
        """Return which of the patterns, one per row, have several possible answers.

        forms: of the people; None for whatever they are.
        """
        kept, chains, open_ = self._asked(kinds), self._chains, self._subset.open
        if forms is None:
            kept[kept] = _each(kinds[kept], self._doubted)
            return kept
        for row in np.flatnonzero(kept).tolist():
            pattern, stated = tuple(kinds[row].tolist()), forms[row, 1:].tolist()
            possible = len(chains.kinds(pattern, stated))
            kept[row] = possible > 1 or (
                possible == 1 and open_ and chains.linked_otherwise(pattern, stated)
            )
        return kept

    def _asked(self, kinds: Kinds) -> Bools:
        """Return which patterns belong to the split and end in a kind that may be asked about."""
        asked: Bools = ~self._vague[kinds[:, -1]]
        if self._side is not None:
            asked[asked] = [
                self._side(tuple(one)) == self._subset.spec.split for one in kinds[asked].tolist()
            ]
        return asked

    def _sides(self) -> Callable[[Pattern], str]:
        """Return what divides the patterns of a subset between train and test, in proportion to their sizes.

        If they are few, they are listed and divided evenly, target by target if labels are balanced; if they
        are many, a hash of the seed and the pattern divides them.
        """
        subset, spec = self._subset, self._subset.spec
        share = spec.train / (spec.train + spec.test)
        told = isinstance(subset.families, ToldFamilies)  # of whom paths are not listed
        if (
            not told
            and 0 < share < 1
            and (subset.k <= _LISTED_EDGES or subset.preset.patterns is not None)
        ):
            listed = self._divide(share)
            return lambda pattern: listed.get(pattern, SPLITS[0])

        def side(pattern: Pattern) -> str:
            digest = hashlib.blake2b(
                f"{spec.seed}/".encode() + bytes(pattern), digest_size=8
            ).digest()
            return SPLITS[int.from_bytes(digest, "big") / 2**64 >= share]

        return side

    def _divide(self, train_share: float) -> dict[Pattern, str]:
        """Return the split of each pattern that may be used."""
        k, labels = self._subset.k, self._subset.supply.labels
        rng = np.random.default_rng([self._subset.spec.seed, k])
        sides: dict[Pattern, str] = {}
        for target, patterns in self._groups().items():
            if len(patterns) < 2:
                of = f" with target {target}" if target else ""
                spelt = "; ".join("-".join(labels.kinds[kind].name for kind in p) for p in patterns)
                raise ConfigError(
                    f"M{k} has one pattern{of} only ({spelt}), "
                    "so train and test cannot have different ones",
                    setting="disjoint",
                )
            test = max(1, round(len(patterns) * (1 - train_share)))
            chosen = rng.permutation(len(patterns))[: min(test, len(patterns) - 1)]
            sides |= {pattern: SPLITS[i in chosen] for i, pattern in enumerate(patterns)}
        return sides

    def _groups(self) -> dict[str, list[Pattern]]:
        """Return all patterns of a family that may be used, by target if labels are balanced."""
        subset, preset, labels = self._subset, self._subset.preset, self._subset.supply.labels
        if preset.patterns is not None:
            return {
                "": [
                    tuple(labels.index[kind] for kind in row)
                    for row, *_ in preset.patterns[subset.k]
                ]
            }
        assert isinstance(subset.families, FamilySettings)
        children = subset.families.children[1]
        found = enumerate_patterns(subset.ways, subset.levels, children, subset.k, preset.siblings)
        groups: dict[str, list[Pattern]] = {}
        for row, target in zip(found.patterns.tolist(), found.targets.tolist(), strict=True):
            pattern = tuple(row)
            name = labels.kinds[target].name if preset.balanced else ""
            if subset.determined and not self.answered(pattern):
                if not subset.undetermined:
                    continue
                name = CANNOT_BE_TOLD
            group = groups.setdefault(name, [])
            if pattern not in group:
                group.append(pattern)
        return groups


def _each(kinds: Kinds, verdict: Callable[[Pattern], bool]) -> Bools:
    """Return the verdict on each pattern, one per row; each distinct one is worked out once."""
    each, cells = pa.binary(kinds.shape[1]), pa.py_buffer(np.ascontiguousarray(kinds))
    found = pa.FixedSizeBinaryArray.from_buffers(
        each, len(kinds), [None, cells]
    ).dictionary_encode()
    verdicts = [verdict(tuple(one)) for one in found.dictionary.to_pylist()]
    judged: Bools = np.array(verdicts, bool)[found.indices.to_numpy()]
    return judged
