"""What the two ends of a chain can be to each other.

A chain is a sequence of facts x0 -> x1 -> ... -> xk about distinct people, each fact one of a
few words (see `steps`). Its people can sit in the tree of couples in several ways: whoever a
fact passes through without naming may be somebody named elsewhere, or somebody else. `Chains`
follows every way at once and tells by which words the last person can be reached from the first.
The answer is exact, over whole worlds, and ignores genders.

How: a state holds the part of the tree that can still matter, which is the route from x0 to the
present person (the spine) and, at each couple on it, the two partners' ancestors as far as they
are known. A couple may have any number of children, so nothing is lost by giving every step down
that leaves the spine a child of its own: only partners can run out. Whatever hangs below a couple
off the spine is therefore forgotten.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from clutrr.world.steps import Role, Step, Word

# A partner off the spine: whether a fact names them, and the couple they are a child of.
# A partner of whom nothing is known is None, and so is a couple with two such partners.
Partner = tuple[bool, "Couple | None"] | None
Couple = tuple[Partner, Partner]


class Node(NamedTuple):
    """A couple on the spine, and the person by whom the spine leaves it.

    start, end: the roles of the person before and of the person after.
    partners: the couple's partners off the spine, in canonical order.
    named: whether a fact names the person after.
    """

    start: Role
    partners: tuple[Partner, ...]
    end: Role
    named: bool


class State(NamedTuple):
    """The spine from x0 to the present person, and the partners known at its two ends.

    ahead: those of the present person's couple that is not on the spine.
    origin: those of x0's couple that is not on the spine. Where the spine is empty, and x0 the
    present person, `ahead` is their couple of birth and `origin` their marriage.
    """

    spine: tuple[Node, ...]
    ahead: tuple[Partner, ...]
    origin: tuple[Partner, ...]

    @property
    def word(self) -> Word:
        return tuple(Step.between(node.start, node.end) for node in self.spine)


def _order(partner: Partner) -> str:
    return repr(partner)


def _couple(partners: Iterable[Partner]) -> tuple[Partner, ...]:
    return tuple(sorted(partners, key=_order))


def _partner(named: bool, parents: tuple[Partner, ...]) -> Partner:
    """The partner with these parents (none where they are unknown)."""
    known = any(parent is not None for parent in parents)
    if not named and not known:
        return None
    return named, (parents if known else None)  # type: ignore[return-value]


def _parents(partner: Partner) -> tuple[Partner, ...]:
    return (partner and partner[1]) or (None, None)


_UNMARRIED: tuple[Partner, ...] = (None,)


def _onto_partners(
    spine: tuple[Node, ...],
    start: Role,
    partners: tuple[Partner, ...],
    origin: tuple[Partner, ...],
    last: bool,
) -> Iterator[State]:
    """Step to a partner off the spine; `last` where the step ends at a person not yet named."""
    for choice in set(partners):
        named = choice is not None and choice[0]
        if last and named:
            continue
        rest = list(partners)
        rest.remove(choice)
        node = Node(start, tuple(rest), Role.PARTNER, named or last)
        yield State((*spine, node), _parents(choice), origin)


def _onto_child(
    spine: tuple[Node, ...],
    start: Role,
    partners: tuple[Partner, ...],
    origin: tuple[Partner, ...],
    last: bool,
) -> State:
    """Step to a child of their own."""
    return State((*spine, Node(start, partners, Role.CHILD, last)), _UNMARRIED, origin)


def _advance(state: State, step: Step, last: bool) -> Iterator[State]:
    spine, ahead, origin = state
    if not spine:  # at x0: `ahead` is the couple of birth, `origin` the marriage
        if step.start is Role.PARTNER:
            ahead, origin = origin, ahead
    elif step.start is spine[-1].end:
        yield from _turn_back(state, step, last)
        return
    if step.end is Role.CHILD:
        yield _onto_child(spine, step.start, ahead, origin, last)
    else:
        yield from _onto_partners(spine, step.start, ahead, origin, last)


def _turn_back(state: State, step: Step, last: bool) -> Iterator[State]:
    """A step through the couple by which the spine reached the present person."""
    spine, ahead, origin = state
    *before, node = spine
    kept = tuple(before)
    partners = node.partners
    # Leave the present person behind: a partner stays known, a child is forgotten.
    all_partners = partners
    if node.end is Role.PARTNER:
        all_partners = _couple((*partners, _partner(node.named, ahead)))
    if step.end is Role.CHILD:
        yield _onto_child(kept, node.start, all_partners, origin, last)
    else:  # the spouse, never the present person again
        for next_state in _onto_partners(kept, node.start, partners, origin, last):
            *_, new = next_state.spine
            left = new.partners
            if node.end is Role.PARTNER:
                left = _couple((*left, _partner(node.named, ahead)))
            yield State((*kept, new._replace(partners=left)), next_state.ahead, origin)
    # Or arrive at the person before, who may be x0 or somebody a fact passed through.
    if node.start is not step.end:
        return
    previous_named = kept[-1].named if kept else True
    if last and previous_named:
        return
    if kept:
        kept = (*kept[:-1], kept[-1]._replace(named=previous_named or last))
        yield State(kept, all_partners, origin)
    elif node.start is Role.CHILD:
        yield State((), all_partners, origin)
    else:
        yield State((), origin, all_partners)


EXACT = 10  # facts
_FOLLOWED = 1000  # states at a time, in longer chains
_REMEMBERED = 150_000  # states


class Chains:
    """Chains over a set of relation kinds, each given by its words; a kind is an index.

    States are numbered as they are met and their successors kept, so that chains share work.
    """

    def __init__(self, kinds: Sequence[Sequence[Word]]) -> None:
        self._kinds = kinds
        self._labels = {word: kind for kind, words in enumerate(kinds) for word in words}
        self._longest = max(map(len, self._labels))
        self._reach = [max(map(len, words)) for words in kinds]
        self._forget()

    def _forget(self) -> None:
        self._states: list[State] = []
        self._length: list[int] = []
        self._number: dict[State, int] = {}
        self._next: dict[tuple[int, int], tuple[int, ...]] = {}
        self._start = self._intern(State((), (None, None), _UNMARRIED))

    def words(self, pattern: Sequence[int]) -> frozenset[Word]:
        """The words by which the last person can be reached from the first."""
        states = self._follow(pattern, [sys.maxsize] * len(pattern))
        return frozenset(self._states[state].word for state in states)

    def kinds(self, pattern: Sequence[int]) -> frozenset[int]:
        """The kinds that the last person can be to the first.

        Exact for chains of up to `EXACT` facts. A longer one that can sit in too many ways to follow
        them all counts as if any kind were possible: what it then tells apart is still told rightly.
        """
        if len(self._states) > _REMEMBERED:
            self._forget()
        most = _FOLLOWED if len(pattern) > EXACT else sys.maxsize
        limits = [self._longest]
        for kind in reversed(pattern[1:]):  # a spine too long to come back is no use
            limits.append(limits[-1] + self._reach[kind])
        states = self._follow(pattern, limits[::-1], most)
        if len(states) > most:
            return frozenset(range(len(self._kinds)))
        words = {self._states[state].word for state in states}
        return frozenset(self._labels[word] for word in words if word in self._labels)

    def _follow(self, pattern: Sequence[int], limits: Sequence[int], most: int = sys.maxsize) -> set[int]:
        """The states that a chain can lead to; it stops where they are more than `most`."""
        states = {self._start}
        for kind, limit in zip(pattern, limits, strict=True):
            if len(states) > most:
                break
            states = {
                after
                for before in states
                for after in self._after(before, kind)
                if self._length[after] <= limit
            }
        return states

    def _after(self, number: int, kind: int) -> tuple[int, ...]:
        key = number, kind
        found = self._next.get(key)
        if found is None:
            after = {state for word in self._kinds[kind] for state in _walk(self._states[number], word)}
            found = self._next[key] = tuple(self._intern(state) for state in after)
        return found

    def _intern(self, state: State) -> int:
        number = self._number.setdefault(state, len(self._states))
        if number == len(self._states):
            self._states.append(state)
            self._length.append(len(state.spine))
        return number


def _walk(state: State, word: Word) -> set[State]:
    """Follow a word from the present person to somebody whom no fact has named."""
    states = {state}
    for i, step in enumerate(word):
        last = i == len(word) - 1
        states = {after for before in states for after in _advance(before, step, last)}
    return states
