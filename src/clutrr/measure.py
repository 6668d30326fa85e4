"""Shares, their intervals, and the order of names with numbers in them."""

import math
import re

_Z = 1.959964  # of a 95 % interval


def percent(part: float, whole: int) -> float:
    """A share in percent, to one decimal; 0 of nothing."""
    return round(100 * part / whole, 1) if whole else 0.0


def wilson(right: float, n: int) -> tuple[float, float]:
    """The 95 % interval of a share of n, in percent (Wilson's score interval)."""
    share, scale = right / n, 1 + _Z * _Z / n
    middle = (share + _Z * _Z / (2 * n)) / scale
    half = _Z * math.sqrt(share * (1 - share) / n + _Z * _Z / (4 * n * n)) / scale
    return 100 * max(0.0, min(share, middle - half)), 100 * min(1.0, max(share, middle + half))


def natural(name: str) -> list[tuple[int, str]]:
    """A key that puts M10 after M9."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]
