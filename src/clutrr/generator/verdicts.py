"""What the facts of puzzles allow, under an assumption: the kinds that are possible, and whether none is.

Short patterns come up again and again, so all that genders can make of one is worked out once (see
`Chains.cases`). Long ones are mostly new: each is judged by itself, with the genders that it states.
"""

import numpy as np
import numpy.typing as npt

from clutrr.generator.config import Config
from clutrr.generator.patterns import distinct
from clutrr.world import World
from clutrr.world.assumptions import Assumption
from clutrr.world.chains import Cases

_SHORT = 6  # facts, up to which patterns are worked out once
_REMEMBERED = 300_000  # patterns

Kinds = npt.NDArray[np.int8]
Genders = npt.NDArray[np.int8]
Bools = npt.NDArray[np.bool_]


class Verdicts:
    """Judges the puzzles of a config."""

    def __init__(self, config: Config, world: World) -> None:
        self._preset = config.benchmark
        self._assume = config.assumption
        self._chains = world.chains
        self._size = len(world.kinds)
        self._known: dict[tuple[bytes, Assumption], tuple[Bools, Cases | None]] = {}

    def judge(self, kinds: Kinds, genders: Genders, targets: Kinds, told: Bools) -> tuple[Bools, Bools]:
        """(puzzles, kinds): which are possible; (puzzles): whether something else is.

        kinds: the patterns, one a row. genders: of everybody on the paths. targets: what the ends are.
        told: which questions are known to have one answer.
        """
        possible = np.zeros((len(kinds), self._size), bool)
        possible[np.arange(len(kinds)), targets] = True
        outside = np.zeros(len(kinds), bool)
        if self._preset.entailed:
            return possible, outside
        # What is outside the label set is the same under both assumptions.
        for assume, rows in ((Assumption.TREE, told), (self._assume, ~told)):
            some = np.flatnonzero(rows)
            if not len(some):
                continue
            if kinds.shape[1] <= _SHORT:
                found = self._judge_short(kinds[some], genders[some], assume)
            else:
                found = self._judge_long(kinds[some], genders[some], assume, bool(told[some[0]]))
            outside[some] = found[:, -1]
            if not told[some[0]]:
                possible[some] = found[:, :-1]
        return possible, outside

    def _judge_long(self, kinds: Kinds, genders: Genders, assume: Assumption, told: bool) -> Bools:
        """(puzzles, kinds and one for something else). told: ask for the last only."""
        found = np.zeros((len(kinds), self._size + 1), bool)
        for i, (pattern, stated) in enumerate(zip(kinds.tolist(), genders[:, 1:].tolist(), strict=True)):
            found[i, -1] = self._chains.outside(pattern, stated)
            if told:
                continue
            possible = self._chains.kinds(pattern, stated)
            if assume is Assumption.OPEN:
                others = set(range(self._size)) - possible
                possible |= frozenset(self._chains.linked(pattern, others, stated))
            found[i, list(possible)] = True
        return found

    def _judge_short(self, kinds: Kinds, genders: Genders, assume: Assumption) -> Bools:
        unique, inverse = distinct(kinds)
        known = [self._of(key.tobytes(), assume) for key in unique]
        found: Bools = np.array([verdict for verdict, _ in known])[inverse]
        depends = np.array([cases is not None for _, cases in known])[inverse]
        for i in np.flatnonzero(depends):
            cases = known[inverse[i]][1]
            if cases is not None:
                possible, outside = cases.given(genders[i].tolist())
                found[i] = False
                found[i, [*possible, *([self._size] if outside else [])]] = True
        return found

    def _of(self, key: bytes, assume: Assumption) -> tuple[Bools, Cases | None]:
        """What is possible in a pattern, and the cases if that depends on genders."""
        known = self._known.get((key, assume))
        if known is None:
            if len(self._known) > _REMEMBERED:
                self._known.clear()
            cases = self._chains.cases(list(key), assume)
            verdict = np.zeros(self._size + 1, bool)
            verdict[[self._size if kind is None else kind for kind in cases.kinds]] = True
            known = self._known[key, assume] = verdict, None if cases.free else cases
        return known
