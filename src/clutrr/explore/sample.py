"""An even sample of many, in one pass and without randomness."""

from collections.abc import Sequence
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Even(Generic[Item]):
    """Keeps at most `limit` of the items that come, evenly spaced, in their order.

    It keeps every n-th item and doubles n whenever it holds too many, so that memory is bounded.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._every = 1
        self._kept: list[Item] = []
        self.seen = 0

    def next(self, count: int) -> range:
        """Return which of the next `count` items are wanted; `keep` those."""
        first = -self.seen % self._every
        self.seen += count
        return range(first, count, self._every)

    def keep(self, items: Sequence[Item]) -> None:
        self._kept += items
        while len(self._kept) > 2 * self._limit:
            self._kept = self._kept[::2]
            self._every *= 2

    def chosen(self, most: int | None = None) -> list[Item]:
        """Return the items; at most `most`, if even fewer are wanted."""
        size = min(len(self._kept), self._limit if most is None else most)
        return [self._kept[i * len(self._kept) // size] for i in range(size)]
