"""Which patterns a split may use: those whose question is determined, and those on its side."""

import hashlib

import numpy as np
import numpy.typing as npt

from clutrr.errors import ConfigError
from clutrr.family import enumerate_patterns
from clutrr.generator.config import SPLITS, Config
from clutrr.world import World

_REMEMBERED = 300_000  # patterns whose verdict is kept
_LISTED_EDGES = 4  # up to here a family's patterns are listed to divide them between the splits


class PatternRule:
    """Says which patterns may be used in a split of a subset."""

    def __init__(self, config: Config, world: World, split: str, k: int) -> None:
        self._determined = config.benchmark.determined
        self._chains = world.chains
        self._split = split
        self._sides = _Sides(config, world, k) if config.split == "patterns" else None
        self._verdicts: dict[bytes, bool] = {}

    @property
    def keeps_all(self) -> bool:
        return not self._determined and self._sides is None

    def keep(self, kinds: npt.NDArray[np.int8]) -> npt.NDArray[np.bool_]:
        """Which of the patterns, one a row, may be used."""
        kinds = np.ascontiguousarray(kinds)
        keys = kinds.view(np.dtype((np.void, kinds.shape[1]))).reshape(-1)
        unique, inverse = np.unique(keys, return_inverse=True)
        if len(self._verdicts) > _REMEMBERED:
            self._verdicts.clear()
        return np.array([self._verdict(key.tobytes()) for key in unique], bool)[inverse]

    def _verdict(self, key: bytes) -> bool:
        verdict = self._verdicts.get(key)
        if verdict is None:
            verdict = self._verdicts[key] = self.allows(tuple(key))
        return verdict

    def allows(self, pattern: tuple[int, ...]) -> bool:
        """Whether paths of this pattern may be used."""
        # They come from families, so their target is possible: one possible kind means it alone.
        if self._determined and len(self._chains.kinds(pattern)) != 1:
            return False
        return self._sides is None or self._sides.side(pattern) == self._split


class _Sides:
    """Divides the patterns of a subset between train and test, in proportion to their sizes.

    Few patterns are listed and divided evenly, target by target where labels are balanced; many
    are divided by a hash of the seed and the pattern.
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
                    f"split: M{k} has one pattern{of} only ({_spelt(world, patterns)}), "
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
            if preset.determined and len(world.chains.kinds(pattern)) != 1:
                continue
            group = groups.setdefault(world.kinds[target].name if preset.balanced else "", [])
            if pattern not in group:
                group.append(pattern)
        return groups


def _spelt(world: World, patterns: list[tuple[int, ...]]) -> str:
    return "; ".join("-".join(world.kinds[kind].name for kind in pattern) for pattern in patterns)
