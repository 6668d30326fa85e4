"""The order of a story's sentences, as numbers of sentences, for many stories at once.

The sentences of a story are numbered: the k facts in path order, then d distractors for each of
the k+1 people in path order.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Order = npt.NDArray[np.int64]  # (stories, sentences)


def _path(rng: np.random.Generator, stories: int, k: int, d: int) -> Order:
    """As in the published files: a fact, then what is told of each person it is the first to name."""
    told = k + np.arange((k + 1) * d).reshape(k + 1, d)
    order = np.concatenate([told[0], *(np.append(fact, told[fact + 1]) for fact in range(k))])
    order = np.concatenate([[0], np.delete(order, d)])  # the first fact stands before both people's
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
    keys = rng.integers(0, 2**48, (stories, sentences), np.int64)
    keys <<= 15
    keys |= np.arange(sentences)
    keys.sort(axis=1)
    keys &= 2**15 - 1
    return keys


ORDERS: dict[str, Callable[[np.random.Generator, int, int, int], Order]] = {
    "path": _path,
    "inserted": _inserted,
    "shuffled": _shuffled,
}
