"""Chains taken apart at every cut: the one chart that rules and tables are tried on."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def parse(leaves: Sequence[T], join: Callable[[Iterator[tuple[T, T]], bool], T], nothing: T) -> T:
    """The result for a whole chain, shorter stretches first (CYK parsing).

    join: gives the result for a stretch from those of its two parts at each cut, and whether it is the whole
    chain. nothing: the result for a chain without links.
    """
    size = len(leaves)
    found = {(i, i + 1): leaf for i, leaf in enumerate(leaves)}
    for length in range(2, size + 1):
        for start in range(size - length + 1):
            stop = start + length
            cuts = ((found[start, cut], found[cut, stop]) for cut in range(start + 1, stop))
            found[start, stop] = join(cuts, length == size)
    return found.get((0, size), nothing)
