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

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from clutrr.models.tokens import (
    BYSTANDER,
    OTHER_FIRST,
    OTHER_SECOND,
    PADDING,
    SELF_FIRST,
    SELF_SECOND,
    Ints,
    Text,
)

Pair = tuple[int, int]  # two entities, the lower number first

NEXT, OTHERS, ACROSS = range(3)  # how far apart the two of a window are

_BATCH = 4096  # stories at a time
_LEAK = 1e-9  # to the ground, so that entities that nothing links have a voltage too
_NOTHING = 1e-7  # volts: less than this between two entities is rounding


def _marked(text: Text, word: Ints, runs: Ints, pair: Ints) -> tuple[Ints, Ints]:
    """Return the distinct stretches of text with the mentions of two entities marked, [1 + S, L], the first
    of them empty; and which of the others each is. runs: the first and the last sentence of each stretch;
    pair: its two entities, the one mentioned first and the other."""
    start = np.searchsorted(text.sentence, runs[0])
    size = np.searchsorted(text.sentence, runs[1], side="right") - start
    place = np.arange(int(size.max(initial=1)))
    inside = place < size[:, None]
    at = np.where(inside, start[:, None] + place, 0)
    rows = np.where(inside, word[at], PADDING)
    entity = np.where(inside, -1 - text.token[at], -1)
    rows[entity >= 0] = BYSTANDER
    rows[entity == pair[0][:, None]] = SELF_FIRST
    rows[entity == pair[1][:, None]] = OTHER_SECOND
    # As bytes, the highest first, so that rows compare as a whole.
    whole = np.ascontiguousarray(rows, ">i8").view(np.dtype((np.void, 8 * rows.shape[1])))[:, 0]
    _, first, which = np.unique(whole, return_index=True, return_inverse=True)
    return np.concatenate([np.zeros((1, rows.shape[1]), np.int64), rows[first]]), which


# The graph


def graph_of(text: Text, word: Ints) -> tuple[Ints, Ints, Ints]:
    """Return for each node its neighbours [N, n, D], the sentences about the pair [N, n, D, R], and those
    [1 + 2 S, L]: distinct ones with the two mentions marked, from both ends, the first one empty.

    Rows 1 + 2 s and 2 + 2 s are sentence s as the entity mentioned first and second sees it.
    """
    links = _links(text)
    _, sentence, first, second = links
    distinct, which = _marked(text, word, np.stack([sentence, sentence]), np.stack([first, second]))
    turned = np.where(distinct == SELF_FIRST, OTHER_FIRST, distinct)
    turned[distinct == OTHER_SECOND] = SELF_SECOND
    shapes = np.stack([distinct, turned], axis=1).reshape(-1, distinct.shape[1])[1:]
    return *_slots(links, which, len(text.nodes), int(text.nodes.max(initial=1))), shapes


def _links(text: Text) -> Ints:
    """Return story, sentence, first and second node of each pair of nodes in a sentence, [4, M]."""
    at = np.flatnonzero(text.token < 0)
    entity = -1 - text.token[at]
    keep = entity < text.nodes[text.story[at]]
    at, entity = at[keep], entity[keep]
    sentence, story = text.sentence[at], text.story[at]
    found: list[Ints] = [np.zeros((2, 0), np.int64)]
    for distance in range(1, len(at)):
        together = np.flatnonzero(sentence[distance:] == sentence[:-distance])
        if not len(together):
            break
        other = together + distance
        differ = entity[together] != entity[other]
        found.append(np.stack([together[differ], other[differ]]))
    one, other = np.concatenate(found, axis=1)
    # A pair that a sentence mentions more than once is one link.
    low, high = np.minimum(entity[one], entity[other]), np.maximum(entity[one], entity[other])
    most = text.nodes.max(initial=0) + 1
    key = (sentence[one] * most + low) * most + high
    order = np.lexsort((other, one))
    _, chosen = np.unique(key[order], return_index=True)
    one, other = one[order][chosen], other[order][chosen]
    return np.stack([story[one], sentence[one], entity[one], entity[other]])


