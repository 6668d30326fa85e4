"""What only train or only test may use: a share of the wordings, and half of the names."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from clutrr._config import Config
from clutrr._lexicon import World
from clutrr._lexicon.prose import SECTIONS, Prose, ProseSentence
from clutrr._puzzle import SPLITS
from clutrr.errors import ConfigError

_T = TypeVar("_T", bound=Hashable)
_HELD_OUT = (
    0.2  # the share of the wordings that only test uses, however many stories each split has
)


def sides(config: Config, world: World) -> Mapping[str, World]:
    """Return the world as each split may use it; the same for both if they share wordings and names."""
    found = dict.fromkeys(SPLITS, world)
    if "wordings" in config.disjoint:
        found = {split: _Wordings(config, world).of(split) for split in SPLITS}
    if "names" in config.disjoint:
        rng = np.random.default_rng([config.seed, 1])
        for form, names in zip(world.forms or ("",), world.lexicon.names, strict=True):
            if len(names) < 2:
                of = f" of form {form}" if form else ""
                raise ConfigError(f"world {world.name!r} has one name{of} only", setting="disjoint")
        halves = [_divide(rng, names, 0.5) for names in world.lexicon.names]
        for i, split in enumerate(SPLITS):
            lexicon = found[split].lexicon
            if lexicon.parallel is not None:
                drawn = tuple(len(_divide(rng, range(n), 0.5)[i]) for n in lexicon.drawn)
                lexicon = replace(lexicon, parallel=lexicon.parallel._replace(names=drawn))
            lexicon = replace(lexicon, names=tuple(half[i] for half in halves))
            found[split] = replace(found[split], lexicon=lexicon)
    return found


class _Wordings:
    """The wordings of a world, in two shares."""

    def __init__(self, config: Config, world: World) -> None:
        self._rng = np.random.default_rng([config.seed, 0])
        self._world = world
        self._prosaic = config.style == "prose"

    def of(self, split: str) -> World:
        lexicon, i = self._world.lexicon, SPLITS.index(split)
        templates = {
            r: self._part("templates.yaml", r, ts)[i] for r, ts in lexicon.templates.items()
        }
        attributes = tuple(
            replace(a, templates=self._part("attributes.yaml", a.name, a.templates)[i])
            for a in lexicon.attributes
        )
        prose = lexicon.prose
        if prose is not None and self._prosaic:
            prose = self._prose(prose, i)
        return replace(
            self._world,
            lexicon=replace(lexicon, templates=templates, attributes=attributes, prose=prose),
        )

    def _part(self, file: str, entry: str, wordings: Sequence[_T]) -> tuple[tuple[_T, ...], ...]:
        if len(wordings) < 2:
            raise ConfigError(
                f"{file} of world {self._world.name!r}: {entry} has one wording only, so train and "
                "test cannot have different ones",
                setting="disjoint",
            )
        return _divide(self._rng, wordings, _HELD_OUT)

    def _prose(self, prose: Prose, i: int) -> Prose:
        """Sentences with the same use are divided, so that each side has some for each use; phrases, too."""
        found: dict[int, tuple[ProseSentence, ...]] = {}
        for facts, sentences in prose.sentences.items():
            groups: dict[object, list[ProseSentence]] = {}
            for sentence in sentences:
                use = (
                    bool(sentence.described or sentence.kinds) if facts else len(sentence.described)
                )
                groups.setdefault(use, []).append(sentence)
            mine = [
                s
                for group in groups.values()
                for s in self._part("prose.yaml", SECTIONS[facts], group)[i]
            ]
            found[facts] = tuple(mine)

        def phrases(entry: str, said: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
            """The phrases of each relation; words that may be the label itself are for both."""
            return {
                relation: words
                if not words or words[0] == relation
                else self._part("prose.yaml", f"{entry}: {relation}", words)[i]
                for relation, words in said.items()
            }

        words, turned = phrases("phrases", prose.words), phrases("turned", prose.turned)
        return replace(prose, sentences=found, words=words, turned=turned)


def _divide(
    rng: np.random.Generator, things: Sequence[_T], share: float
) -> tuple[tuple[_T, ...], ...]:
    """Return the things of train and those of test, at least one each, in their own order."""
    test = min(max(1, round(len(things) * share)), len(things) - 1)
    chosen = set(rng.permutation(len(things))[:test].tolist())
    return tuple(
        tuple(thing for i, thing in enumerate(things) if (i in chosen) == in_test)
        for in_test in (False, True)
    )
