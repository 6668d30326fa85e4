"""Stories cut into sentences and entities, the words about each pair of entities, and many stories at once.

Only the story and the queried names are read: no fact, form or path. A name in square brackets is an
entity. There are two rules for what the words about a pair, its window, are:

    Passage.windows   all sentences that name both, or else the first two neighbouring ones that name
                      one each; for `pairs`
    graph.runs        each sentence that names both, by itself; neighbouring ones where a pronoun may
                      refer to one, or where nothing else links the two queried entities; for
                      `composer+windows`
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from clutrr.errors import DataError
from clutrr.models.graph import Pair, pairs_of
from clutrr.models.tokens import Vocabulary
from clutrr.sentences import cut_sentences, entities_in, shape_of

Piece = str | int  # words, or an entity by its number
UNKNOWN = -1  # instead of the number of a kind or a form


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


def passage(story: str, query: Sequence[str], spans: Sequence[tuple[int, int]] = ()) -> Passage:
    """Return a story and the two queried entities. spans: its sentences, start and end, where known."""
    if len(query) != 2:
        raise DataError("query: two names are needed in every row")
    numbers: dict[str, int] = {}
    sentences = []
    for sentence in [story[start:end] for start, end in spans] or cut_sentences(story):
        words = shape_of(sentence).split("[]")
        entities = [numbers.setdefault(name, len(numbers)) for name in entities_in(sentence)]
        pieces = itertools.chain.from_iterable(itertools.zip_longest(map(str.strip, words), entities))
        sentences.append(tuple(piece for piece in pieces if piece not in ("", None)))
    first, second = (numbers.setdefault(name, len(numbers)) for name in query)
    return Passage(tuple(numbers), tuple(sentences), (first, second))


@dataclass(frozen=True)
class Lesson:
    """kinds: of each pair of the passage, `len(KindTable)` where no fact is stated.
    implied: the kind that the facts lead to for a pair without one of its own. forms: of each entity.
    UNKNOWN stands for what is not known."""

    kinds: tuple[int, ...]
    forms: tuple[int, ...]
    implied: tuple[int, ...]


@dataclass(frozen=True)
class Passages:
    """Stories as passages: all, or a batch. lessons, pool, table: for training, as in `lessons`.
    rng: of a batch, where new names come from."""

    passages: tuple[Passage, ...]
    target: Tensor  # [N]
    lessons: tuple[Lesson, ...] = ()
    pool: tuple[tuple[str, ...], ...] = ()  # names, by form
    table: Tensor | None = None  # [C, C, C]
    rng: np.random.Generator | None = None
    unknown_words: int = 0

    def __len__(self) -> int:
        return len(self.passages)

    def to(self, device: torch.device) -> "Passages":
        return replace(self, target=self.target.to(device))

    def batch(self, index: Tensor, generator: torch.Generator) -> "Passages":
        seed = torch.randint(2**31, (1,), generator=generator, device=generator.device).item()
        chosen = index.tolist()
        return replace(
            self,
            passages=tuple(self.passages[i] for i in chosen),
            target=self.target[index],
            lessons=tuple(self.lessons[i] for i in chosen) if self.lessons else (),
            rng=np.random.default_rng(int(seed)),
        )


def read_passages(table: pa.Table, vocabulary: Vocabulary) -> Passages:
    """Return the stories of a table, by their text and question alone."""
    stories = zip(table["story"].to_pylist(), table["query"].to_pylist(), _spans(table), strict=True)
    target = vocabulary.targets(table["target"].to_pylist())
    return Passages(tuple(passage(*story) for story in stories), target)


def _spans(table: pa.Table) -> list[list[tuple[int, int]]]:
    """Return the sentences of each story, start and end; none where they are not known."""
    if "sentences" not in table.column_names:
        return [[]] * table.num_rows
    return [[(one["start"], one["end"]) for one in row or ()] for row in table["sentences"].to_pylist()]
