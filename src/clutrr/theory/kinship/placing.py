"""Where the people of a chain can be placed in the tree of couples, one step at a time.

A chain is a sequence of facts x0 -> x1 -> ... -> xk about distinct people, each fact one of a
few ways (see `steps`). Its people can be placed in the tree of couples in several ways: whoever a
fact passes through without naming may be somebody named elsewhere, or somebody else. `advance` leads
from one placement to all those that one more step allows.

A state holds the part of the tree that can still matter, which is the route from x0 to the
present person (the spine) and, at each couple on it, the two partners' ancestors as far as they
are known. A couple may have any number of children, so every step down that leaves the spine can
lead to a new child: only partners can run out. Whatever lies below a couple off the spine is therefore
forgotten.

Whoever is named has a mark, a number from 1 up. x0 has 1; the caller chooses the others: 1 as well, one
for each gender, or one for each person.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from clutrr.theory.kinship.steps import Role, Step, Steps

NAMELESS, NAMED = 0, 1  # marks: of somebody whom no fact names yet, and of x0

# A partner off the spine: their mark, and the couple they are a child of.
# A partner of whom nothing is known is None, and so is a couple with two such partners.
Partner = tuple[int, "Couple | None"] | None
Couple = tuple[Partner, Partner]


class Node(NamedTuple):
    """A couple on the spine, and the person by whom the spine leaves it.

    start, end: the roles of the person before and of the person after.
    partners: the couple's partners off the spine, in canonical order.
    mark: of the person after.
    """

    start: Role
    partners: tuple[Partner, ...]
    end: Role
    mark: int


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
    def steps(self) -> Steps:
        return tuple(Step.between(node.start, node.end) for node in self.spine)


def _order(partner: Partner) -> str:
    return repr(partner)


def _couple(partners: Iterable[Partner]) -> tuple[Partner, ...]:
    return tuple(sorted(partners, key=_order))


def _partner(mark: int, parents: tuple[Partner, ...]) -> Partner:
    """Return the partner with these parents (none if they are unknown)."""
    known = any(parent is not None for parent in parents)
    if not mark and not known:
        return None
    return mark, (parents if known else None)  # type: ignore[return-value]


def mark_of(partner: Partner) -> int:
    return partner[0] if partner is not None else NAMELESS


def _parents(partner: Partner) -> tuple[Partner, ...]:
    return (partner and partner[1]) or (None, None)


UNMARRIED: tuple[Partner, ...] = (None,)


def _onto_partners(
    spine: tuple[Node, ...],
    start: Role,
    partners: tuple[Partner, ...],
    origin: tuple[Partner, ...],
    mark: int,
) -> Iterator[State]:
    """Step to a partner off the spine. mark: the new mark of a person not yet named, if it ends there."""
    for choice in set(partners):
        had = mark_of(choice)
        if mark and had:
            continue
        rest = list(partners)
        rest.remove(choice)
        node = Node(start, tuple(rest), Role.PARTNER, had or mark)
        yield State((*spine, node), _parents(choice), origin)


def _onto_child(
    spine: tuple[Node, ...],
    start: Role,
    partners: tuple[Partner, ...],
    origin: tuple[Partner, ...],
    mark: int,
) -> State:
    """Step to a child of their own."""
    return State((*spine, Node(start, partners, Role.CHILD, mark)), UNMARRIED, origin)


def advance(state: State, step: Step, mark: int) -> Iterator[State]:
    """Yield what one step leads to. mark: the new mark of a person not yet named, if a fact ends there."""
    spine, ahead, origin = state
    if not spine:  # at x0: `ahead` is the couple of birth, `origin` the marriage
        if step.start is Role.PARTNER:
            ahead, origin = origin, ahead
    elif step.start is spine[-1].end:
        yield from _turn_back(state, step, mark)
        return
    if step.end is Role.CHILD:
        yield _onto_child(spine, step.start, ahead, origin, mark)
    else:
        yield from _onto_partners(spine, step.start, ahead, origin, mark)


def _turn_back(state: State, step: Step, mark: int) -> Iterator[State]:
    """Yield where a step leads through the couple by which the spine reached the present person."""
    spine, ahead, origin = state
    *before, node = spine
    kept = tuple(before)
    partners = node.partners
    # Leave the present person: a partner is still remembered, a child is forgotten.
    all_partners = partners
    if node.end is Role.PARTNER:
        all_partners = _couple((*partners, _partner(node.mark, ahead)))
    if step.end is Role.CHILD:
        yield _onto_child(kept, node.start, all_partners, origin, mark)
    else:  # the spouse, never the present person again
        for next_state in _onto_partners(kept, node.start, partners, origin, mark):
            *_, new = next_state.spine
            left = new.partners
            if node.end is Role.PARTNER:
                left = _couple((*left, _partner(node.mark, ahead)))
            yield State((*kept, new._replace(partners=left)), next_state.ahead, origin)
    # Or arrive at the person before, who may be x0 or somebody a fact passed through.
    if node.start is not step.end:
        return
    had = kept[-1].mark if kept else NAMED
    if mark and had:
        return
    if kept:
        kept = (*kept[:-1], kept[-1]._replace(mark=had or mark))
        yield State(kept, all_partners, origin)
    elif node.start is Role.CHILD:
        yield State((), all_partners, origin)
    else:
        yield State((), origin, all_partners)
