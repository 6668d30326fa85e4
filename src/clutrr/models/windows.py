"""Which pairs of people a text tells of, and the words that tell of each pair.

Only the story and the queried names are read: no fact, gender or path. Whoever stands in square
brackets is an entity. There are two rules for what the words about a pair, its window, are:

    Passage.windows   all sentences that name both, or else the first two neighbouring ones that name
                      one each; for `pairs`
    runs              each sentence that names both, by itself; neighbouring ones where a pronoun may
                      stand for somebody, or where nothing else links the two queried people; for
                      `composer+windows`
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from clutrr.errors import DataError

Piece = str | int  # words, or an entity by its number
Pair = tuple[int, int]  # two entities, the lower number first

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
        """The sentences about each pair."""
        named = [{piece for piece in sentence if isinstance(piece, int)} for sentence in self.sentences]
        found: dict[Pair, list[int]] = {}
        for number, people in enumerate(named):
            for pair in _pairs(people, people):
                found.setdefault(pair, []).append(number)
        for number in range(len(named) - 1):
            for pair in _pairs(named[number], named[number + 1]):
                found.setdefault(pair, [number, number + 1])
        return {pair: tuple(numbers) for pair, numbers in found.items()}

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        return tuple(self.windows)

    def window(self, pair: Pair) -> tuple[Piece, ...]:
        """The words about a pair, in the order of the story."""
        return tuple(piece for number in self.windows[pair] for piece in self.sentences[number])

    def apart(self, pair: Pair) -> tuple[tuple[Piece, ...], ...]:
        """Each sentence that names both by itself; neighbouring sentences that name one each together."""
        numbers = self.windows[pair]
        if all(set(pair) <= set(self.sentences[number]) for number in numbers):
            return tuple(self.sentences[number] for number in numbers)
        return (self.window(pair),)


def _pairs(ones: set[int], others: set[int]) -> list[Pair]:
    return sorted({(min(a, b), max(a, b)) for a in ones for b in others if a != b})


def runs(named: Sequence[set[int]], asked: Pair, opens: Sequence[bool]) -> list[tuple[Pair, int, int]]:
    """Where a story may tell of each pair: in a sentence that names both, by itself. If no sentence does, in
    two neighbouring ones that name one each: where the second does not open with a name, since a pronoun may
    stand there; and, if no chain of all these links the two who are asked about, for any two people whom no
    chain links.

    named: whom each sentence names; those that name nobody are left out. opens: whether it opens with a
    name. Of each run of sentences the pair, and the numbers of the first and of the last.
    """
    found = [(pair, number, number) for number, people in enumerate(named) for pair in _pairs(people, people)]
    together = {pair for pair, _, _ in found}
    across = [
        (pair, number, number + 1)
        for number in range(len(named) - 1)
        for pair in _pairs(named[number], named[number + 1])
        if pair not in together
    ]
    found += [window for window in across if not opens[window[2]]]
    family = _families([*named, *(set(pair) for pair, _, _ in found)])
    if family.get(asked[0]) == family.get(asked[1]) is not None:
        return found
    return found + [window for window in across if family[window[0][0]] != family[window[0][1]]]


def _families(named: Sequence[set[int]]) -> dict[int, int]:
    """For everybody somebody who stands for all whom a chain of sentences links to them."""
    family: dict[int, int] = {}
    for people in named:
        joined = {family.setdefault(person, person) for person in people}
        if len(joined) > 1:
            one = min(joined)
            family = {person: one if of in joined else of for person, of in family.items()}
    return family


def sentences_of(story: str) -> list[str]:
    """The sentences of a story, as they stand."""
    return [sentence for sentence in _SENTENCE_END.split(story.strip()) if sentence]


def shapes_of(story: str) -> frozenset[str]:
    """Its sentences without the names: two stories with a shape in common share a wording."""
    return frozenset(_NAME.sub("[]", sentence) for sentence in sentences_of(story))


def passage(story: str, query: Sequence[str]) -> Passage:
    """A story and the two queried people."""
    if len(query) != 2:
        raise DataError("query: two names are needed in every row")
    numbers: dict[str, int] = {}
    sentences = []
    for sentence in sentences_of(story):
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
