"""Questions about families: paths, facts beside them, and what they allow."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from clutrr.config import SPLITS
from clutrr.theory.kinship.noise import Noise, NoiseSource
from clutrr.theory.kinship.sampler import FAMILIES, Paths, Sampler
from clutrr.theory.kinship.sources import UNIFORM_EDGES
from clutrr.theory.kinship.subset import Subset
from clutrr.theory.questions import PossibleKinds, Questions, QuestionSource

_SMALL_BLOCK = 256  # of long paths, which take longer to draw


class FamilyQuestions(QuestionSource):
    """Draws the questions of a subset."""

    scenes = FAMILIES

    def __init__(self, subset: Subset) -> None:
        self._subset = subset
        self.block = QuestionSource.block if subset.k <= UNIFORM_EDGES else _SMALL_BLOCK
        self._sampler = Sampler(subset)
        self._noise = NoiseSource(subset) if subset.config.noise else None

    def draw(self, rng: np.random.Generator) -> Questions:
        paths = self._sampler.draw(rng, self.block)
        if self._noise is None:
            return _questions(paths)
        return _with_noise(*self._noise.draw(paths, rng))

    def judge(self, questions: Questions) -> PossibleKinds:
        subset, k, targets = self._subset, questions.k, questions.targets
        sure = (targets >= 0) & subset.determined  # one answer is known to be the only one
        possible = np.zeros((len(questions), len(subset.theory.ways)), bool)
        outside = np.zeros(len(questions), bool)
        if not subset.entailed:
            kinds, genders = questions.kinds[:, :k], questions.forms[:, 1 : k + 1]
            possible, outside = subset.theory.chains.judge(kinds, genders, ~sure & subset.open)
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


def _questions(paths: Paths) -> Questions:
    size, k = paths.kinds.shape
    along = np.broadcast_to(np.arange(k + 1), (size, k + 1))
    return Questions(
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


def _with_noise(paths: Paths, noise: Noise) -> Questions:
    alone = _questions(paths)
    people = np.concatenate([alone.entities, noise.people], axis=1)
    head, tail = (
        np.concatenate([on, np.argmax(beside[..., None] == people[:, None], axis=2)], axis=1)
        for on, beside in ((alone.head, noise.head), (alone.tail, noise.tail))
    )
    return replace(
        alone,
        entities=people,
        head=head,
        tail=tail,
        kinds=np.concatenate([alone.kinds, noise.kinds], axis=1),
        first=np.append(alone.first, alone.k + noise.first),
        roles=np.append(alone.roles, noise.roles),
    )