def _slots(links: Ints, which: Ints, stories: int, nodes: int) -> tuple[Ints, Ints]:
    """Return the neighbours of each node [N, n, D], and the sentences about the pair [N, n, D, R]."""
    owner, _, first, second = links
    story = np.concatenate([owner, owner])
    node = np.concatenate([first, second])
    other = np.concatenate([second, first])
    row = np.concatenate([1 + 2 * which, 2 + 2 * which])
    order = np.lexsort((row, other, node, story))
    owner, other, row = (story * nodes + node)[order], other[order], row[order]
    new_pair = np.ones(len(owner), bool)
    new_pair[1:] = (owner[1:] != owner[:-1]) | (other[1:] != other[:-1])
    pair = np.cumsum(new_pair) - 1
    pairs = np.flatnonzero(new_pair)
    repeat = np.arange(len(owner)) - pairs[pair]
    degree = np.bincount(owner[pairs], minlength=stories * nodes)
    slot = np.arange(len(pairs)) - (np.cumsum(degree) - degree)[owner[pairs]]
    width = int(degree.max(initial=1))
    neighbours = np.zeros((stories * nodes, width), np.int64)
    neighbours[owner[pairs], slot] = other[pairs]
    sentences = np.zeros((stories * nodes, width, int(repeat.max(initial=0)) + 1), np.int64)
    sentences[owner, slot[pair], repeat] = row
    return neighbours.reshape(stories, nodes, width), sentences.reshape(stories, nodes, width, -1)


# Ways


def ways(linked: npt.NDArray[np.bool_], neighbours: Ints, query: Ints) -> Ints:
    """Return where the text says what a later place is to an earlier one, for each two places [N, P, P].

    linked, neighbours: [N, n, D], which nodes are mentioned together with each. query: [N, 2].
    What slot d of node i says has the number 1 + i D + d; 0 where nothing is said, or where it leads back.
    The first queried entity is in the first place and the second in the last; some of the
    places in between may be empty.
    """
    parts = [
        _ways(linked[i : i + _BATCH], neighbours[i : i + _BATCH], query[i : i + _BATCH])
        for i in range(0, len(query), _BATCH)
    ]
    places = max((part.shape[1] for part in parts), default=2)
    result = np.zeros((len(query), places, places), np.int64)
    for i, part in enumerate(parts):
        inner = np.r_[: part.shape[1] - 1, places - 1]
        result[i * _BATCH : i * _BATCH + len(part), inner[:, None], inner] = part
    return result


def _ways(linked: npt.NDArray[np.bool_], neighbours: Ints, query: Ints) -> Ints:
    size, n, slots = linked.shape
    story, node, slot = np.nonzero(linked)
    said = np.zeros((size, n, n), np.int64)
    said[story, node, neighbours[story, node, slot]] = 1 + node * slots + slot
    volt = _voltage(said > 0, query)
    onwards = (volt[:, None, :] - volt[:, :, None] > _NOTHING) & (said > 0)
    on_it = onwards.any(1) | onwards.any(2)
    volt[~on_it] = 1 - _NOTHING / 2  # behind all that are on the way, but before the second queried one
    volt[np.arange(size), query[:, 0]] = 0.0
    volt[np.arange(size), query[:, 1]] = 1.0
    order = np.argsort(volt, axis=1, kind="stable")
    places = int(on_it.sum(1).max(initial=2))
    order = np.concatenate([order[:, : places - 1], order[:, -1:]], axis=1)
    one, other = order[:, :, None], order[:, None, :]
    each = np.arange(size)[:, None, None]
    return np.where(onwards[each, one, other], said[each, one, other], 0)


