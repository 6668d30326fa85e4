"""Stretches of text with two mentions marked, each distinct one once; where a story tells of two people."""

from dataclasses import dataclass

import numpy as np

from clutrr.models.text import Ints, Text
from clutrr.models.vocabulary import BYSTANDER, OTHER_SECOND, PADDING, SELF_FIRST
from clutrr.models.windows import runs

NEXT, OTHERS, ACROSS = range(3)


@dataclass(frozen=True)
class Stretches:
    """Tokens in a row, `size` of them from `start`, and two entities that they mention."""

    start: Ints
    size: Ints
    first: Ints
    second: Ints


def marked(text: Text, word: Ints, stretches: Stretches) -> tuple[Ints, Ints]:
    """The distinct stretches, the mentions of the two marked, [S, L]; and which of them each is."""
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
    """The distinct rows, and which of them each row is."""
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
    """The distinct windows [1 + S, L], the first empty; and those of each story, [N, W, 4].

    Of each window (see `clutrr.models.windows.runs`) its row, the person whom it names first, the other,
    and how far apart they are: NEXT to each other in a sentence, with OTHERS in between, or ACROSS sentences.
    Of each person the first mention in a sentence counts; values are nobody.
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
