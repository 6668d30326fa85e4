"""Who is on the way from the first queried person to the second, and in which order.

Think of every pair that the text mentions together as a wire, and of a voltage between the two
queried people. Current flows only through people who are on some way between the two that
passes nobody twice: never into a dead end, nor to people whom nothing links. The voltage puts them
in an order that does not depend on how they are numbered, and every wire with current leads onwards
in it. (A wire that joins two ways at the same voltage carries none: it is left out, and so is
whoever has no other wire.)
"""

import numpy as np
import numpy.typing as npt

from clutrr.models.tokens import Ints

_BATCH = 4096  # stories at a time
_LEAK = 1e-9  # to the ground, so that people whom nothing links have a voltage too
_NOTHING = 1e-7  # volts: less than this between two people is rounding


def ways(linked: npt.NDArray[np.bool_], neighbours: Ints, query: Ints) -> Ints:
    """Return where the text says what a later place is to an earlier one, for each two places [N, P, P].

    linked, neighbours: [N, n, D], who is mentioned together with each person. query: [N, 2].
    What slot d of person i says has the number 1 + i D + d; 0 where nothing is said, or where it leads back.
    The first queried person is in the first place and the second in the last; some of the
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
    story, person, slot = np.nonzero(linked)
    said = np.zeros((size, n, n), np.int64)
    said[story, person, neighbours[story, person, slot]] = 1 + person * slots + slot
    volt = _voltage(said > 0, query)
    onwards = (volt[:, None, :] - volt[:, :, None] > _NOTHING) & (said > 0)
    on_it = onwards.any(1) | onwards.any(2)
    volt[~on_it] = 1 - _NOTHING / 2  # behind all who are on the way, but before the second queried person
    volt[np.arange(size), query[:, 0]] = 0.0
    volt[np.arange(size), query[:, 1]] = 1.0
    order = np.argsort(volt, axis=1, kind="stable")
    places = int(on_it.sum(1).max(initial=2))
    order = np.concatenate([order[:, : places - 1], order[:, -1:]], axis=1)
    one, other = order[:, :, None], order[:, None, :]
    each = np.arange(size)[:, None, None]
    return np.where(onwards[each, one, other], said[each, one, other], 0)


def _voltage(said: npt.NDArray[np.bool_], query: Ints) -> npt.NDArray[np.float64]:  # [N, n]
    """0 at the first queried person, 1 at the second, and elsewhere the mean of one's neighbours."""
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
