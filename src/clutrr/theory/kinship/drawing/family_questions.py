"""QuestionBlock about families: paths, facts beside them, and what they allow.

Facts beside the path are true in a family, and of no use to the question:

supporting    two facts: a way through somebody new around one fact of the path, or around two if nobody is
              left for one. If the number is odd, one is a fact of the path stated from its other end.
irrelevant    one fact: somebody new, related to somebody of the path or to somebody brought in that way.
disconnected  people of another family, one after the other.

Everybody new is brought in only once, so no way between the two queried people is shorter than the path,
and no fact states the answer.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from clutrr._puzzle import ROLES
from clutrr.errors import ConfigError
from clutrr.theory.kinship.drawing.families import relations
from clutrr.theory.kinship.drawing.sampler import FAMILIES, Paths, Sampler
from clutrr.theory.kinship.drawing.sources import UNIFORM_EDGES
from clutrr.theory.kinship.drawing.subset import Subset
from clutrr.theory.questions import PossibleKinds, QuestionBlock, QuestionSource

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
_TRIES = 60  # tries to find somebody new next to somebody drawn at random


class _Noise:
    """The facts beside the paths of a block as they grow, the same number for each path.

    A path with hardly any way around it (its people are nearly a whole branch) is replaced by another one of
    the block with the same answer.
    """

    def __init__(self, subset: Subset, paths: Paths, rng: np.random.Generator) -> None:
        self._spec, self._paths, self._rng = subset.spec, paths, rng
        self._stories = np.arange(len(paths.family))
        shapes = list(dict.fromkeys(paths.cast.shapes))
        most = max(shape.people for shape in shapes)
        self._shape = np.array([shapes.index(shape) for shape in paths.cast.shapes])
        self._kinds = np.full((len(shapes), most, most), -1, np.int8)
        for i, shape in enumerate(shapes):
            related = relations(shape, subset.ways, subset.preset.siblings)
            self._kinds[i, : shape.people, : shape.people] = related
        if self._spec.supporting > 1:
            around = self._ways_around()
            rows = self._with_room(np.logical_or.reduce(around))
            self._paths, self._around = paths.take(rows), [ways[rows] for ways in around]
        # Whose names are taken: people of different families may share names.
        self._taken = np.zeros((len(paths.family), sum(subset.supply.names)), bool)
        self._taken[self._stories[:, None], paths.cast.names[self._paths.people]] = True
        self._facts: list[tuple[Ints, Ints, Ints, int]] = []
        self._people: list[tuple[Ints, int]] = []  # with the number of the fact that brings them in

    def draw(self) -> QuestionBlock:
        """Return the questions of the paths with their facts."""
        paths, spec = self._paths, self._spec
        supporting, odd = divmod(spec.supporting, 2)
        if odd:
            self._restate()
        for _ in range(supporting):
            self._go_around()
        branch = list(paths.people.T)
        for _ in range(spec.irrelevant):
            branch.append(self._grow("irrelevant", branch, paths.family))
        if spec.disconnected:
            families = len(paths.cast.shapes)
            other = (paths.family + self._rng.integers(1, families, len(paths.family))) % families
            everybody = self._first(other) + np.arange(self._kinds.shape[1])
            apart = [self._choose(self._stories, everybody == self._numbers(other), other)]
            self._bring_in("disconnected", apart[0])
            for _ in range(spec.disconnected):
                apart.append(self._grow("disconnected", apart, other))
        return self._finished()

    def _with_room(self, ways: Bools) -> Ints:
        """Return the number of each path, or of another in its place. ways: around a path, by person."""
        rows, paths = self._stories.copy(), self._paths
        ways[rows[:, None], paths.people - self._first(paths.family)] = False
        room = ways.sum(axis=1) >= self._spec.supporting // 2
        labels = paths.answers
        for row in np.flatnonzero(~room):
            like = np.flatnonzero(room & (labels == labels[row]))
            if not len(like):
                raise _too_few("supporting")
            rows[row] = like[np.searchsorted(like, row) % len(like)]
        return rows

    def _ways_around(self) -> list[Bools]:
        """[facts - 1][i, p]: whether p is related to two people of the path this many facts apart."""
        near = [self._near(self._paths.family, person) for person in self._paths.people.T]
        pairs = [zip(near, near[facts:], strict=False) for facts in range(1, min(3, len(near)))]
        return [np.logical_or.reduce([one & other for one, other in some]) for some in pairs]

    def _first(self, family: Ints) -> Ints:
        """[i, 0]: the number of the first person of the family."""
        first: Ints = self._paths.cast.first[family][:, None]
        return first

    def _near(self, family: Ints, person: Ints) -> Bools:
        """[i, p]: whether p, counted within the family, is related to this person of it."""
        near: Bools = self._kinds[self._shape[family], person - self._first(family)[:, 0]] >= 0
        return near

    def _between(self, family: Ints, heads: Ints, tails: Ints) -> Ints:
        """[i, j]: what the tails are to the heads; -1 for nothing."""
        start = self._first(family)
        kinds: Ints = self._kinds[
            self._shape[family][:, None], heads - start, tails - start
        ].astype(np.int64)
        return kinds

    def _numbers(self, family: Ints) -> Ints:
        """[i, p]: the number within the block of person p of the family; past the end, of the last one."""
        cast = self._paths.cast
        last = np.append(cast.first[1:], len(cast.names))[family] - 1
        everybody = self._first(family) + np.arange(self._kinds.shape[1])
        numbers: Ints = np.minimum(everybody, last[:, None])
        return numbers

    def _restate(self) -> None:
        """Add a fact of the path, stated from its other end."""
        people = self._paths.people
        at = self._rng.integers(0, people.shape[1] - 1, len(people))
        head, tail = people[self._stories, at], people[self._stories, at + 1]
        self._add("supporting", tail, head, self._paths.family, either=False)

    def _go_around(self) -> None:
        """Add somebody who is related to both people of a fact of the path, or of two in a row."""
        family, people = self._paths.family, self._paths.people
        new = np.full_like(family, -1)
        one, other = np.empty_like(family), np.empty_like(family)
        for facts, ways in enumerate(self._around, 1):
            left = np.flatnonzero(new < 0)
            if len(left):
                new[left] = self._choose(left, ways[left], family)
                left = left[new[left] >= 0]
                near = self._between(family[left], people[left], new[left, None]) >= 0
                both = near[:, :-facts] & near[:, facts:]
                at = np.argmax(both * (1 + self._rng.random(both.shape)), axis=1)
                one[left], other[left] = people[left, at], people[left, at + facts]
        self._bring_in("supporting", new)
        self._add("supporting", one, new, family)
        self._add("supporting", new, other, family)

    def _grow(self, role: str, anchors: list[Ints], family: Ints) -> Ints:
        """Add somebody who is related to one of these people, drawn at random, and return them."""
        among = np.stack(anchors, axis=1)
        anchor = np.empty_like(family)
        new = np.full_like(family, -1)
        for _ in range(_TRIES):
            left = np.flatnonzero(new < 0)
            if not len(left):
                break
            anchor[left] = among[left, self._rng.integers(0, among.shape[1], len(left))]
            new[left] = self._choose(left, self._near(family[left], anchor[left]), family)
        self._bring_in(role, new)
        self._add(role, anchor, new, family)
        return new

    def _finished(self) -> QuestionBlock:
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
            first=np.append(alone.first, [alone.k + fact for _, fact in self._people]).astype(
                np.int64
            ),
            roles=np.append(alone.roles, roles),
        )

    def _choose(self, stories: Ints, candidates: Bools, family: Ints) -> Ints:
        """Return one of the candidates of each story whose name is not taken; -1 where there is none."""
        numbers = self._numbers(family[stories])
        candidates = candidates & ~self._taken[stories[:, None], self._paths.cast.names[numbers]]
        keys = self._rng.random(candidates.shape, np.float32) + np.float32(1)
        keys[~candidates] = 0
        best = np.argmax(keys, axis=1)
        rows = np.arange(len(stories))
        return np.where(keys[rows, best] > 0, numbers[rows, best], -1)

    def _bring_in(self, role: str, new: Ints) -> None:
        if new.min(initial=0) < 0:
            raise _too_few(role)
        self._taken[self._stories, self._paths.cast.names[new]] = True
        self._people.append((new, len(self._facts)))

    def _add(self, role: str, one: Ints, other: Ints, family: Ints, either: bool = True) -> None:
        """Add a fact about two people, stated from either end."""
        swap = self._rng.random(len(one)) < (0.5 if either else 0)
        head, tail = np.where(swap, other, one), np.where(swap, one, other)
        kinds = self._between(family, head[:, None], tail[:, None])[:, 0]
        self._facts.append((head, tail, kinds, ROLES.index(role)))


def _too_few(role: str) -> ConfigError:
    return ConfigError(
        f"the families have too few people for this many {role} facts; ask for fewer, or for larger "
        "families (more levels or children)",
        setting=role,
    )


_SMALL_BLOCK = 256  # of long paths, which take longer to draw


class FamilyQuestions(QuestionSource):
    """Draws the questions of a subset."""

    scenes = FAMILIES

    def __init__(self, subset: Subset) -> None:
        self._subset = subset
        self.block = QuestionSource.block if subset.k <= UNIFORM_EDGES else _SMALL_BLOCK
        self._sampler = Sampler(subset)

    def draw(self, rng: np.random.Generator) -> QuestionBlock:
        paths = self._sampler.draw(rng, self.block)
        if not self._subset.spec.noise:
            return _questions(paths)
        return _Noise(self._subset, paths, rng).draw()

    def judge(self, questions: QuestionBlock) -> PossibleKinds:
        subset, k, targets = self._subset, questions.k, questions.targets
        sure = (targets >= 0) & subset.determined  # one answer is known to be the only one
        possible = targets[:, None] == np.arange(len(subset.ways))
        outside = np.zeros(len(questions), bool)
        entailed = sure & (subset.entailed or self._sampler.guided)
        doubted = np.flatnonzero(~entailed)
        kinds, genders = questions.kinds[doubted, :k], questions.forms[doubted, 1 : k + 1]
        found, outside[doubted] = subset.chains.judge(kinds, genders, ~sure[doubted], subset.open)
        possible[~sure] = found[~sure[doubted]]
        if not (subset.spec.supporting or subset.spec.irrelevant):
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
            lacking = [
                kind for i, kind in enumerate(labels.kinds) if i not in self._sampler.targets
            ]
            words = ", ".join(word for kind in lacking for word in kind.words)
            if lacking:
                yield f"M{k}: no such question of {k} facts has the answer {words}"
        if self._sampler.guided and (k <= UNIFORM_EDGES or not self._subset.entailed):
            yield (
                f"M{k}: fewer than one path in 64 has one answer; only paths whose pattern entails it are "
                "drawn, not all equally often"
            )
        patterns, size = self._sampler.patterns, self._subset.spec.size
        if patterns is not None and patterns < size:
            yield self._few_patterns(patterns, size / patterns)

    def _few_patterns(self, patterns: int, times: float) -> str:
        """Return a remark on a split that has each pattern so many times."""
        spec, k, split = self._subset.spec, self._subset.k, self._subset.spec.split
        apart = spec.disjoint_patterns
        note = f"M{k}: only {patterns:,} distinct patterns of {k} fact{'s' * (k > 1)} entail their answer"
        note += f" and are kept for {split}, so it has " if apart else f", so {split} has "
        note += f"each about {times:,.0f} times" if times >= 2 else "some of them twice"
        if spec.train and spec.test and not apart:
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
