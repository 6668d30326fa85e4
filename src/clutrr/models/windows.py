"""Stretches of text with two mentions marked, each distinct one once; the windows on each two entities."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clutrr.models.tokens import Ints, Text
from clutrr.models.vocabulary import BYSTANDER, OTHER_SECOND, PADDING, SELF_FIRST

Pair = tuple[int, int]  # two entities, the lower number first

NEXT, OTHERS, ACROSS = range(3)


@dataclass(frozen=True)
class Stretches:
    """Tokens in a row, `size` of them from `start`, and two entities that they mention."""

    start: Ints
    size: Ints
    first: Ints
    second: Ints


def marked(text: Text, word: Ints, stretches: Stretches) -> tuple[Ints, Ints]:
    """Return the distinct stretches, the mentions of the two marked, [S, L]; and which of them each is."""
    place = np.arange(int(stretches.size.max(initial=1)))
    inside = place < stretches.size[:, None]
    at = np.where(inside, stretches.start[:, None] + place, 0)
    rows = np.where(inside, word[at], PADDING)
    entity = np.where(inside, -1 - text.token[at], -1)
    rows[entity >= 0] = BYSTANDER
    rows[entity == stretches.first[:, None]] = SELF_FIRST
    rows[entity == stretches.second[:, None]] = OTHER_SECOND
    return _distinct(rows)


def _distinct(rows: Ints) -> tuple[Ints, Ints]:
    """Return the distinct rows, and which of them each row is."""
    if not len(rows):
        return rows, np.zeros(0, np.int64)
    factors = np.random.default_rng(0).integers(1, 2**63, rows.shape[1], np.uint64) | np.uint64(1)
    keys = (rows.astype(np.uint64) * factors).sum(axis=1)
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    distinct = rows[first]
    if not (distinct[which] == rows).all():  # two rows with one key: next to impossible
        raise AssertionError("two sentences have the same key")
    order = np.lexsort(distinct.T[::-1])  # whatever the keys are
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return distinct[order], rank[which]


def windows_of(text: Text, word: Ints) -> tuple[Ints, Ints]:
    """Return the distinct windows [1 + S, L], the first empty; and those of each story, [N, W, 4].

    Of each window (see `runs`) its row, the node that it names first, the other, and how far apart they
    are: NEXT to each other in a sentence, with OTHERS in between, or ACROSS sentences. The first mention of
    a node in a sentence counts.
    """
    stories = len(text.people)
    story, first, second, begins, ends, apart = _runs(text)
    start = np.searchsorted(text.sentence, begins)
    size = np.searchsorted(text.sentence, ends, side="right") - start
    rows, which = marked(text, word, Stretches(start, size, first, second))
    count = np.bincount(story, minlength=stories)
    found = np.zeros((stories, int(count.max(initial=1)), 4), np.int64)
    slot = np.arange(len(story)) - (np.cumsum(count) - count)[story]
    found[story, slot] = np.stack([1 + which, first, second, apart], 1)
    return np.concatenate([np.zeros((1, rows.shape[1]), np.int64), rows]), found


def _runs(text: Text) -> Ints:
    """Story, first and second person, first and last sentence of every window, and how far apart the two
    are, story by story: [6, M]."""
    at = np.flatnonzero(text.token < 0)
    at = at[-1 - text.token[at] < text.people[text.story[at]]]
    named: dict[int, dict[int, dict[int, int]]] = {}  # by story and sentence: where it names each person
    for place, story, sentence, person in zip(
        at.tolist(),
        text.story[at].tolist(),
        text.sentence[at].tolist(),
        (-1 - text.token[at]).tolist(),
        strict=True,
    ):
        named.setdefault(story, {}).setdefault(sentence, {}).setdefault(person, place)
    begins = np.ones(len(text.token), bool)
    begins[1:] = text.sentence[1:] != text.sentence[:-1]
    opens = set(text.sentence[begins & (text.token < 0)].tolist())
    found = []
    for story, sentences in named.items():
        numbers, places = list(sentences), list(sentences.values())
        asked = (int(text.query[story, 0]), int(text.query[story, 1]))
        for (one, other), begin, end in runs(
            [set(people) for people in places], asked, [number in opens for number in numbers]
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
        (pair, number, number) for number, people in enumerate(named) for pair in pairs_of(people, people)
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
