"""Paths for a block of questions: families, and a path in one of them for each question."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clutrr.errors import ConfigError
from clutrr.theory.kinship.families import FamilyCast, Shape, regular, sample, sample_families
from clutrr.theory.kinship.sources import UNIFORM_EDGES, Imitator, Models, Source, Sources, changes
from clutrr.theory.kinship.subset import Subset
from clutrr.theory.kinship.walks import Ints, Kinds, PathTable

FAMILIES = 64  # in a block
_ROUNDS = 30  # of drawing in the same family before another is tried
_FAMILIES_TRIED = 40
_SHAPES_TRIED = 20 * FAMILIES
_BATCH = 1536  # paths drawn at once, at least
_TRIES = 4  # at least this many for each question in a round, if a path may be of no use
_LONG_BATCH, _LONG_TRIES = 128, 8  # the same for long paths, where walks take over from each other


@dataclass(frozen=True)
class Paths:
    """One path per row: its family and people (numbers within the block), kinds, what the ends are.

    targets: -1 where the facts leave several answers.
    """

    cast: FamilyCast
    family: Ints
    people: Ints
    kinds: Kinds
    targets: Kinds

    @property
    def answers(self) -> Ints:
        """A number for each answer: target and gender of the last person; -1 where there are several."""
        answers: Ints = self.targets.astype(np.int64) * 2 + self.cast.forms[self.people[:, -1]]
        return np.where(self.targets < 0, -1, answers)

    def take(self, rows: Ints) -> "Paths":
        """Return some of them, in any order."""
        columns = {name: getattr(self, name)[rows] for name in ("family", "people", "kinds", "targets")}
        return replace(self, **columns)


class _Wanted(NamedTuple):
    """What each question of a block must be.

    source: the number of the source of its path. kind, gender: its label, or None for any.
    """

    source: Ints
    kind: Kinds | None
    gender: npt.NDArray[np.int8] | None


class _Group(NamedTuple):
    """Families of one shape: their numbers in the block, and where their paths come from."""

    families: Ints
    sources: list[Source]


class Sampler:
    """Draws the paths of a subset."""

    def __init__(self, subset: Subset) -> None:
        self._subset = subset
        self._sources = Sources(subset)
        self._regular: tuple[Shape, list[Source]] | None = None
        if subset.families.regular:
            shape = regular(subset.levels, subset.families.children[0])
            self._regular = shape, self._sources.of(shape)

    @cached_property
    def targets(self) -> list[int]:
        """The kinds that occur as targets, if labels are balanced.

        `sound` needs all of them. The stricter presets use those that there are.
        """
        subset = self._subset
        every = list(range(len(subset.theory.ways)))
        if not subset.open and subset.preset.keeps != "mixed":
            return every
        largest = regular(subset.levels, subset.families.children[1])
        sources = self._regular[1] if self._regular is not None else self._sources.of(largest)
        found = [kind for kind in every if any(source.paths.choice.has(kind) for source in sources)]
        if not found:
            raise ConfigError(
                f"k: preset {subset.preset.name} has no question of {subset.k} facts in "
                f"{subset.families.described(subset.k)}"
            )
        return found

    @property
    def guided(self) -> bool:
        """Whether only paths whose pattern entails its answer are drawn, since others are rare."""
        return self._sources.rare

    @cached_property
    def patterns(self) -> int | None:
        """How many patterns entail their answer, if only such are drawn and they can be counted."""
        if not self._subset.entailed:
            return None
        if self.guided:
            return sum(self._subset.theory.entailed.count(self._subset.k))
        return self._regular[1][0].patterns if self._regular is not None else None

    def draw(self, rng: np.random.Generator, size: int) -> Paths:
        """Draw that many paths."""
        share, k = self._subset.undetermined, self._subset.k
        several = _spread(rng, size, 100) < share if share else np.zeros(size, bool)
        wanted = self._want(rng, ~several)
        cast, groups = self._families(rng)
        drawn = Paths(
            cast,
            family=np.arange(size) * FAMILIES // size,
            people=np.empty((size, k + 1), np.int64),
            kinds=np.empty((size, k), np.int8),
            targets=np.full(size, -1, np.int8),
        )
        group_of = np.empty(FAMILIES, np.int64)
        for i, group in enumerate(groups):
            group_of[group.families] = i
        missing = ~several
        waiting = int(missing.sum())
        for _ in range(_FAMILIES_TRIED):
            pending = np.flatnonzero(missing)
            if not len(pending):
                for group in groups:
                    self._fill_undetermined(rng, group, drawn, several)
                return drawn
            if len(pending) < waiting:  # the rest finds no path in its family
                drawn.family[pending] = rng.integers(0, FAMILIES, len(pending))
            for i, group in enumerate(groups):
                for s, source in enumerate(group.sources):
                    mine = pending[(group_of[drawn.family[pending]] == i) & (wanted.source[pending] == s)]
                    missing[self._fill(rng, source, wanted, drawn, mine)] = False
        raise self._none_found(wanted, int(np.argmax(missing)))

    def _fill_undetermined(
        self, rng: np.random.Generator, group: _Group, drawn: Paths, several: npt.NDArray[np.bool_]
    ) -> None:
        """Draw questions with several answers in these families, imitating those with one."""
        mine = np.flatnonzero(several & np.isin(drawn.family, group.families))
        if not len(mine):
            return
        others = np.flatnonzero(~several)
        models = None
        if len(others):
            like = np.resize(rng.permutation(others), len(mine))
            models = Models(drawn.kinds[like], drawn.cast.forms.take(drawn.people[like]))
        source, first = group.sources[0], drawn.cast.first
        imitator = Imitator(
            source,
            group.families,
            lambda home, paths: drawn.cast.forms.take(first[home, None] + paths),
            self._sources.undetermined(source),
            len(self._subset.theory.ways),
        )
        found = imitator.draw(rng, len(mine), models)
        if found is None:
            raise ConfigError(
                f"undetermined: found too few questions of {self._subset.k} facts with several possible "
                f"answers in {self._subset.families.described(self._subset.k)}"
            )
        paths, drawn.family[mine] = found
        drawn.people[mine] = first[drawn.family[mine], None] + paths
        drawn.kinds[mine] = source.kinds(paths)

    def _fill(
        self, rng: np.random.Generator, source: Source, wanted: _Wanted, drawn: Paths, questions: Ints
    ) -> Ints:
        """Draw until each question has a path, or there have been enough rounds; return which have."""
        first = drawn.cast.first[drawn.family]  # of each question, the first person of its family
        filled = [questions[:0]]
        for done, paths in self._rounds(rng, source, wanted, drawn.cast.forms, first, questions):
            drawn.people[done] = first[done, None] + paths
            drawn.kinds[done] = source.kinds(paths)
            drawn.targets[done] = source.related[paths[:, 0], paths[:, -1]]
            filled.append(done)
        return np.concatenate(filled)

    def _rounds(
        self,
        rng: np.random.Generator,
        source: Source,
        wanted: _Wanted,
        genders: npt.NDArray[np.int8],
        first: Ints,
        questions: Ints,
    ) -> Iterator[tuple[Ints, npt.NDArray[np.int16]]]:
        """Yield the questions that each round of drawing finds a path for, and the paths."""
        choice = source.paths.choice
        listed = isinstance(source.paths, PathTable)  # then what is drawn is a path
        sure = listed and wanted.gender is None  # no draw is in vain
        short = self._subset.k <= UNIFORM_EDGES
        batch, least = (_BATCH, _TRIES) if short else (_LONG_BATCH, _LONG_TRIES)
        if wanted.kind is not None:
            possible = np.array([choice.has(kind) for kind in range(len(self._subset.theory.ways))])
            questions = questions[possible[wanted.kind[questions]]]
        for _ in range(_ROUNDS):
            if not len(questions) or choice.empty:
                return
            each = 1 if sure else max(least, -(-batch // len(questions)))
            tries = np.repeat(questions, each)
            kinds = None if wanted.kind is None else wanted.kind[tries]

            def worth(last: npt.NDArray[np.int16], tries: Ints = tries, each: int = each) -> Ints:
                if wanted.gender is None:
                    return np.arange(len(last))
                good = np.flatnonzero(genders[first[tries] + last] == wanted.gender[tries])
                return good[changes(good // each)] if listed else good

            paths, which = source.paths.draw(rng, len(tries), kinds, worth, each)
            place = which // each
            new = source.first_kept(paths, place)
            found = place[new]
            yield questions[found], paths[new]
            questions = np.delete(questions, found)

    def _want(self, rng: np.random.Generator, single: npt.NDArray[np.bool_]) -> _Wanted:
        """Return what the questions must be. single: those with one answer."""
        source = np.searchsorted(self._sources.shares, _spread(rng, len(single), 100), side="right")
        if not self._subset.preset.balanced:
            return _Wanted(source, None, None)
        labels = 2 * len(self.targets)
        label = np.zeros(len(single), np.int8)
        label[single] = (_spread(rng, int(single.sum()), labels) * labels).astype(np.int8)
        return _Wanted(source, np.array(self.targets, np.int8)[label // 2], label % 2)

    def _families(self, rng: np.random.Generator) -> tuple[FamilyCast, list[_Group]]:
        """Return the families of a block, and the same grouped by shape."""
        subset = self._subset
        if self._regular is not None:
            shape, sources = self._regular
            return sample_families(shape, subset.supply, FAMILIES, rng), [
                _Group(np.arange(FAMILIES), sources)
            ]
        casts: list[FamilyCast] = []
        groups: list[_Group] = []
        for _ in range(_SHAPES_TRIED):
            grown = sample(subset.levels, *subset.families.children, min(subset.supply.names), rng)
            if grown is not None:
                groups.append(_Group(np.array([len(casts)]), self._sources.of(grown)))
                casts.append(sample_families(grown, subset.supply, 1, rng))
                if len(casts) == FAMILIES:
                    return FamilyCast.joined(casts), groups
        raise ConfigError(
            f"scene: most {subset.families.described(subset.k)} need more names than world "
            f"{subset.supply.world!r} has"
        )

    def _none_found(self, wanted: _Wanted, question: int) -> ConfigError:
        subset = self._subset
        what = "an answer in the label set"
        if wanted.kind is not None and wanted.gender is not None:
            words = subset.supply.labels.kinds[wanted.kind[question]].words
            what = f"target {words[wanted.gender[question]]}"
        return ConfigError(
            f"k: found no path of {subset.k} edges with {what} for preset {subset.preset.name} in "
            f"{subset.families.described(subset.k)}"
        )


def _spread(rng: np.random.Generator, size: int, group: int) -> npt.NDArray[np.float64]:
    """Return random numbers in [0, 1): each `group` in a row fall into `group` equal parts, one each."""
    rows = -(-size // group)
    cells = rng.permuted(np.tile(np.arange(group), (rows, 1)), axis=1)
    return ((cells + rng.random((rows, group))) / group).reshape(-1)[:size]
