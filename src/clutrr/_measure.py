"""Shares, their intervals, the order of names with numbers in them, and numbers as users write them."""

import math
import re
from collections.abc import Iterable

from clutrr.errors import ConfigError

_Z = 1.959964  # of a 95 % interval
RANGE = re.compile(r"\s*(-?[0-9]{1,9})(?:\s*-\s*(-?[0-9]{1,9}))?\s*")


def percent(part: float, whole: int) -> float:
    """A share in percent, to one decimal; 0 if there is nothing."""
    return round(100 * part / whole, 1) if whole else 0.0


def counted(number: int, thing: str) -> str:
    """A number of things in words: `1 row`, `2,000 rows`."""
    return f"{number:,} {thing}{'s' if number != 1 else ''}"


def wilson(right: float, n: int) -> tuple[float, float]:
    """The 95 % interval of a share of n, in percent (Wilson's score interval)."""
    share, scale = right / n, 1 + _Z * _Z / n
    middle = (share + _Z * _Z / (2 * n)) / scale
    half = _Z * math.sqrt(share * (1 - share) / n + _Z * _Z / (4 * n * n)) / scale
    return 100 * max(0.0, min(share, middle - half)), 100 * min(1.0, max(share, middle + half))


def natural(name: str) -> list[tuple[int, str]]:
    """A key that puts M10 after M9. Numbers may have any length: the longer one is the larger."""
    parts = (part.lstrip("0") if part.isdecimal() else part for part in re.split(r"(\d+)", name))
    return [(len(part), part) if number % 2 else (-1, part) for number, part in enumerate(parts)]


def numbers(text: str, name: str) -> tuple[int, ...]:
    """`3-6`, `2,3`, `2,4-6`: the numbers, ascending."""
    found: set[int] = set()
    for part in text.split(","):
        match = RANGE.fullmatch(part)
        if not match:
            raise ConfigError(
                "is not a number, a range such as 3-6, or a list such as 2,3",
                setting=name,
                value=text,
            )
        low = int(match[1])
        high = int(match[2]) if match[2] else low
        if high < low:
            raise ConfigError(f"the range {part.strip()} ends before it starts", setting=name)
        if high - low > 1000:
            raise ConfigError(f"the range {part.strip()} is too long", setting=name)
        found.update(range(low, high + 1))
    return tuple(sorted(found))


def written(numbers: Iterable[int]) -> str:
    """The other way round: 2, 4, 5, 6 as `2,4-6`."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)
