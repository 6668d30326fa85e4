"""Which patterns a split may use: by whether their question has one answer, and by which side they are on."""

import hashlib

import numpy as np
import numpy.typing as npt

from clutrr.errors import ConfigError
from clutrr.family import enumerate_patterns
from clutrr.generator.config import SPLITS, Config
from clutrr.puzzle import CANNOT_BE_TOLD
from clutrr.world import World
from clutrr.world.assumptions import Assumption

_REMEMBERED = 300_000  # patterns whose verdict is kept
_LISTED_EDGES = 4  # up to this length a family's patterns are listed to divide them between the splits


def has_answer(config: Config, world: World, pattern: tuple[int, ...]) -> bool:
    """Whether only one kind is possible (and nothing else either, if the preset wants it entailed).

    The pattern comes from a family in which its ends are related, so at least one kind is possible.
    """
    chains, open_ = world.chains, config.assumption is Assumption.OPEN
    if config.benchmark.entailed:  # what is entailed in trees is entailed in any world, unless ...
        kinds = chains.kinds(pattern)
        sure = len(kinds) == 1 and not chains.outside(pattern)
        return sure and not (open_ and chains.double and _other_link(world, pattern, kinds))
    if chains.alone(pattern) and not open_:
        return True
    kinds = chains.kinds(pattern)
    return len(kinds) == 1 and not (open_ and _other_link(world, pattern, kinds))


def _other_link(world: World, pattern: tuple[int, ...], kinds: frozenset[int]) -> bool:
    """Whether another kind is possible under `open`."""
    others = set(range(len(world.kinds))) - kinds
    return next(world.chains.linked(pattern, others), None) is not None


class PatternRule:
    """Says which patterns may be used in a split of a subset."""

    def __init__(self, config: Config, world: World, split: str, k: int) -> None:
        self._config = config
        self._world = world
        self._determined = config.benchmark.determined
        self._split = split
        self._sides = _Sides(config, world, k) if "patterns" in config.disjoint else None
        self._verdicts: dict[bytes, bool] = {}
        self._doubts: dict[bytes, bool] = {}  # of short patterns

    @property
    def keeps_all(self) -> bool:
        return not self._determined and self._sides is None

    def keep(self, kinds: npt.NDArray[np.int8]) -> npt.NDArray[np.bool_]:
        """Which of the patterns, one per row, may be used."""
        unique, inverse = _distinct(kinds)
        return np.array([self._verdict(key.tobytes()) for key in unique], bool)[inverse]

    def _verdict(self, key: bytes) -> bool:
        verdict = self._verdicts.get(key)
        if verdict is None:
            if len(self._verdicts) > _REMEMBERED:
                self._verdicts.clear()
            verdict = self._verdicts[key] = self.allows(tuple(key))
        return verdict

    @property
    def keeps_forced(self) -> bool:
        """Whether all patterns of the automaton may be used, which entail their answer in trees."""
        return self._sides is None and not self._world.chains.double

    def keep_untold(self, kinds: npt.NDArray[np.int8]) -> npt.NDArray[np.bool_]:
        """Which of the patterns, one per row, have several possible answers whatever the genders are."""
        unique, inverse = _distinct(kinds)
        return np.array([self._untold(key.tobytes()) for key in unique], bool)[inverse]

    def keep_untold_given(
        self, kinds: npt.NDArray[np.int8], genders: npt.NDArray[np.int8]
    ) -> npt.NDArray[np.bool_]:
        """The same, with these genders."""
        return np.array(
            [
                self._untold_given(tuple(pattern), stated[1:])
                for pattern, stated in zip(kinds.tolist(), genders.tolist(), strict=True)
            ],
            bool,
        )

    def _untold(self, key: bytes) -> bool:
        known = self._doubts.get(key)
        if known is None:
            pattern = tuple(key)
            several = self._world.chains.untold(pattern, self._config.assumption)
            known = self._doubts[key] = several and self._on_side(pattern)
        return known

    def _untold_given(self, pattern: tuple[int, ...], genders: list[int]) -> bool:
        chains = self._world.chains
        if not self._on_side(pattern):
            return False
        kinds = chains.kinds(pattern, genders)
        if len(kinds) == 1 and self._config.assumption is Assumption.OPEN:
            others = set(range(len(self._world.kinds))) - kinds
            return next(chains.linked(pattern, others, genders), None) is not None
        return len(kinds) > 1

    def _on_side(self, pattern: tuple[int, ...]) -> bool:
        return self._sides is None or self._sides.side(pattern) == self._split

    def allows(self, pattern: tuple[int, ...]) -> bool:
        """Whether paths of this pattern may be used."""
        if self._determined and not has_answer(self._config, self._world, pattern):
            return False
        return self._on_side(pattern)


