"""Questions about families: paths, facts beside them, and what they allow.

Facts beside the path are true in a family, and of no use to the question:

supporting    two facts: a way through somebody new around one fact of the path, or around two if nobody is
              left for one. If the number is odd, one is a fact of the path stated from its other end.
irrelevant    one fact: somebody new, related to somebody of the path or to somebody brought in that way.
disconnected  people of another family, one after the other.

Everybody new is brought in only once, so no way between the two queried people is shorter than the path,
and no fact states the answer.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from clutrr.config import SPLITS
from clutrr.errors import ConfigError
from clutrr.puzzle import ROLES
from clutrr.theory.kinship.families import FamilyCast, Shape, relations
from clutrr.theory.kinship.sampler import FAMILIES, Paths, Sampler
from clutrr.theory.kinship.sources import UNIFORM_EDGES
from clutrr.theory.kinship.subset import Subset
from clutrr.theory.questions import PossibleKinds, QuestionBlock, QuestionSource

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
_TRIES = 60  # tries to find somebody new next to somebody drawn at random


class _Noise:
    """Draws the facts beside the paths of a subset."""

    def __init__(self, subset: Subset) -> None:
        self._config = subset.config
        self._names = sum(subset.supply.names)

        @lru_cache(maxsize=128)
        def related(shape: Shape) -> npt.NDArray[np.int8]:
            return relations(shape, subset.theory.ways, subset.preset.siblings)

        self._related = related

    def draw(self, paths: Paths, rng: np.random.Generator) -> QuestionBlock:
        """Return the questions of the paths, with the same number of facts beside each.

        A path with hardly any way around it (its people are nearly a whole branch) is replaced by another
        one of the block with the same answer.
        """
        config = self._config
        if config.supporting > 1:
            paths = self._with_room(paths, config.supporting // 2)
        draft = _Draft(paths, _Related(paths.cast, self._related), self._names, rng)
        supporting, odd = divmod(config.supporting, 2)
        if odd:
            draft.restate()
        for _ in range(supporting):
            draft.go_around()
        branch = [paths.people[:, i] for i in range(paths.people.shape[1])]
        for _ in range(config.irrelevant):
            branch.append(draft.grow("irrelevant", branch, paths.family))
        if config.disconnected:
            self._disconnect(draft, paths, rng)
        return draft.finished()

    def _with_room(self, paths: Paths, needed: int) -> Paths:
        related = _Related(paths.cast, self._related)
        ways = related.around(paths, 1)
        if paths.kinds.shape[1] > 1:
            ways = ways | related.around(paths, 2)
        rows = np.arange(len(paths.family))
        ways[rows[:, None], paths.people - related.first[paths.family][:, None]] = False
        room = ways.sum(axis=1) >= needed
        if room.all():
            return paths
        labels = paths.answers
        for row in np.flatnonzero(~room):
            like = np.flatnonzero(room & (labels == labels[row]))
            if not len(like):
                raise _too_few("supporting")
            rows[row] = like[np.searchsorted(like, row) % len(like)]
        return paths.take(rows)

    def _disconnect(self, draft: "_Draft", paths: Paths, rng: np.random.Generator) -> None:
        families = len(paths.cast.shapes)
        other = (paths.family + rng.integers(1, families, len(paths.family))) % families
        apart = [draft.enter(other)]
        for _ in range(self._config.disconnected):
            apart.append(draft.grow("disconnected", apart, other))


class _Related:
    """Who is related to whom in each family of a block."""

    def __init__(self, cast: FamilyCast, related: Callable[[Shape], npt.NDArray[np.int8]]) -> None:
        shapes = list(dict.fromkeys(cast.shapes))
        most = max(shape.people for shape in shapes)
        self.first = cast.first
        self._shape = np.array([shapes.index(shape) for shape in cast.shapes])
        self._kinds = np.full((len(shapes), most, most), -1, np.int8)
        for i, shape in enumerate(shapes):
            self._kinds[i, : shape.people, : shape.people] = related(shape)
        self.last = np.append(cast.first[1:], len(cast.names)) - 1
        self._around: dict[int, Bools] = {}

    def near(self, family: Ints, person: Ints) -> Bools:
        """[i, p]: whether p, counted within the family, is related to this person of it."""
        near: Bools = self._kinds[self._shape[family], person - self.first[family]] >= 0
        return near

    def kinds(self, family: Ints, head: Ints, tail: Ints) -> Ints:
        """Return what the tails are to the heads; -1 for nothing."""
        start = self.first[family]
        kinds: Ints = self._kinds[self._shape[family], head - start, tail - start].astype(np.int64)
        return kinds

    def numbers(self, family: Ints) -> Ints:
        """[i, p]: the number within the block of person p of the family; past the end, of the last one."""
        within = np.arange(self._kinds.shape[1])
        numbers: Ints = np.minimum(self.first[family][:, None] + within, self.last[family][:, None])
        return numbers

    def around(self, paths: Paths, facts: int) -> Bools:
        """[i, p]: whether p is related to two people of the path this many facts apart."""
        if facts not in self._around:
            near = [self.near(paths.family, person) for person in paths.people.T]
            pairs = [one & other for one, other in zip(near, near[facts:], strict=False)]
            self._around[facts] = np.logical_or.reduce(pairs)
        return self._around[facts]

    def where_around(
        self, family: Ints, people: Ints, new: Ints, facts: int, rng: np.random.Generator
    ) -> Ints:
        """Return a place in each path where somebody is related to both people this many facts apart."""
        near = self.kinds(family[:, None], people, new[:, None]) >= 0
        both = near[:, :-facts] & near[:, facts:]
        at: Ints = np.argmax(both * (1 + rng.random(both.shape)), axis=1)
        return at


class _Draft:
    """The noise of a block as it grows."""

    def __init__(self, paths: Paths, related: _Related, names: int, rng: np.random.Generator) -> None:
        self._paths, self._related, self._rng = paths, related, rng
        self._names = paths.cast.names
        self._stories = np.arange(len(paths.family))
        # Whose names are taken: people of different families may share names.
        self._taken = np.zeros((len(paths.family), names), bool)
        self._taken[self._stories[:, None], self._names[paths.people]] = True
        self._facts: list[tuple[Ints, Ints, Ints, int]] = []
        self._people: list[tuple[Ints, int]] = []  # with the number of the fact that brings them in

    def restate(self) -> None:
        """Add a fact of the path, stated from its other end."""
        people = self._paths.people
        at = self._rng.integers(0, people.shape[1] - 1, len(people))
        head, tail = people[self._stories, at], people[self._stories, at + 1]
        self._add("supporting", tail, head, self._paths.family, either=False)

    def go_around(self) -> None:
        """Add somebody who is related to both people of a fact of the path, or of two in a row."""
        family, people = self._paths.family, self._paths.people
        new = np.full_like(family, -1)
        one, other = np.empty_like(family), np.empty_like(family)
        for facts in (1, 2):
            left = np.flatnonzero(new < 0)
            if len(left) and facts < people.shape[1]:
                new[left] = self._choose(left, self._related.around(self._paths, facts)[left], family)
                left = left[new[left] >= 0]
                at = self._related.where_around(family[left], people[left], new[left], facts, self._rng)
                one[left], other[left] = people[left, at], people[left, at + facts]
        self._bring_in("supporting", new)
        self._add("supporting", one, new, family)
        self._add("supporting", new, other, family)

    def grow(self, role: str, anchors: list[Ints], family: Ints) -> Ints:
        """Add somebody who is related to one of these people, drawn at random, and return them."""
        among = np.stack(anchors, axis=1)
        anchor = np.empty_like(family)
        new = np.full_like(family, -1)
        for _ in range(_TRIES):
            left = np.flatnonzero(new < 0)
            if not len(left):
                break
            anchor[left] = among[left, self._rng.integers(0, among.shape[1], len(left))]
            new[left] = self._choose(left, self._related.near(family[left], anchor[left]), family)
        self._bring_in(role, new)
        self._add(role, anchor, new, family)
        return new

    def enter(self, family: Ints) -> Ints:
        """Return anybody of a family."""
        everybody = np.arange(self._related.numbers(family).shape[1])
        inside = everybody <= (self._related.last - self._related.first)[family][:, None]
        new = self._choose(self._stories, inside, family)
        self._bring_in("disconnected", new)
        return new

    def finished(self) -> QuestionBlock:
        """Return the questions with these facts."""
        alone = _questions(self._paths)
        head, tail, kinds, roles = zip(*self._facts, strict=True)
        entities = np.stack([*alone.entities.T, *(new for new, _ in self._people)], axis=1)

        def places(people: tuple[Ints, ...]) -> Ints:
            at: Ints = np.argmax(np.stack(people, axis=1)[..., None] == entities[:, None], axis=2)
            return at

        return replace(
            alone,
            entities=entities,
            head=np.concatenate([alone.head, places(head)], axis=1),
            tail=np.concatenate([alone.tail, places(tail)], axis=1),
            kinds=np.concatenate([alone.kinds, np.stack(kinds, axis=1)], axis=1),
            first=np.append(alone.first, [alone.k + fact for _, fact in self._people]).astype(np.int64),
            roles=np.append(alone.roles, roles),
        )

    def _choose(self, stories: Ints, candidates: Bools, family: Ints) -> Ints:
        """Return one of the candidates of each story whose name is not taken; -1 where there is none."""
        numbers = self._related.numbers(family[stories])
        candidates = candidates & ~self._taken[stories[:, None], self._names[numbers]]
        keys = self._rng.random(candidates.shape, np.float32) + np.float32(1)
        keys[~candidates] = 0
        best = np.argmax(keys, axis=1)
        rows = np.arange(len(stories))
        return np.where(keys[rows, best] > 0, numbers[rows, best], -1)

    def _bring_in(self, role: str, new: Ints) -> None:
        if new.min(initial=0) < 0:
            raise _too_few(role)
        self._taken[self._stories, self._names[new]] = True
        self._people.append((new, len(self._facts)))

    def _add(self, role: str, one: Ints, other: Ints, family: Ints, either: bool = True) -> None:
        """Add a fact about two people, stated from either end."""
        swap = self._rng.random(len(one)) < (0.5 if either else 0)
        head, tail = np.where(swap, other, one), np.where(swap, one, other)
        self._facts.append((head, tail, self._related.kinds(family, head, tail), ROLES.index(role)))


def _too_few(role: str) -> ConfigError:
    return ConfigError(
        f"{role}: the families have too few people for this many {role} facts; ask for fewer, or for larger "
        "families (more levels or children)"
    )


_SMALL_BLOCK = 256  # of long paths, which take longer to draw


class FamilyQuestions(QuestionSource):
    """Draws the questions of a subset."""

    scenes = FAMILIES

    def __init__(self, subset: Subset) -> None:
        self._subset = subset
        self.block = QuestionSource.block if subset.k <= UNIFORM_EDGES else _SMALL_BLOCK
        self._sampler = Sampler(subset)
        self._noise = _Noise(subset) if subset.config.noise else None

    def draw(self, rng: np.random.Generator) -> QuestionBlock:
        paths = self._sampler.draw(rng, self.block)
        if self._noise is None:
            return _questions(paths)
        return self._noise.draw(paths, rng)

    def judge(self, questions: QuestionBlock) -> PossibleKinds:
        subset, k, targets = self._subset, questions.k, questions.targets
        sure = (targets >= 0) & subset.determined  # one answer is known to be the only one
        possible = np.zeros((len(questions), len(subset.theory.ways)), bool)
        outside = np.zeros(len(questions), bool)
        if not subset.entailed:
            kinds, genders = questions.kinds[:, :k], questions.forms[:, 1 : k + 1]
            possible, outside = subset.theory.chains.judge(kinds, genders, ~sure, subset.open)
        possible[sure] = targets[sure, None] == np.arange(possible.shape[1])
        if not (subset.config.supporting or subset.config.irrelevant):
            known = np.ones(len(questions), bool)
            return PossibleKinds(possible, outside, known, known)
        # More facts can only rule out more; of what the path alone leaves open, this is not worked out.
        single = possible.sum(axis=1) <= 1
        return PossibleKinds(possible, outside, single, single & ~outside)

    def notes(self) -> Iterator[str]:
        k, labels, families = self._subset.k, self._subset.supply.labels, self._subset.families
        if families.levels is None and families.levels_for(k) > families.levels_for(1):
            yield f"M{k}: families of 3 levels are too small; those of {families.levels_for(k)} are used"
        if self._subset.preset.balanced:
            lacking = [kind for i, kind in enumerate(labels.kinds) if i not in self._sampler.targets]
            words = ", ".join(word for kind in lacking for word in kind.words)
            if lacking:
                yield f"M{k}: no such question of {k} facts has the answer {words}"
        patterns, size = self._sampler.patterns, self._subset.config.size(self._subset.split)
        if patterns is not None and patterns < size:
            yield self._few_patterns(patterns, size / patterns)

    def _few_patterns(self, patterns: int, times: float) -> str:
        """Return a remark on a split that has each pattern so many times."""
        config, k, split = self._subset.config, self._subset.k, self._subset.split
        apart = "patterns" in config.disjoint
        note = f"M{k}: only {patterns:,} distinct patterns of {k} facts entail their answer"
        note += f" and are kept for {split}, so it has " if apart else f", so {split} has "
        note += f"each about {times:,.0f} times" if times >= 2 else "some of them twice"
        if all(map(config.size, SPLITS)) and not apart:
            note += ", and test has the same ones as train (--disjoint patterns keeps them apart)"
        return note


def _questions(paths: Paths) -> QuestionBlock:
    size, k = paths.kinds.shape
    along = np.broadcast_to(np.arange(k + 1), (size, k + 1))
    return QuestionBlock(
        paths.cast,
        k,
        scene=paths.family,
        entities=paths.people,
        head=along[:, :-1],
        tail=along[:, 1:],
        kinds=paths.kinds.astype(np.int64),
        first=np.append(0, np.arange(k)),
        roles=np.zeros(k, np.int64),
        targets=paths.targets,
    )
