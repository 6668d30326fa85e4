"""Notes taken while files are read: rows that were left out, and unusual spellings."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from clutrr.data.part import Row
from clutrr.data.source import Place
from clutrr.errors import DataError, RowError
from clutrr.world import World

# How relations are spelt in files that circulate. Upper case, spaces, hyphens and underscores do not
# count, so that "Mother in law" needs no entry here.
_MISSPELT = {
    "neice": "niece",
    "nefew": "nephew",
    "newphew": "nephew",
    "grandaughter": "granddaughter",
}
_LETTERS = re.compile(r"[\s_-]+")
C = TypeVar("C")


class Skipped(NamedTuple):
    """A row, or a whole file, that was left out. place: "line 3", or "" for a file."""

    file: str
    place: str
    reason: str


@dataclass
class Notes:
    """Kept while a data set is read; reading it again adds nothing.

    skip_bad: leave out what cannot be read, instead of refusing all.
    """

    skip_bad: bool = False
    _skipped: dict[tuple[str, str], Skipped] = field(default_factory=dict)
    _spelt: dict[tuple[str, Place, str, str], None] = field(default_factory=dict)

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        return tuple(self._skipped.values())

    @property
    def spelt(self) -> dict[tuple[str, str], int]:
        """The number of rows by spelling and the relation it was read as."""
        counts = Counter((word, relation) for _, _, word, relation in self._spelt)
        return dict(sorted(counts.items()))

    def bad(self, error: DataError) -> None:
        """Note something that cannot be read."""
        if not self.skip_bad:
            raise error
        one = error if isinstance(error, RowError) else RowError("", "", str(error))
        self._skipped.setdefault((one.file, one.place), Skipped(one.file, one.place, one.reason))

    def read_as(self, word: str, relation: str, file: str, place: Place) -> None:
        self._spelt[file, place, word, relation] = None

    def rows(self, records: Iterable[tuple[Place, C]], read: Callable[[C, Place], Row]) -> Iterator[Row]:
        """Yield the content of the records; those that cannot be read are reported as bad."""
        for place, record in records:
            try:
                row = read(record, place)
            except DataError as error:
                self.bad(error)
                continue
            yield row


class Spelling:
    """Reads the words for the relations of a world in all their spellings."""

    def __init__(self, world: World, notes: Notes, file: str) -> None:
        self._notes, self._file = notes, file
        self._relations = {relation: relation for relation in world.relations}
        self._loose = {_bare(relation): relation for relation in world.relations}
        for word, relation in _MISSPELT.items():
            if relation in self._relations:
                self._loose.setdefault(word, relation)

    def relation(self, word: str, place: Place) -> str | None:
        """Return the relation that is meant; None if there is no such relation."""
        if word in self._relations:
            return word
        relation = self._loose.get(_bare(word))
        if relation is not None:
            self._notes.read_as(word, relation, self._file, place)
        return relation


def _bare(word: str) -> str:
    return _LETTERS.sub("", word.lower())
