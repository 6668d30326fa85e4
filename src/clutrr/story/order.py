"""The order of a story's sentences, as numbers of sentences, for many stories at once.

The sentences of a story are numbered: the facts, those of the path first and in its order, then d
distractors for each of the people, those on the path first and in its order.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Order = npt.NDArray[np.int64]  # (stories, sentences)
_BITS = 15  # of a key that hold the sentence's own number


def _path(rng: np.random.Generator, stories: int, k: int, d: int) -> Order:
    """As in the published files: a fact, then what is told about each person whom it is the first to name."""
    told = k + np.arange((k + 1) * d).reshape(k + 1, d)
    order = np.concatenate([told[0], *(np.append(fact, told[fact + 1]) for fact in range(k))])
    order = np.concatenate(
        [[0], np.delete(order, d)]
    )  # the first fact comes before the sentences about both of its people
    return np.broadcast_to(order, (stories, len(order)))


def _inserted(rng: np.random.Generator, stories: int, k: int, d: int) -> Order:
    """As the paper says: the facts in path order, distractors at random places among them."""
    places = _shuffled(rng, stories, k, d)
    places[:, :k].sort(axis=1)  # places[s, i]: where sentence i of story s stands
    order = np.empty_like(places)
    order[np.arange(stories)[:, None], places] = np.arange(places.shape[1])
    return order


def _shuffled(rng: np.random.Generator, stories: int, k: int, d: int) -> Order:
    """Every order equally likely."""
    sentences = k + (k + 1) * d
    # Sorting numbers that end in the sentence's own is faster than sorting sentences by numbers.
    return by_key(rng.integers(0, 2**48, (stories, sentences), np.int64))


def by_key(keys: Order) -> Order:
    """The numbers of the sentences, sorted by their keys. Keys are below 2**48, and are overwritten."""
    keys <<= _BITS
    keys |= np.arange(keys.shape[1])
    keys.sort(axis=1)
    keys &= 2**_BITS - 1
    return keys


ORDERS: dict[str, Callable[[np.random.Generator, int, int, int], Order]] = {
    "path": _path,
    "inserted": _inserted,
    "shuffled": _shuffled,
}


def mixed(
    name: str,
    rng: np.random.Generator,
    told: npt.NDArray[np.bool_],
    k: int,
    first: npt.NDArray[np.integer],
    d: int,
) -> Order:
    """The order if there are facts beside the path: these stand at random places, also in the order `path`.

    told: which of the sentences (stories, sentences) there are; the numbers of others come first.
    first: for each person, the fact that brings them in; in the order `path`, what is told about
    them follows it.
    """
    stories, sentences = told.shape
    facts = sentences - len(first) * d
    keys = rng.integers(1, 2**48, (stories, sentences), np.int64)
    if name == "inserted":
        keys[:, :k].sort(axis=1)
    elif name == "path":
        keys[:, :k] = np.linspace(1, 2**47, k).astype(np.int64)  # the rest falls between and after them
        keys[:, facts:] = np.repeat(keys[:, first], d, axis=1)  # ties: the fact's number is lower
    keys[~told] = 0
    return by_key(keys)
