"""Paths for a block of questions: families, and a path in one of them for each question."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clutrr.errors import ConfigError
from clutrr.theory.kinship.drawing.families import (
    FEMALE,
    MALE,
    FamilyCast,
    Shape,
    regular,
    sample,
    sample_families,
)
from clutrr.theory.kinship.drawing.sources import (
    UNIFORM_EDGES,
    Source,
    Sources,
    cells_of,
    changes,
    pair,
)
from clutrr.theory.kinship.drawing.subset import FamilySettings, Subset
from clutrr.theory.kinship.drawing.told import ToldFamilies, ToldShape
from clutrr.theory.kinship.drawing.walks import Ints, Kinds, PathTable

FAMILIES = 64  # in a block
_ROUNDS = 30  # of drawing in the same family before another is tried
_FAMILIES_TRIED = 40
_SHAPES_TRIED = 20 * FAMILIES
_BATCH = 1536  # paths drawn at once, at least
_TRIES = 4  # at least this many for each question in a round, if a path may be of no use
# Of questions with several answers: draws before less is required, and if nothing is; how many, at least.
_IMITATED, _LAST_IMITATED, _FEWEST = 12, 100, 512
_PROBED, _PROBED_FEWEST = (
    512,
    4,
)  # paths of each target that show what a family has; the fewest of a label
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
        columns = {
            name: getattr(self, name)[rows] for name in ("family", "people", "kinds", "targets")
        }
        return replace(self, **columns)


class _Wanted(NamedTuple):
    """What each question of a block must be.

    source: the number of the source of its path. kind, gender: its label, or None for any.
    """

    source: Ints
    kind: Kinds | None
    gender: npt.NDArray[np.int8] | None

    @property
    def labels(self) -> Ints | None:
        """The label of each, as a number: kind and gender."""
        if self.kind is None or self.gender is None:
            return None
        return self.kind.astype(np.int64) * 2 + self.gender


class _Group(NamedTuple):
    """Families of one shape: their numbers in the block, and where their paths come from."""

    families: Ints
    sources: list[Source]


class Told:
    """The families of a file as the families of a block: each that has questions, the larger ones more often.

    slots: the family, by its number in the file, of each family of a block.
    labels: what can be asked for in them, target and gender as a number.
    """

    def __init__(self, subset: Subset, sources: Sources, families: ToldFamilies) -> None:
        self._subset, self._sources = subset, sources
        self.shapes = families.shapes
        self._of = [sources.of(shape) for shape in self.shapes]
        found = [self._count(*one) for one in zip(self.shapes, self._of, strict=True)]
        counts = np.array(found)  # (families, labels)
        # A label of few paths in a family is asked for where there are more.
        self._has = counts * 4 >= np.maximum(1, counts.max(axis=0))
        self._has &= counts >= _PROBED_FEWEST
        self._several = np.array(
            [self._open(*one) for one in zip(self.shapes, self._of, strict=True)]
        )
        self.labels: list[int] = np.flatnonzero(self._has.any(axis=0)).tolist()
        usable = np.flatnonzero(self._has.any(axis=1) | self._several)[:FAMILIES]
        lacking = not self.labels and subset.undetermined < 1
        if lacking or (subset.undetermined and not self._several.any()):
            which = " with several possible answers" if not lacking else ""
            raise ConfigError(
                f"{subset.families.described(subset.k)} have no question of {subset.k} facts{which} "
                f"for preset {subset.preset.name}",
                setting="k",
            )
        people = np.array([self.shapes[family].people for family in usable], np.float64)
        spare = FAMILIES - len(usable)
        upto = np.floor(np.cumsum(people) / people.sum() * spare + 1e-9).astype(np.int64)
        self.slots = np.repeat(usable, 1 + np.diff(upto, prepend=0))
        self.slots = np.append(self.slots, np.full(FAMILIES - len(self.slots), usable[0]))

    @property
    def groups(self) -> list[_Group]:
        """The families of a block by shape."""
        return [
            _Group(np.flatnonzero(self.slots == family), self._of[family])
            for family in dict.fromkeys(self.slots.tolist())
        ]

    def homes(
        self, rng: np.random.Generator, labels: Ints | None, several: npt.NDArray[np.bool_]
    ) -> Ints:
        """Return a family of the block for each question: one that has such questions.

        labels: of the questions, or None for any. several: which are to have several answers.
        """
        fits = self._has[self.slots]  # (slots, labels)
        anything = fits.any(axis=1)[None].repeat(len(several), axis=0)
        offered = anything if labels is None else fits[:, labels].T
        offered = np.where(several[:, None], self._several[self.slots], offered)
        home: Ints = np.argmax(offered * (1 + rng.random(offered.shape)), axis=1)
        return home

    def _count(self, shape: ToldShape, sources: list[Source]) -> Ints:
        """Return how many of some paths that are drawn have each label, and may be used."""
        counts = np.zeros(2 * len(self._subset.ways), np.int64)
        for source in sources:
            choice = source.paths.choice
            kinds = [kind for kind in range(len(self._subset.ways)) if choice.has(kind)]
            if not kinds or choice.empty:
                continue
            wanted = np.repeat(np.array(kinds, np.int8), _PROBED)
            rng = np.random.default_rng(0)
            paths, _ = source.paths.draw(
                rng, len(wanted), wanted, lambda last: np.arange(len(last))
            )
            paths = paths[source.first_kept(paths, np.arange(len(paths)))]
            targets = source.related[paths[:, 0], paths[:, -1]].astype(np.int64)
            forms = np.array(shape.forms)[paths[:, -1]]
            counts += np.bincount(2 * targets + forms, minlength=len(counts))
        return counts

    def _open(self, shape: ToldShape, sources: list[Source]) -> bool:
        """Return whether questions with several answers are easily found in a family."""
        table = sources[0].undetermined
        if not self._subset.undetermined or table is None or table.choice.empty:
            return False
        rng = np.random.default_rng(0)
        paths, _ = table.draw(rng, _PROBED, None, lambda last: np.arange(len(last)))
        kinds = sources[0].kinds(paths)
        good = self._sources.undetermined(sources[0], kinds, np.array(shape.forms)[paths])
        return int(good.sum()) >= _PROBED_FEWEST


class Sampler:
    """Draws the paths of a subset."""

    def __init__(self, subset: Subset) -> None:
        self._subset = subset
        self._sources = Sources(subset)
        self._regular: tuple[Shape, list[Source]] | None = None
        self._told: Told | None = None
        if isinstance(subset.families, ToldFamilies):
            self._told = Told(subset, self._sources, subset.families)
        elif subset.families.regular:
            shape = regular(subset.levels, subset.families.children[0])
            self._regular = shape, self._sources.of(shape)

    @cached_property
    def targets(self) -> list[int]:
        """The kinds that occur as targets, if labels are balanced.

        `sound` needs all of them. The stricter presets use those that there are.
        """
        subset = self._subset
        if self._told is not None:
            return sorted({label // 2 for label in self._told.labels})
        every = list(range(len(subset.ways)))
        if not subset.open and subset.preset.keeps != "mixed":
            return every
        sources = (
            self._regular[1] if self._regular is not None else self._sources.of(subset.largest)
        )
        found = [kind for kind in every if any(source.paths.choice.has(kind) for source in sources)]
        if not found:
            raise ConfigError(
                f"preset {subset.preset.name} has no question of {subset.k} facts in "
                f"{subset.families.described(subset.k)}",
                setting="k",
            )
        return found

    @cached_property
    def _labels(self) -> list[int]:
        """The labels that balanced questions have: target and gender, as a number."""
        if self._told is not None:
            return self._told.labels
        return [2 * kind + gender for kind in self.targets for gender in (FEMALE, MALE)]

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
            return sum(self._subset.entailing.count(self._subset.k))
        source = self._regular[1][0] if self._regular is not None else None
        if source is None or not isinstance(source.paths, PathTable):
            return None
        kinds = source.kinds(source.paths.rows).astype(np.int64)
        return len(np.unique(kinds @ len(self._subset.ways) ** np.arange(self._subset.k)))

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
        if self._told is not None:
            drawn.family[:] = self._told.homes(rng, wanted.labels, several)
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
                if self._told is not None:
                    left = wanted.labels if wanted.labels is None else wanted.labels[pending]
                    drawn.family[pending] = self._told.homes(rng, left, several[pending])
                else:
                    drawn.family[pending] = rng.integers(0, FAMILIES, len(pending))
            for i, group in enumerate(groups):
                for s, source in enumerate(group.sources):
                    mine = pending[
                        (group_of[drawn.family[pending]] == i) & (wanted.source[pending] == s)
                    ]
                    missing[self._fill(rng, source, wanted, drawn, mine)] = False
        raise self._none_found(wanted, int(np.argmax(missing)))

    def _fill_undetermined(
        self, rng: np.random.Generator, group: _Group, drawn: Paths, several: npt.NDArray[np.bool_]
    ) -> None:
        """Draw questions with several answers in these families, which look like those with one.

        Each imitates a question with one answer: its pattern starts and ends with the same kinds, and its
        last person has the same gender, so neither reveals which sort a question is. If a family has no such
        path, less is required: first the gender is dropped, then the last kind, then the first.
        """
        left = np.flatnonzero(several & np.isin(drawn.family, group.families))
        others = np.flatnonzero(~several)
        if not len(left):
            return
        source, forms, size = group.sources[0], drawn.cast.forms, len(self._subset.ways)
        table = source.undetermined
        assert table is not None
        like = np.resize(rng.permutation(others), len(left)) if len(others) else None
        for ask in range(3 if like is not None else 0, -1, -1):
            for _ in range(_IMITATED if ask else _LAST_IMITATED):
                if not len(left) or table.choice.empty:
                    break
                count, cells = max(_FEWEST, _TRIES * len(left)), None
                looks = np.zeros(len(left), np.int64)
                if like is not None:
                    looks = _looks(drawn.kinds[like], forms.take(drawn.people[like, -1]), size, ask)
                    if isinstance(table, PathTable) and ask >= 2:
                        wanted = cells_of(drawn.kinds[like], size)
                        wanted = wanted[[table.choice.has(int(cell)) for cell in wanted]]
                        if not len(wanted):
                            break
                        cells = np.resize(wanted, count)
                paths, _ = table.draw(rng, count, cells, lambda last: np.arange(len(last)))
                home = group.families[rng.integers(0, len(group.families), len(paths))]
                people, kinds = drawn.cast.first[home, None] + paths, source.kinds(paths)
                genders = forms.take(people)
                mine, theirs = pair(looks, _looks(kinds, genders[:, -1], size, ask))
                good = self._sources.undetermined(source, kinds[theirs], genders[theirs])
                mine, theirs = mine[good], theirs[good]
                done = left[mine]
                drawn.family[done], drawn.people[done], drawn.kinds[done] = (
                    home[theirs],
                    people[theirs],
                    kinds[theirs],
                )
                left = np.delete(left, mine)
                like = None if like is None else np.delete(like, mine)
        if len(left):
            raise ConfigError(
                f"found too few questions of {self._subset.k} facts with several possible "
                f"answers in {self._subset.families.described(self._subset.k)}",
                setting="undetermined",
            )

    def _fill(
        self,
        rng: np.random.Generator,
        source: Source,
        wanted: _Wanted,
        drawn: Paths,
        questions: Ints,
    ) -> Ints:
        """Draw until each question has a path, or there have been enough rounds; return which have."""
        first, genders = drawn.cast.first[drawn.family], drawn.cast.forms  # first: of each family
        choice = source.paths.choice
        listed = isinstance(source.paths, PathTable)  # then what is drawn is a path
        sure = listed and wanted.gender is None  # no draw is in vain
        short = self._subset.k <= UNIFORM_EDGES
        batch, least = (_BATCH, _TRIES) if short else (_LONG_BATCH, _LONG_TRIES)
        if wanted.kind is not None:
            possible = np.array([choice.has(kind) for kind in range(len(self._subset.ways))])
            questions = questions[possible[wanted.kind[questions]]]
        filled = [questions[:0]]
        for _ in range(_ROUNDS):
            if not len(questions) or choice.empty:
                break
            each = 1 if sure else max(least, -(-batch // len(questions)))
            tries = np.repeat(questions, each)
            kinds = None if wanted.kind is None else wanted.kind[tries]

            def worth(last: npt.NDArray[np.int16], tries: Ints = tries, each: int = each) -> Ints:
                if wanted.gender is None:
                    return np.arange(len(last))
                good = np.flatnonzero(genders[first[tries] + last] == wanted.gender[tries])
                return good[changes(good // each)] if listed else good

            paths, which = source.paths.draw(rng, len(tries), kinds, worth, each)
            new = source.first_kept(paths, which // each)
            paths, found = paths[new], which[new] // each
            done = questions[found]
            drawn.people[done] = first[done, None] + paths
            drawn.kinds[done] = source.kinds(paths)
            drawn.targets[done] = source.related[paths[:, 0], paths[:, -1]]
            filled.append(done)
            questions = np.delete(questions, found)
        return np.concatenate(filled)

    def _want(self, rng: np.random.Generator, single: npt.NDArray[np.bool_]) -> _Wanted:
        """Return what the questions must be. single: those with one answer."""
        source = np.searchsorted(self._sources.shares, _spread(rng, len(single), 100), side="right")
        if not self._subset.preset.balanced:
            return _Wanted(source, None, None)
        labels = np.array(self._labels, np.int8)
        label = np.zeros(len(single), np.int8)
        label[single] = (_spread(rng, int(single.sum()), len(labels)) * len(labels)).astype(np.int8)
        return _Wanted(source, labels[label] // 2, labels[label] % 2)

    def _families(self, rng: np.random.Generator) -> tuple[FamilyCast, list[_Group]]:
        """Return the families of a block, and the same grouped by shape."""
        subset = self._subset
        if self._told is not None:
            shapes = [self._told.shapes[family] for family in self._told.slots]
            told = [sample_families(one, subset.supply, 1, rng, one.forms) for one in shapes]
            return FamilyCast.joined(told), self._told.groups
        if self._regular is not None:
            shape, sources = self._regular
            return sample_families(shape, subset.supply, FAMILIES, rng), [
                _Group(np.arange(FAMILIES), sources)
            ]
        assert isinstance(subset.families, FamilySettings)
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
            f"most {subset.families.described(subset.k)} need more names than world "
            f"{subset.supply.world!r} has",
            setting="scene",
        )

    def _none_found(self, wanted: _Wanted, question: int) -> ConfigError:
        subset = self._subset
        what = "an answer in the label set"
        if wanted.kind is not None and wanted.gender is not None:
            words = subset.supply.labels.kinds[wanted.kind[question]].words
            what = f"target {words[wanted.gender[question]]}"
        return ConfigError(
            f"found no path of {subset.k} edges with {what} for preset {subset.preset.name} in "
            f"{subset.families.described(subset.k)}",
            setting="k",
        )


def _spread(rng: np.random.Generator, size: int, group: int) -> npt.NDArray[np.float64]:
    """Return random numbers in [0, 1): each `group` in a row fall into `group` equal parts, one each."""
    rows = -(-size // group)
    cells = rng.permuted(np.tile(np.arange(group), (rows, 1)), axis=1)
    return ((cells + rng.random((rows, group))) / group).reshape(-1)[:size]


def _looks(kinds: Kinds, genders: npt.NDArray[np.int8], size: int, ask: int) -> Ints:
    """Return what is compared, as a number: first and last kind and last gender, or less (3 to 0)."""
    first, cell = kinds[:, 0].astype(np.int64), cells_of(kinds, size)
    return [np.zeros(len(kinds), np.int64), first, cell, 2 * cell + genders][ask]
