"""Which entities a text mentions together, and in which words.

    graph      each two nodes of a sentence are linked by it
    ways       which links lead from the first queried entity to the second
    windows    stretches of text that may tell of a pair, also where no sentence names both

For the ways, take every link as a wire, and put a voltage between the two queried entities. Current flows
only through entities that are on some way between the two that passes none twice: never into a dead end,
nor to those that nothing links. The voltage puts them in an order that does not depend on how they are
numbered, and every wire with current leads onwards in it. (A wire that joins two ways at the same voltage
carries none: it is left out, and so is any entity that has no other wire.)
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from clutrr.models.passages import Pair, pairs_of
from clutrr.models.tokens import (
    BYSTANDER,
    OTHER_FIRST,
    OTHER_SECOND,
    PADDING,
    SELF_FIRST,
    SELF_SECOND,
    NumberedStory,
)

Ints = npt.NDArray[np.int64]
Row = tuple[int, ...]  # tokens, with the mentions of two entities marked

NEXT, OTHERS, ACROSS = range(3)  # how far apart the two of a window are

_LEAK = 1e-9  # to the ground, so that entities that nothing links have a voltage too
_NOTHING = 1e-7  # volts: less than this between two entities is rounding


def nodes_in(tokens: Iterable[int], story: NumberedStory) -> list[int]:
    """Return the nodes that are mentioned, in order of appearance."""
    return list(dict.fromkeys(-1 - token for token in tokens if -story.nodes <= token < 0))


def _marked(tokens: Iterable[int], first: int, second: int) -> Row:
    """Return the tokens with the mentions of two entities marked, the one mentioned first and the other."""
    mark = {-1 - first: SELF_FIRST, -1 - second: OTHER_SECOND}
    return tuple(token if token >= 0 else mark.get(token, BYSTANDER) for token in tokens)


def padded(rows: Sequence[Sequence[int]], padding: int = PADDING) -> Ints:
    """Return rows of unequal length as one array."""
    length = np.array([len(row) for row in rows], np.int64)
    filled = np.full((len(rows), length.max(initial=1)), padding, np.int64)
    filled[np.arange(filled.shape[1]) < length[:, None]] = np.fromiter(
        itertools.chain.from_iterable(rows), np.int64
    )
    return filled


# The graph


def graph_of(stories: Sequence[NumberedStory]) -> tuple[Ints, Ints, Ints]:
    """Return for each node its neighbours [N, n, D], the sentences about the pair [N, n, D, R], and those
    [1 + 2 S, L]: distinct ones with the two mentions marked, from both ends, the first one empty.

    Rows 1 + 2 s and 2 + 2 s are sentence s as the entity mentioned first and second sees it.
    """
    links = [_links(story) for story in stories]
    rows = sorted({row for said in links for seen in said.values() for row, _ in seen})
    number = {row: 1 + 2 * place for place, row in enumerate(rows)}
    found = []
    for place, said in enumerate(links):
        degree: Counter[int] = Counter()
        for (node, other), seen in sorted(said.items()):
            for repeat, view in enumerate(sorted(number[row] + end for row, end in seen)):
                found.append((place, node, degree[node], repeat, other, view))
            degree[node] += 1
    at, nodes, slots, repeats, others, views = np.array(found, np.int64).reshape(-1, 6).T
    most = max((story.nodes for story in stories), default=1)
    neighbours = np.zeros((len(stories), most, slots.max(initial=0) + 1), np.int64)
    neighbours[at, nodes, slots] = others
    sentences = np.zeros((*neighbours.shape, repeats.max(initial=0) + 1), np.int64)
    sentences[at, nodes, slots, repeats] = views
    turned = {SELF_FIRST: OTHER_FIRST, OTHER_SECOND: SELF_SECOND}
    ends = ((row, tuple(turned.get(token, token) for token in row)) for row in rows)
    return neighbours, sentences, padded([(), *itertools.chain.from_iterable(ends)])


def _links(story: NumberedStory) -> dict[tuple[int, int], list[tuple[Row, int]]]:
    """Return the sentences that link a node with another, and which end of each the former is."""
    found: dict[tuple[int, int], list[tuple[Row, int]]] = {}
    for tokens in story.sentences:
        for first, second in itertools.combinations(nodes_in(tokens, story), 2):
            row = _marked(tokens, first, second)
            found.setdefault((first, second), []).append((row, 0))
            found.setdefault((second, first), []).append((row, 1))
    return found


# Ways


def ways(linked: npt.NDArray[np.bool_], neighbours: Ints, query: Ints) -> Ints:
    """Return where the text says what a later place is to an earlier one, for each two places [N, P, P].

    linked, neighbours: [N, n, D], which nodes are mentioned together with each. query: [N, 2].
    What slot d of node i says has the number 1 + i D + d; 0 where nothing is said, or where it leads back.
    The first queried entity is in the first place and the second in the last; some of the
    places in between may be empty.
    """
    found = [_ways_of_one(*story) for story in zip(linked, neighbours, query, strict=True)]
    places = max(map(len, found), default=2)
    result = np.zeros((len(query), places, places), np.int64)
    for placed, leads in zip(result, found, strict=True):
        inner = np.r_[: len(leads) - 1, places - 1]
        placed[inner[:, None], inner] = leads
    return result


def _ways_of_one(linked: npt.NDArray[np.bool_], neighbours: Ints, query: Ints) -> Ints:  # [P, P]
    n, slots = linked.shape
    node, slot = np.nonzero(linked)
    said = np.zeros((n, n), np.int64)
    said[node, neighbours[node, slot]] = 1 + node * slots + slot
    volt = _voltage(said > 0, query)
    onwards = (volt - volt[:, None] > _NOTHING) & (said > 0)
    on_it = onwards.any(0) | onwards.any(1)
    volt[~on_it] = (
        1 - _NOTHING / 2
    )  # behind all that are on the way, but before the second queried one
    volt[query] = 0.0, 1.0
    order = np.argsort(volt, kind="stable")
    order = np.r_[order[: max(int(on_it.sum()), 2) - 1], order[-1]]
    leads: Ints = np.where(onwards, said, 0)[order[:, None], order]
    return leads


def _voltage(said: npt.NDArray[np.bool_], query: Ints) -> npt.NDArray[np.float64]:  # [n]
    """Return 0 at the first queried entity, 1 at the second, elsewhere the mean over the neighbours."""
    wires = -(said | said.T).astype(np.float64)
    np.fill_diagonal(wires, _LEAK - wires.sum(1))
    wires[query] = np.eye(len(said))[query]
    source = np.zeros(len(said))
    source[query] = 0.0, 1.0
    return np.asarray(np.linalg.solve(wires, source), np.float64)


# Windows


def windows_of(stories: Sequence[NumberedStory]) -> tuple[Ints, Ints]:
    """Return the windows of each story, [N, W, 4], and the distinct ones [1 + S, L], the first empty.

    Of each window (see `runs`) its row, the node that it names first, the other, and how far apart they
    are: NEXT to each other in a sentence, with OTHERS in between, or ACROSS sentences. The first mention of
    a node in a sentence counts.
    """
    found = [_windows(story) for story in stories]
    rows = sorted({row for windows in found for row, *_ in windows})
    number = {row: 1 + place for place, row in enumerate(rows)}
    placed = np.zeros((len(stories), max([1, *map(len, found)]), 4), np.int64)
    for place, windows in enumerate(found):
        for slot, (row, *about) in enumerate(windows):
            placed[place, slot] = number[row], *about
    return placed, padded([(), *rows])


def _windows(story: NumberedStory) -> list[tuple[Row, int, int, int]]:
    """Return the tokens of each window, the node that it names first, the other, and how far apart."""
    named = [nodes_in(tokens, story) for tokens in story.sentences]
    naming = [number for number, nodes in enumerate(named) if nodes]
    opens = [story.sentences[number][0] < 0 for number in naming]
    found = []
    for pair, begin, end in runs([set(named[number]) for number in naming], story.query, opens):
        tokens = list(
            itertools.chain.from_iterable(story.sentences[naming[begin] : naming[end] + 1])
        )
        order = [*named[naming[begin]], *named[naming[end]]]
        first, second = sorted(pair, key=order.index)
        between = order.index(second) - order.index(first) > 1
        apart = ACROSS if end > begin else OTHERS if between else NEXT
        found.append((_marked(tokens, first, second), first, second, apart))
    return found


def runs(
    named: Sequence[set[int]], query: Pair, opens: Sequence[bool]
) -> list[tuple[Pair, int, int]]:
    """Return where a story may tell of each pair: the pair, and the first and last of a run of sentences.

    A sentence that names both is a run by itself. If no sentence does, two neighbouring ones that name one
    each are a run: where the second does not open with a name, since a pronoun may be there; and, if all
    these do not link the two queried entities, directly or through others, for any two that are not linked.

    named: the entities that each sentence names; sentences that name none are left out. opens: whether it
    opens with a name.
    """
    found = [
        (pair, number, number)
        for number, entities in enumerate(named)
        for pair in pairs_of(entities, entities)
    ]
    together = {pair for pair, _, _ in found}
    across = [
        (pair, number, number + 1)
        for number in range(len(named) - 1)
        for pair in pairs_of(named[number], named[number + 1])
        if pair not in together
    ]
    found += [window for window in across if not opens[window[2]]]
    part = _components([*named, *(set(pair) for pair, _, _ in found)])
    if part.get(query[0]) == part.get(query[1]) is not None:
        return found
    return found + [window for window in across if part[window[0][0]] != part[window[0][1]]]


def _components(named: Sequence[set[int]]) -> dict[int, int]:
    """Return a representative for each entity: the same for all that sentences link, directly or not."""
    part: dict[int, int] = {}
    for entities in named:
        joined = {part.setdefault(entity, entity) for entity in entities}
        if len(joined) > 1:
            one = min(joined)
            part = {entity: one if of in joined else of for entity, of in part.items()}
    return part
