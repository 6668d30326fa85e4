"""The order of a story's sentences, as numbers of sentences, for many stories at once.

The sentences of a story are numbered: the facts, those of the routes first and in their order, then d about
each entity alone. Keys are drawn for all questions of a block, so that a story does not depend on how many
are wanted; only the first `rows` are sorted.
"""

import numpy as np
import numpy.typing as npt

from clutrr.theory.questions import Bools, Ints, QuestionBlock

Order = npt.NDArray[np.int64]  # (stories, sentences)
_BITS = 15  # of a key that hold the sentence's own number
_KEYS = 2**48  # above every key


def in_order(
    name: str, numbers: Ints, questions: QuestionBlock, d: int, rng: np.random.Generator, rows: int
) -> Ints:
    """Return what stands for the sentences of stories in their order, if all of them are used."""
    facts, (size, sentences) = questions.head.shape[1], numbers.shape
    if name == "path":
        return numbers[:, _along(facts, questions.first.tolist(), d)]
    shuffled = _by_key(rng.integers(0, _KEYS, (len(questions), sentences), np.int64)[:rows])
    first = np.arange(0, numbers.size, sentences)[:, None]
    if name == "shuffled":
        return numbers.take(shuffled + first)
    shuffled[:, :facts].sort(axis=1)  # shuffled[s, i]: the place of sentence i in story s
    found = np.empty(numbers.size, numbers.dtype)
    found[(shuffled + first).reshape(-1)] = numbers.reshape(-1)
    return found.reshape(size, sentences)


def _along(facts: int, first: list[int], d: int) -> list[int]:
    """As in the published files: each fact, then the sentences about the entities that it brings in."""
    order = []
    for fact in range(facts):
        order.append(fact)
        for entity, by in enumerate(first):
            order += range(facts + entity * d, facts + (entity + 1) * d) if by == fact else ()
    return order


def mixed_order(
    name: str,
    questions: QuestionBlock,
    used: Bools,
    d: int,
    rng: np.random.Generator,
    rows: int,
    following: float = 0,
) -> Order:
    """Return the order of sentences some of which are left out, or state facts beside the routes.

    Facts beside the routes come at random places, also in the order `path`. used: which of the sentences
    there are, (rows, sentences); the numbers of others come first. following: how often a sentence about an
    entity alone follows what was said about it before; in the order `path`, all do.
    """
    size, sentences = used.shape
    facts, routed = questions.head.shape[1], questions.routed
    keys = rng.integers(1, _KEYS, (len(questions), sentences), np.int64)[:rows]
    if name == "inserted":
        keys[:, :routed].sort(axis=1)
    elif name == "path":
        # Other facts fall between those of the routes and after them; ties: the lower number comes first.
        keys[:, :routed] = np.linspace(1, _KEYS // 2, routed).astype(np.int64)
        keys[:, facts:] = np.repeat(keys[:, questions.first], d, axis=1)
    if following and d and name != "path":
        alone = keys[:, facts:].reshape(size, -1, d)
        follows = rng.random((*questions.entities.shape, d), np.float32)[:rows] < following
        # Equal keys keep the order of numbers: after the fact that brings an entity in, or the one before.
        before = keys[:, questions.first]
        for i in range(d):
            alone[..., i] = before = np.where(follows[..., i], before, alone[..., i])
        keys[:, facts:] = alone.reshape(size, -1)
    keys[~used] = 0
    return _by_key(keys)


def _by_key(keys: Order) -> Order:
    """Return the numbers of the sentences, sorted by their keys, which are overwritten."""
    # Sorting numbers that end in the sentence's own is faster than sorting sentences by numbers.
    keys <<= _BITS
    keys |= np.arange(keys.shape[1])
    keys.sort(axis=1)
    keys &= 2**_BITS - 1
    return keys
