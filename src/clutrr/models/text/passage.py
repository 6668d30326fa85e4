"""Stories cut into sentences and entities, and the words about each pair of entities.

Only the story and the queried names are read: no fact, form or path. A name in square brackets is an
entity. There are two rules for what the words about a pair, its window, are:

    Passage.windows   all sentences that name both, or else the first two neighbouring ones that name
                      one each; for `pairs`
    windows.runs      each sentence that names both, by itself; neighbouring ones where a pronoun may
                      stand for somebody, or where nothing else links the two queried people; for
                      `composer+windows`
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from clutrr.errors import DataError
from clutrr.models.windows import Pair, pairs_of

Piece = str | int  # words, or an entity by its number

_NAME = re.compile(r"\[([^\[\]]*)\]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True)
class Passage:
    """A story cut into sentences, and sentences into words and entities."""

    names: tuple[str, ...]
    sentences: tuple[tuple[Piece, ...], ...]
    query: Pair

    @cached_property
    def windows(self) -> dict[Pair, tuple[int, ...]]:
        """Return the sentences about each pair."""
        named = [{piece for piece in sentence if isinstance(piece, int)} for sentence in self.sentences]
        found: dict[Pair, list[int]] = {}
        for number, people in enumerate(named):
            for pair in pairs_of(people, people):
                found.setdefault(pair, []).append(number)
        for number in range(len(named) - 1):
            for pair in pairs_of(named[number], named[number + 1]):
                found.setdefault(pair, [number, number + 1])
        return {pair: tuple(numbers) for pair, numbers in found.items()}

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        return tuple(self.windows)

    def window(self, pair: Pair) -> tuple[Piece, ...]:
        """Return the words about a pair, in the order of the story."""
        return tuple(piece for number in self.windows[pair] for piece in self.sentences[number])

    def apart(self, pair: Pair) -> tuple[tuple[Piece, ...], ...]:
        """Each sentence that names both by itself; neighbouring sentences that name one each together."""
        numbers = self.windows[pair]
        if all(set(pair) <= set(self.sentences[number]) for number in numbers):
            return tuple(self.sentences[number] for number in numbers)
        return (self.window(pair),)


def sentences_of(story: str) -> list[str]:
    """Return the sentences of a story."""
    return [sentence for sentence in _SENTENCE_END.split(story.strip()) if sentence]


def shapes_of(story: str) -> frozenset[str]:
    """Return its sentences without the names: two stories with a shape in common share a wording."""
    return frozenset(_NAME.sub("[]", sentence) for sentence in sentences_of(story))


def passage(story: str, query: Sequence[str], spans: Sequence[tuple[int, int]] = ()) -> Passage:
    """Return a story and the two queried entities. spans: its sentences, start and end, where known."""
    if len(query) != 2:
        raise DataError("query: two names are needed in every row")
    numbers: dict[str, int] = {}
    sentences = []
    for sentence in [story[start:end] for start, end in spans] or sentences_of(story):
        pieces: list[Piece] = []
        end = 0
        for match in _NAME.finditer(sentence):
            pieces += [*_words(sentence[end : match.start()]), numbers.setdefault(match[1], len(numbers))]
            end = match.end()
        pieces += _words(sentence[end:])
        sentences.append(tuple(pieces))
    first, second = (numbers.setdefault(name, len(numbers)) for name in query)
    return Passage(tuple(numbers), tuple(sentences), (first, second))


def _words(text: str) -> list[Piece]:
    text = text.strip()
    return [text] if text else []
