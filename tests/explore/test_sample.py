"""Even samples: how many, of what, how evenly."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from clutrr.explore.pick import Even


def sampled(sizes: list[int], limit: int) -> tuple[list[int], int]:
    even: Even[int] = Even(limit)
    at = 0
    for size in sizes:
        even.keep([at + i for i in even.next(size)])
        at += size
    return even.chosen(), even.seen


@given(st.lists(st.integers(0, 60)), st.integers(1, 40))
def test_a_sample_is_even(sizes, limit):
    chosen, seen = sampled(sizes, limit)
    total = sum(sizes)
    assert seen == total
    assert len(chosen) == min(limit, total)
    assert chosen == sorted(set(chosen))
    if total <= limit:
        assert chosen == list(range(total))
    else:
        gaps = [b - a for a, b in pairwise(chosen)]
        assert max(gaps, default=1) <= 2 * min(gaps, default=1) + 1
        assert chosen[0] == 0
        assert total - chosen[-1] <= 3 * (total / limit) + 1
