"""Chains taken apart at every cut: the one chart that rules and tables are tried on."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def parse(leaves: Sequence[T], join: Callable[[Iterator[tuple[T, T]], bool], T], nothing: T) -> T:
    """What a whole chain comes to, shorter stretches first (CYK parsing).

    join: what a stretch comes to, from what its two parts do at each cut; told whether it is the
    whole chain. nothing: what a chain of no links comes to.
    """
    size = len(leaves)
    found = {(i, i + 1): leaf for i, leaf in enumerate(leaves)}
    for length in range(2, size + 1):
        for start in range(size - length + 1):
            stop = start + length
            cuts = ((found[start, cut], found[cut, stop]) for cut in range(start + 1, stop))
            found[start, stop] = join(cuts, length == size)
    return found.get((0, size), nothing)
