"""What the facts of paths allow, under an assumption: the kinds that are possible, and whether none is.

Short patterns come up again and again, so what genders change about one is worked out once (see
`Chains.cases`). Long ones are mostly new: each is judged by itself, with the genders that it states.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clutrr.theory.kinship.chains import Cases
from clutrr.theory.kinship.subset import Subset

_SHORT = 6  # patterns of up to this many facts are worked out once
_REMEMBERED = 300_000  # patterns

_OUTSIDE = Cases({None: (frozenset(),)})  # something else is possible, whatever the genders are

Kinds = npt.NDArray[np.integer]
Genders = npt.NDArray[np.integer]
Bools = npt.NDArray[np.bool_]


class _Key(NamedTuple):
    """kinds: of the pattern, as the digits of a number. open_: see `Subset`. sure: only whether something
    outside the label set is possible is asked."""

    kinds: int
    open_: bool
    sure: bool


class Verdicts:
    """Judges the paths of a subset."""

    def __init__(self, subset: Subset) -> None:
        self._subset = subset
        self._chains = subset.theory.chains
        self._size = len(subset.theory.ways)
        self._known: dict[_Key, _Pattern] = {}

    def judge(self, kinds: Kinds, genders: Genders, targets: Kinds) -> tuple[Bools, Bools]:
        """Return (paths, kinds): which are possible; and (paths): whether something else is.

        kinds: the patterns, one per row. genders: of everybody on the paths. targets: what the ends are; -1
        where the facts leave several.
        """
        sure = (targets >= 0) & self._subset.determined  # one answer is known to be the only one
        possible = np.zeros((len(kinds), self._size), bool)
        possible[sure, targets[sure]] = True
        outside = np.zeros(len(kinds), bool)
        if self._subset.entailed:
            return possible, outside
        # Whether something outside the label set is possible does not depend on the assumption.
        for some, open_ in ((np.flatnonzero(sure), False), (np.flatnonzero(~sure), self._subset.open)):
            if len(some):
                judge = self._judge_short if kinds.shape[1] <= _SHORT else self._judge_long
                found = judge(kinds[some], genders[some], open_, bool(sure[some[0]]))
                outside[some] = found[:, -1]
                possible[some] |= found[:, :-1] & ~sure[some, None]
        return possible, outside

    def _judge_long(self, kinds: Kinds, genders: Genders, open_: bool, sure: bool) -> Bools:
        """Return (paths, kinds and one for something else). sure: only the last is asked."""
        found = np.zeros((len(kinds), self._size + 1), bool)
        for i, (pattern, stated) in enumerate(zip(kinds.tolist(), genders[:, 1:].tolist(), strict=True)):
            found[i, -1] = self._chains.outside(pattern, stated)
            if sure:
                continue
            possible = self._chains.kinds(pattern, stated)
            if open_:
                others = set(range(self._size)) - possible
                possible |= frozenset(self._chains.linked(pattern, others, stated))
            found[i, list(possible)] = True
        return found

    def _judge_short(self, kinds: Kinds, genders: Genders, open_: bool, sure: bool) -> Bools:
        codes = kinds.astype(np.int64) @ (self._size ** np.arange(kinds.shape[1]))
        unique, at, inverse = np.unique(codes, return_index=True, return_inverse=True)
        known = [
            self._of(_Key(code, open_, sure), kinds[i])
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

    def _of(self, key: _Key, pattern: Kinds) -> "_Pattern":
        """Return what is possible in a pattern."""
        known = self._known.get(key)
        if known is None:
            if len(self._known) > _REMEMBERED:
                self._known.clear()
            numbers = pattern.tolist()
            if key.sure and self._chains.outside_freely(numbers):  # usually true, and quick to check
                cases = _OUTSIDE
            else:
                cases = self._chains.cases(numbers, key.open_)
            known = self._known[key] = _Pattern(cases, self._size, key.sure)
        return known


class _Pattern:
    """What is possible in a pattern.

    verdict: (kinds and one for something else), whatever the genders. matter: the people whose genders
    have to be asked, as bits; then `given` them.
    """

    def __init__(self, cases: Cases, size: int, sure: bool) -> None:
        self._cases = cases
        self._given: dict[int, Bools] = {}
        self.verdict: Bools = np.zeros(size + 1, bool)
        self.verdict[[size if kind is None else kind for kind in cases.kinds]] = True
        settled = cases.settled(None) if sure else cases.free
        self.matter = 0 if settled else sum(1 << person for person in cases.people)

    def given(self, bits: int, genders: Genders) -> Bools:
        """Return the verdict with these genders. bits: of those that matter."""
        known = self._given.get(bits)
        if known is None:
            possible, outside = self._cases.given(genders.tolist())
            known = np.zeros(len(self.verdict), bool)
            known[list(possible)] = True
            known[-1] = outside
            self._given[bits] = known
        return known
