"""Answering without understanding: look-ups fitted on some rows, tried on others."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from clutrr.auditor.rows import Row
from clutrr.measure import percent

K = TypeVar("K", bound=Hashable)
Key = Callable[[Row], Hashable]


# What each look-up knows of a question. The gender is that of the asked person.
LOOKUPS: dict[str, Key] = {
    "majority label": lambda row: None,
    "gender, majority kind": lambda row: row.gender,
    "last relation": lambda row: row.relations[-1:],
    "first and last relation": lambda row: (row.relations[:1], row.relations[-1:]),
    "seen pattern": lambda row: (row.puzzle.pattern, row.gender),
}


def accuracy(key: Key, known: Sequence[Row], tested: Sequence[Row]) -> float:
    """Percent of the tested rows whose label is the one most frequent for their key."""
    table = most_frequent((key(row), row.target) for row in known)
    common = Counter(row.target for row in known).most_common(1)[0][0] if known else None
    return percent(sum(table.get(key(row), common) == row.target for row in tested), len(tested))


def most_frequent(pairs: Iterable[tuple[K, str]]) -> dict[K, str]:
    """The label that each key has most often."""
    counts: defaultdict[K, Counter[str]] = defaultdict(Counter)
    for key, label in pairs:
        counts[key][label] += 1
    # The most frequent; of several, the first by name, so that the order of rows does not matter.
    return {key: min(count, key=lambda label: (-count[label], label)) for key, count in counts.items()}


def longest_ending(row: Row) -> list[tuple[str, ...]]:
    """The endings of the chain, longest first, down to none."""
    return [row.puzzle.pattern[i:] for i in range(len(row.puzzle.pattern) + 1)]


def longest_beginning(row: Row) -> list[tuple[str, ...]]:
    """The beginnings of the chain, longest first, down to none."""
    return [row.puzzle.pattern[:i] for i in range(len(row.puzzle.pattern), -1, -1)]


PARTS = {"longest known ending": longest_ending, "longest known beginning": longest_beginning}


def part_accuracy(
    pieces: Callable[[Row], list[tuple[str, ...]]], known: Sequence[Row], tested: Sequence[Row]
) -> float:
    """Percent right by the longest part of the chain that some known row shares.

    The look-up gives the kind; the gender of the asked person makes it a label.
    """
    table = most_frequent((piece, row.kind) for row in known for piece in pieces(row))
    right = 0
    for row in tested:
        guess = next((table[piece] for piece in pieces(row) if piece in table), None)
        right += guess == row.kind
    return percent(right, len(tested))


def labels_known(known: Sequence[Row], tested: Sequence[Row]) -> float:
    """Percent of the tested rows whose label occurs among the known ones."""
    labels = {row.target for row in known}
    return percent(sum(row.target in labels for row in tested), len(tested))
