"""Options that several commands share, and how their values are read."""

from clutrr.errors import ConfigError, short
from clutrr.measure import RANGE
from clutrr.measure import numbers as numbers

SKIP_BAD = "Leave out rows and files that cannot be read, and list them."


def span(text: str, name: str) -> tuple[int, int]:
    """`3` or `2-4`: the least and the most."""
    match = RANGE.fullmatch(text)
    if not match:
        raise ConfigError(f"{name}: {short(text)} is not a number or a range such as 2-4")
    return int(match[1]), int(match[2] or match[1])


def words(text: str, name: str) -> tuple[str, ...]:
    """Words with commas between them."""
    found = tuple(word.strip() for word in text.split(","))
    if not all(found):
        raise ConfigError(f"{name}: {text!r} is not words with commas between them")
    return found


def yes_no(text: str, name: str) -> bool:
    """`yes` or `no`."""
    if text not in ("yes", "no"):
        raise ConfigError(f"{name}: {text!r} is neither yes nor no")
    return text == "yes"