def _distinct(kinds: npt.NDArray[np.int8]) -> tuple[npt.NDArray[np.void], npt.NDArray[np.int64]]:
    """The patterns, each once, and which of them each row has."""
    kinds = np.ascontiguousarray(kinds)
    keys = kinds.view(np.dtype((np.void, kinds.shape[1]))).reshape(-1)
    return np.unique(keys, return_inverse=True)


class _Sides:
    """Divides the patterns of a subset between train and test, in proportion to their sizes.

    If they are few, they are listed and divided evenly, target by target if labels are balanced; if they
    are many, a hash of the seed and the pattern divides them.
    """

    def __init__(self, config: Config, world: World, k: int) -> None:
        self._seed = config.seed
        self._train_share = config.train / (config.train + config.test)
        self._listed: dict[tuple[int, ...], str] | None = None
        if 0 < self._train_share < 1 and (k <= _LISTED_EDGES or config.benchmark.patterns is not None):
            self._listed = self._divide(config, world, k)

    def side(self, pattern: tuple[int, ...]) -> str:
        if self._listed is not None:
            return self._listed.get(pattern, SPLITS[0])
        digest = hashlib.blake2b(f"{self._seed}/".encode() + bytes(pattern), digest_size=8).digest()
        return SPLITS[int.from_bytes(digest, "big") / 2**64 >= self._train_share]

    def _divide(self, config: Config, world: World, k: int) -> dict[tuple[int, ...], str]:
        preset = config.benchmark
        if preset.patterns is not None:
            groups = {"": [tuple(world.index[kind] for kind in p) for p, _, _ in preset.patterns[k]]}
        else:
            groups = self._groups(config, world, k)
        rng = np.random.default_rng([config.seed, k])
        sides: dict[tuple[int, ...], str] = {}
        for target, patterns in groups.items():
            if len(patterns) < 2:
                of = f" with target {target}" if target else ""
                raise ConfigError(
                    f"disjoint: M{k} has one pattern{of} only ({_spelt(world, patterns)}), "
                    "so train and test cannot have different ones"
                )
            test = max(1, round(len(patterns) * (1 - self._train_share)))
            chosen = rng.permutation(len(patterns))[: min(test, len(patterns) - 1)]
            sides |= {pattern: SPLITS[i in chosen] for i, pattern in enumerate(patterns)}
        return sides

    def _groups(self, config: Config, world: World, k: int) -> dict[str, list[tuple[int, ...]]]:
        preset = config.benchmark
        found = enumerate_patterns(world, config.levels_for(k), config.children[1], k, preset.siblings)
        groups: dict[str, list[tuple[int, ...]]] = {}
        for row, target in zip(found.patterns.tolist(), found.targets.tolist(), strict=True):
            pattern = tuple(row)
            name = world.kinds[target].name if preset.balanced else ""
            if preset.determined and not has_answer(config, world, pattern):
                if not config.untold:
                    continue
                name = CANNOT_BE_TOLD
            group = groups.setdefault(name, [])
            if pattern not in group:
                group.append(pattern)
        return groups


def _spelt(world: World, patterns: list[tuple[int, ...]]) -> str:
    return "; ".join("-".join(world.kinds[kind].name for kind in pattern) for pattern in patterns)