def _voltage(said: npt.NDArray[np.bool_], query: Ints) -> npt.NDArray[np.float64]:  # [N, n]
    """Return 0 at the first queried entity, 1 at the second, elsewhere the mean over the neighbours."""
    size, n, _ = said.shape
    each = np.arange(size)
    wires = -(said | said.transpose(0, 2, 1)).astype(np.float64)
    here = np.arange(n)
    wires[:, here, here] = _LEAK - wires.sum(2)
    source = np.zeros((size, n))
    for end, volt in zip(query.T, (0.0, 1.0), strict=True):
        wires[each, end] = 0.0
        wires[each, end, end] = 1.0
        source[each, end] = volt
    return np.asarray(np.linalg.solve(wires, source[..., None])[..., 0], np.float64)


# Windows


def windows_of(text: Text, word: Ints) -> tuple[Ints, Ints]:
    """Return the windows of each story, [N, W, 4], and the distinct ones [1 + S, L], the first empty.

    Of each window (see `runs`) its row, the node that it names first, the other, and how far apart they
    are: NEXT to each other in a sentence, with OTHERS in between, or ACROSS sentences. The first mention of
    a node in a sentence counts.
    """
    stories, found = len(text.nodes), _runs(text)
    story, pair, apart = found[0], found[1:3], found[5]
    rows, which = _marked(text, word, found[3:5], pair)
    count = np.bincount(story, minlength=stories)
    windows = np.zeros((stories, int(count.max(initial=1)), 4), np.int64)
    slot = np.arange(len(story)) - (np.cumsum(count) - count)[story]
    windows[story, slot] = np.stack([1 + which, *pair, apart], 1)
    return windows, rows


def _runs(text: Text) -> Ints:
    """Return story, first and second node, first and last sentence of every window, and how far apart the
    two are, story by story: [6, M]."""
    at = np.flatnonzero(text.token < 0)
    at = at[-1 - text.token[at] < text.nodes[text.story[at]]]
    named: dict[int, dict[int, dict[int, int]]] = {}  # by story and sentence: where each is named
    for place, story, sentence, node in zip(
        at.tolist(),
        text.story[at].tolist(),
        text.sentence[at].tolist(),
        (-1 - text.token[at]).tolist(),
        strict=True,
    ):
        named.setdefault(story, {}).setdefault(sentence, {}).setdefault(node, place)
    begins = np.ones(len(text.token), bool)
    begins[1:] = text.sentence[1:] != text.sentence[:-1]
    opens = set(text.sentence[begins & (text.token < 0)].tolist())
    found = []
    for story, sentences in named.items():
        numbers, places = list(sentences), list(sentences.values())
        asked = (int(text.query[story, 0]), int(text.query[story, 1]))
        for (one, other), begin, end in runs(
            [set(nodes) for nodes in places], asked, [number in opens for number in numbers]
        ):
            seen = {**places[end], **places[begin]}
            pair = (one, other) if seen[one] < seen[other] else (other, one)
            between = any(seen[pair[0]] < place < seen[pair[1]] for place in places[begin].values())
            apart = ACROSS if end > begin else OTHERS if between else NEXT
            found.append((story, *pair, numbers[begin], numbers[end], apart))
    return np.array(found, np.int64).reshape(-1, 6).T


def runs(named: Sequence[set[int]], query: Pair, opens: Sequence[bool]) -> list[tuple[Pair, int, int]]:
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


def pairs_of(ones: set[int], others: set[int]) -> list[Pair]:
    """Return the pairs of one of these and one of those, each once."""
    return sorted({(min(a, b), max(a, b)) for a in ones for b in others if a != b})


def _components(named: Sequence[set[int]]) -> dict[int, int]:
    """Return a representative for each entity: the same for all that sentences link, directly or not."""
    part: dict[int, int] = {}
    for entities in named:
        joined = {part.setdefault(entity, entity) for entity in entities}
        if len(joined) > 1:
            one = min(joined)
            part = {entity: one if of in joined else of for entity, of in part.items()}
    return part
