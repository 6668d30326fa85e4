"""Stories cut into sentences, and sentences into words and entities.

A name in square brackets is an entity. Where a row has no story, its facts are read. There are two rules for
what the words about a pair of entities, its window, are:

    Passage.windows   all sentences that name both, or else the first two neighbouring ones that name
                      one each; for `pairs`
    graph.runs        each sentence that names both, by itself; neighbouring ones where a pronoun may
                      refer to one, or where nothing else links the two queried entities; for
                      `composer+windows`
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

from clutrr._sentences import bracketed, sentence_spans
from clutrr.errors import DataError

Pair = tuple[int, int]  # two entities, the lower number first
Piece = str | int  # words, or an entity by its number

_ENTITY = re.compile(r"\[([^\[\]]*)\]")


@dataclass(frozen=True)
class Passage:
    """A story cut into sentences, and sentences into words and entities.

    names: of the entities, in order of appearance; a queried one counts even where the story does not
    mention it.
    """

    names: tuple[str, ...]
    sentences: tuple[tuple[Piece, ...], ...]
    query: Pair

    @cached_property
    def windows(self) -> dict[Pair, tuple[int, ...]]:
        """Return the sentences about each pair."""
        named = [
            {piece for piece in sentence if isinstance(piece, int)} for sentence in self.sentences
        ]
        found: dict[Pair, list[int]] = {}
        for number, here in enumerate(named):
            for pair in pairs_of(here, here):
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


def pairs_of(ones: set[int], others: set[int]) -> list[Pair]:
    """Return the pairs of one of these and one of those, each once."""
    return sorted({(min(a, b), max(a, b)) for a in ones for b in others if a != b})


def passage(story: str, query: Sequence[str], starts: Sequence[int] = ()) -> Passage:
    """Return a story and the two queried entities. starts: of its sentences, where known."""
    if len(query) != 2:
        raise DataError("two names are needed in every row", setting="query")
    cuts = sorted({0, *(starts or (start for start, _ in sentence_spans(story))), len(story)})
    numbers: dict[str, int] = {}
    sentences = []
    for start, end in itertools.pairwise(cuts):
        pieces: list[Piece] = []
        for place, piece in enumerate(_ENTITY.split(story[start:end])):
            if place % 2:
                pieces.append(numbers.setdefault(piece, len(numbers)))
            elif "[" in piece or "]" in piece:
                raise DataError("its square brackets do not match")
            elif words := piece.strip():
                pieces.append(words)
        if pieces:
            sentences.append(tuple(pieces))
    first, second = (numbers.setdefault(name, len(numbers)) for name in query)
    return Passage(tuple(numbers), tuple(sentences), (first, second))


def read_passages(table: pa.Table) -> Iterator[Passage]:
    """Yield the stories of a table of puzzles, by their text and question alone.

    In a story without square brackets, entities get them. A row that has only facts is read as
    `[Ann] mother [Eve].`, a sentence each; a relation of several words is one word there.
    """
    columns = (table[name].to_pylist() for name in ("story", "query", "entities", "facts"))
    for number, (story, query, entities, facts, starts) in enumerate(
        zip(*columns, _starts(table), strict=True), 1
    ):
        if "[" not in story:
            told = (f"[{head}] {'_'.join(said.split())} [{tail}]." for head, said, tail in facts)
            story = bracketed(story, [one["name"] for one in entities]) or " ".join(told)
            starts = ()
        try:
            yield passage(story, query, starts)
        except DataError as error:
            raise error.at(f"story {number}") from None


def _starts(table: pa.Table) -> Iterable[Sequence[int]]:
    """Return where the sentences of each story start, as far as that is known."""
    if "sentences" not in table.column_names:
        return itertools.repeat((), len(table))
    column = table["sentences"].combine_chunks()
    behind = pc.fill_null(pc.list_value_length(column), 0).to_numpy().cumsum()
    starts = column.flatten().field("start").to_pylist()
    return (starts[begin:end] for begin, end in itertools.pairwise([0, *behind.tolist()]))
