"""What the facts of puzzles allow, under an assumption: the kinds that are possible, and whether none is.

Short patterns come up again and again, so what genders change about one is worked out once (see
`Chains.cases`). Long ones are mostly new: each is judged by itself, with the genders that it states.
"""

import numpy as np
import numpy.typing as npt

from clutrr.generator.config import Config
from clutrr.world import World
from clutrr.world.assumptions import Assumption
from clutrr.world.chains import Cases

_SHORT = 6  # patterns of up to this many facts are worked out once
_REMEMBERED = 300_000  # patterns

_OUTSIDE = Cases({None: (frozenset(),)})  # something else is possible, whatever the genders are

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
        self._known: dict[_Key, _Pattern] = {}

    def judge(self, kinds: Kinds, genders: Genders, targets: Kinds, told: Bools) -> tuple[Bools, Bools]:
        """(puzzles, kinds): which are possible; (puzzles): whether something else is.

        kinds: the patterns, one per row. genders: of everybody on the paths. targets: what the ends are.
        told: which questions are known to have one answer.
        """
        possible = np.zeros((len(kinds), self._size), bool)
        possible[np.arange(len(kinds)), targets] = True
        outside = np.zeros(len(kinds), bool)
        if self._preset.entailed:
            return possible, outside
        # Whether something outside the label set is possible does not depend on the assumption.
        for assume, rows in ((Assumption.TREE, told), (self._assume, ~told)):
            some = np.flatnonzero(rows)
            if not len(some):
                continue
            if kinds.shape[1] <= _SHORT:
                found = self._judge_short(kinds[some], genders[some], assume, bool(told[some[0]]))
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

    def _judge_short(self, kinds: Kinds, genders: Genders, assume: Assumption, told: bool) -> Bools:
        codes = kinds.astype(np.int64) @ (self._size ** np.arange(kinds.shape[1]))
        unique, at, inverse = np.unique(codes, return_index=True, return_inverse=True)
        known = [
            self._of((kinds.shape[1], code, assume, told), kinds[i])
            for code, i in zip(unique.tolist(), at.tolist(), strict=True)
        ]
        found: Bools = np.array([pattern.verdict for pattern in known])[inverse]
        matter = np.array([pattern.matter for pattern in known])[inverse]
        some = np.flatnonzero(matter)
        # Genders as the bits of a number; of those, the ones that matter to the pattern.
        bits = genders[some].astype(np.int64) @ (1 << np.arange(genders.shape[1])) & matter[some]
        _, first, which = np.unique(
            (inverse[some] << genders.shape[1]) | bits, return_index=True, return_inverse=True
        )
        given = [known[inverse[some[i]]].given(int(bits[i]), genders[some[i]]) for i in first]
        if given:
            found[some] = np.array(given)[which]
        return found

    def _of(self, key: "_Key", pattern: Kinds) -> "_Pattern":
        """What is possible in a pattern; if its answer is known, only whether something else is possible."""
        known = self._known.get(key)
        if known is None:
            if len(self._known) > _REMEMBERED:
                self._known.clear()
            *_, assume, told = key
            if told and self._chains.outside_freely(pattern.tolist()):  # usually true, and quick to check
                cases = _OUTSIDE
            else:
                cases = self._chains.cases(pattern.tolist(), assume)
            known = self._known[key] = _Pattern(cases, self._size, told)
        return known


# How long a pattern is, its kinds as the digits of a number, the assumption, and whether it is told.
_Key = tuple[int, int, Assumption, bool]


class _Pattern:
    """What is possible in a pattern.

    verdict: (kinds and one for something else), whatever the genders. matter: the people whose genders
    have to be asked, as bits; then `given` them.
    """

    def __init__(self, cases: Cases, size: int, told: bool) -> None:
        self._cases = cases
        self._given: dict[int, Bools] = {}
        self.verdict: Bools = np.zeros(size + 1, bool)
        self.verdict[[size if kind is None else kind for kind in cases.kinds]] = True
        settled = cases.settled(None) if told else cases.free
        self.matter = 0 if settled else sum(1 << person for person in cases.people)

    def given(self, bits: int, genders: Genders) -> Bools:
        """The verdict with these genders; bits: of those that matter."""
        known = self._given.get(bits)
        if known is None:
            possible, outside = self._cases.given(genders.tolist())
            known = np.zeros(len(self.verdict), bool)
            known[list(possible)] = True
            known[-1] = outside
            self._given[bits] = known
        return known
